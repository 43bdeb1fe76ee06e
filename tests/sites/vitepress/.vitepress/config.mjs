import ibid from 'ibid-vitepress';

export default {
  buildEnd: ibid({ answers: true }),
  title: 'Kettle',
  description: 'Hot water on a schedule',
  base: '/docs/',
  cleanUrls: true,
  lastUpdated: true,
  markdown: { lineNumbers: true },
  themeConfig: {
    editLink: { pattern: 'https://code.kettle.example/edit/:path', text: 'Edit this page' },
    nav: [{ text: 'v2.4', items: [{ text: 'v1.9', link: 'https://old.kettle.example/' }] }],
    sidebar: [
      { text: 'Guide', items: ['install', 'schedule', 'heaters'].map((page) => ({ text: page, link: `/guide/${page}` })) },
      { text: 'Reference', items: ['options', 'commands'].map((page) => ({ text: page, link: `/reference/${page}` })) },
    ],
    footer: { message: 'Released under the MIT license.', copyright: 'Kettle is a fixture.' },
  },
};
