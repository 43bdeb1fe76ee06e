/** The guides agree with the code, lead to what is there, and keep the rules of their writing. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
/** The most words of all guides together; tables that are generated are not counted. */
const MOST_WORDS = 17_994;
/** The most words of the page of measurements, with the cells of its tables. */
const MOST_EVIDENCE = 3000;
const GENERATED = '\n## Options of each command\n';
const COLUMNS = 100;

const files = (...patterns) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], { cwd: ROOT })
    .toString()
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)));
const read = (file) => readFileSync(join(ROOT, file), 'utf8');
const EVIDENCE = 'docs/measurements.md';
const GUIDES = files('docs/*.md').filter((file) => file !== EVIDENCE);
const WRITTEN = files('*.md').filter((file) => !/^(?:www\/handbook|tests\/(?!real)|benches|fuzz\/seeds)/.test(file));

const withoutCode = (text) => text.replace(/^( *)```.*?^\1```$/gms, '');
const prose = (file) => withoutCode(read(file).replace(/^---\n.*?\n---\n/s, '')).split(GENERATED)[0];

const wordsOf = (file) =>
  prose(file)
    .replace(/\]\([^)]*\)/g, ']')
    .match(/[^\s|]*\w[^\s|]*/g).length;

test('guides and measurements stay short', () => {
  const words = GUIDES.map((file) => [file, wordsOf(file)]);
  const total = words.reduce((sum, [, count]) => sum + count, 0);
  process.stdout.write(
    `# words: ${total}, ${words.map(([file, count]) => `${file.slice(5, -3)} ${count}`).join(', ')}\n`,
  );
  assert.ok(total <= MOST_WORDS, `${total} words; at most ${MOST_WORDS}`);
  const evidence = wordsOf(EVIDENCE);
  assert.ok(evidence <= MOST_EVIDENCE, `${evidence} words of measurements; at most ${MOST_EVIDENCE}`);
});

