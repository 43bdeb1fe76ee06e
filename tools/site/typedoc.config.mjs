// The JavaScript API as pages. Entry points for other libraries' types, the AI SDK's and LangChain's, have guides alone.
const SOURCES = '../../pkg/src';

export default {
  name: 'ibid: JavaScript API',
  tsconfig: '../../pkg/tsconfig.build.json',
  entryPoints: ['index', 'ui/index', 'render/index', 'build/builder', 'llm/index', 'remote/index', 'audit/index'].map(
    (name) => `${SOURCES}/${name}.ts`,
  ),
  plugin: ['typedoc-plugin-missing-exports'],
  placeInternalsInOwningModule: true,
  readme: 'none',
  disableSources: true,
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  treatWarningsAsErrors: true,
  navigationLinks: { Documentation: `${process.env.IBID_BASE ?? '/'}docs/start.html` },
  highlightLanguages: ['ts', 'js', 'html', 'css', 'json', 'sh', 'md'],
};
