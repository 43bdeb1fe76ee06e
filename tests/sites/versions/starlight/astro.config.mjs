import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';
import starlightVersions from 'starlight-versions';

export default defineConfig({
  site: 'https://kettle.example',
  integrations: [
    starlight({ title: 'Kettle', pagefind: false, plugins: [starlightVersions({ versions: [{ slug: '1.0' }] })] }),
  ],
});
