import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';
import ibid from 'ibid-starlight';

export default defineConfig({
  site: 'https://kettle.example',
  base: '/docs',
  integrations: [
    starlight({
      title: 'Kettle',
      pagefind: false,
      editLink: { baseUrl: 'https://code.kettle.example/edit/' },
      lastUpdated: true,
      sidebar: [
        { label: 'Guide', autogenerate: { directory: 'guide' } },
        { label: 'Reference', autogenerate: { directory: 'reference' } },
      ],
    }),
    ibid({ answers: true }),
  ],
});