test('each guide begins with an example, and has a title and a description', () => {
  for (const file of GUIDES) {
    const text = read(file);
    assert.match(text, /^---\ntitle: .+\ndescription: .+\n---\n\n# /, file);
    const lines = text.split('\n');
    const example = lines.findIndex((line) => line.startsWith('```'));
    assert.ok(example > 0 && example < 24, `${file}: its first example is in line ${example + 1}`);
  }
});

test('lines are short', () => {
  const long = WRITTEN.flatMap((file) => {
    let isCode = false;
    return read(file)
      .split(GENERATED)[0]
      .split('\n')
      .map((line, at) => {
        if (/^\s*```/.test(line)) isCode = !isCode;
        const isFree = isCode || /^(?:\||#|description:)|https?:\/\/\S{60}|^\[/.test(line);
        return !isFree && [...line].length > COLUMNS ? `${file}:${at + 1}` : '';
      })
      .filter(Boolean);
  });
  assert.equal(long.join('\n'), '');
});

test('no banned phrase', () => {
  const banned =
    /\b(?:in the place of|so many|tells? of|has not to|gone on with|it is found out|as it does by itself|by (?:itself|themselves)|(?<!\$)beside(?! COMMAND)|whoever|stands? in for|(?:is|are|be) had|(?:held|holds? [^.]*) against|borne out|comes nearest|by its name it|where the theme|none that it)\b/i;
  const sources = files('*.rs', '*.ts', '*.mjs', '*.js', '*.sh', '*.py', '*.css', '*.html');
  // Prompts are words for models, and fixtures for the rules that read them.
  const spoken = sources.filter(
    (file) => !/^(?:tests|fuzz|benches|www\/handbook|src\/agent\/prompt)\/|\/tests\b/.test(file),
  );
  const found = [...WRITTEN, ...spoken].flatMap((file) =>
    read(file)
      .split('\n')
      .map((line, at) => {
        const isProse = file.endsWith('.md') || /^\s*(?:\/\/|\/?\*[ *]|#)/.test(line);
        // Of code, what it says: its texts.
        const said = isProse ? line.replace(/`[^`]*`/g, '') : (line.match(/"[^"]*"|'[^']*'|`[^`]*`/g) ?? []).join(' ');
        return banned.test(said) ? `${file}:${at + 1}: ${line.trim()}` : '';
      })
      .filter(Boolean),
  );
  assert.equal(found.join('\n'), '');
});

test('what a newcomer reads says "if", names who acts, and stacks no negations', () => {
  const banned =
    /(?:[,;:.|(] ?where (?:it|there|they|none|nothing|no|a|the|one|your|you)|\banew|\bbesides[.;,]|\b(?:is|are|be|was) told|\bstands? (?:in|there)|\bof one['’]s own|\bcannot be told|\ball the same|\bis none of)\b/i;
  const shown = [
    ...GUIDES,
    ...files('README.md', '*/README.md').filter((file) => /^(?:README|pkg|wheel|plugins)/.test(file)),
  ];
  const found = shown.flatMap((file) =>
    withoutCode(read(file))
      .split('\n')
      .map((line, at) => (banned.test(line) ? `${file}:${at + 1}: ${line.trim()}` : ''))
      .filter(Boolean),
  );
  assert.equal(found.join('\n'), '');
});

test('comments of public functions in Rust begin with a verb', () => {
  const opener = /(?<!\/\/\/.*\n)^ *\/\/\/ (?:The|An?) .*\n(?: *(?:\/\/\/|#\[).*\n)*? *pub (?:const |async )?fn \w+/gm;
  const crates = files('src/*.rs', 'crates/*/src/*.rs').filter((file) => !/\/tests?\b/.test(file));
  const found = crates.flatMap((file) =>
    [...read(file).matchAll(opener)].map(([line]) => `${file}: ${line.trim().split('\n')[0]}`),
  );
  assert.equal(found.join('\n'), '');
});

test('the start guide shows the Rust program that the crate compiles', () => {
  const [, program] = /^```rust\n(.*?)^```$/ms.exec(read('docs/start.md'));
  const comment = read('src/lib.rs').replace(/^\/\/! ?/gm, '');
  assert.ok(comment.includes(program), 'src/lib.rs has another one');
});

test('comments of the package begin with a noun or a verb', () => {
  const opener = /\/\*\*\s*(?:\*\s*)?(?:What|How|Where|Which|Whether|Of|Kept|When|That|Who|Whose|Why)\b.*/g;
  const found = files('pkg/src/*.ts')
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [...read(file).matchAll(opener)].map(([line]) => `${file}: ${line}`));
  assert.equal(found.join('\n'), '');
});

/** The ids of a page's headings, as GitHub and VitePress make them. */
function anchors(file) {
  const seen = new Map();
  return withoutCode(read(file))
    .split('\n')
    .filter((line) => /^#{1,6} /.test(line))
    .map((line) => {
      const text = line.replace(/^#+ /, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
      const id = text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-');
      const count = seen.get(id) ?? 0;
      seen.set(id, count + 1);
      return count === 0 ? id : `${id}-${count}`;
    });
}

test('links lead to files and headings', () => {
  const broken = [];
  for (const file of WRITTEN) {
    const text = withoutCode(read(file)).replace(/`[^`\n]*`/g, '');
    for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path, anchor] = target.split('#');
      const place = path === '' ? file : normalize(join(dirname(file), path));
      if (!existsSync(join(ROOT, place))) broken.push(`${file}: ${target}`);
      else if (anchor && place.endsWith('.md') && !anchors(place).includes(anchor)) broken.push(`${file}: ${target}`);
    }
  }
  assert.equal(broken.join('\n'), '');
});

/** The text of a declaration of the package; the formatter has its end in the first column. */
function declared(file, name) {
  const text = read(`pkg/src/${file}`);
  const found = new RegExp(`^export (?:interface ${name}\\b.*?^\\}|type ${name}\\b.*?;$)`, 'ms').exec(text);
  assert.ok(found, `${name} is not in ${file}`);
  return found[0];
}

/** The members of an interface that are not internal. */
function options(file, name) {
  const members = declared(file, name).matchAll(
    /^ {2}\/\*\*((?:(?!\*\/).)*)\*\/\n(?: {2}\/\/.*\n)* {2}(?:readonly )?(\w+)\??[(:]/gms,
  );
  const names = [...members].filter(([, comment]) => !comment.includes('@internal')).map(([, , member]) => member);
  assert.ok(names.length > 1, `${name} has members`);
  return names;
}

/** The texts that a type is one of. */
const texts = (file, name) => [...declared(file, name).matchAll(/'([\w-]+)'/g)].map(([, text]) => text);

/** Fails where a guide does not name each of some names as code. */
function named(file, names) {
  const text = read(file);
  const missing = names.filter((name) => !new RegExp(`\`[^\`\\n]*(?<![\\w-])${name}(?![\\w-])[^\`\\n]*\``).test(text));
  assert.equal(missing.join(', '), '', `${file} lacks ${missing.join(', ')}`);
}

test('guides name every option', () => {
  named('docs/javascript.md', options('types.ts', 'LoadOptions'));
  named('docs/javascript.md', options('types.ts', 'AddOptions'));
  named('docs/javascript.md', options('types.ts', 'DocumentInput'));
  named('docs/javascript.md', options('search-types.ts', 'SearchOptions'));
  named('docs/documents.md', options('types.ts', 'ChunkingOptions'));
  named('docs/asking.md', options('ask/types.ts', 'AskOptions'));
  named('docs/asking.md', options('ask/types.ts', 'Tool'));
  named('docs/providers.md', options('ask/model-types.ts', 'LlmOptions'));
  named('docs/privacy.md', options('ask/trust-types.ts', 'PiiOptions'));
  named('docs/privacy.md', options('ask/trust-types.ts', 'GuardOptions'));
});

test('guides name every code, flag and kind', () => {
  named('docs/javascript.md', texts('error.ts', 'ErrorCode'));
  named('docs/checking-answers.md', texts('ask/answer-types.ts', 'FlagKind'));
  named('docs/checking-answers.md', texts('ask/trust-types.ts', 'ClaimStatus'));
  named('docs/privacy.md', texts('ask/trust-types.ts', 'PiiKind'));
  named('docs/privacy.md', texts('ask/trust-types.ts', 'EmergencyCategory'));
  named('docs/asking.md', texts('ask/answer-types.ts', 'Policy'));
});

test('the guide names every entry point and what it exports', async () => {
  const { exports } = JSON.parse(read('pkg/package.json'));
  for (const [entry, target] of Object.entries(exports)) {
    if (typeof target !== 'object' || !target.types) continue;
    const name = join('ibid', entry);
    const declarations = read(join('pkg', target.types));
    const lists = [...declarations.matchAll(/^export \{([^}]*)\}/gms)].flatMap(([, list]) => list.split(','));
    const listed = lists.map((each) => each.trim()).filter((each) => each !== '' && !each.startsWith('type '));
    const own = [...declarations.matchAll(/^export declare (?:function|class|const) (\w+)/gm)].map(
      ([, value]) => value,
    );
    const values = [...listed, ...own];
    named('docs/javascript.md', [name, ...values]);
  }
});

test('the guide names every attribute, part and property of the elements', () => {
  const sources = files('pkg/src/ui/*.ts').filter((file) => !file.includes('.test.'));
  const code = sources.map(read).join('\n');
  const all = (pattern) => [...new Set([...code.matchAll(pattern)].map(([, name]) => name))];
  named(
    'docs/search-ui.md',
    all(/(?:get|has)Attribute\('([a-z-]+)'\)/g).filter((name) => !/^(?:aria|data|href)/.test(name)),
  );
  named('docs/search-ui.md', all(/\bpart: '([a-z-]+)'/g));
  named('docs/search-ui.md', all(/var\((--ibid-[a-z-]+)/g));
  named('docs/search-ui.md', all(/\.tell\('([a-z-]+)'/g));
});
