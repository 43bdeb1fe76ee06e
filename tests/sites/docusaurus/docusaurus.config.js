module.exports = {
  title: 'Kettle',
  url: 'https://kettle.example',
  baseUrl: '/docs/',
  onBrokenLinks: 'warn',
  plugins: [['ibid-docusaurus', { answers: true }]],
  presets: [
    [
      'classic',
      {
        docs: { path: 'docs', routeBasePath: '/', editUrl: 'https://code.kettle.example/edit/', showLastUpdateTime: false },
        blog: { path: 'blog' },
        pages: false,
      },
    ],
  ],
  themeConfig: {
    navbar: { title: 'Kettle', items: [{ to: '/guide/install', label: 'Guide' }, { to: '/blog', label: 'Blog' }] },
    footer: { copyright: 'Kettle is a fixture.' },
    announcementBar: { content: 'Version 2.4 is out: read what is new.' },
  },
};
