// Without VitePress's own fonts, which weigh more than all of a first search.
export { default } from 'vitepress/theme-without-fonts';
