// Made texts for train.mjs: the letters of the world, the ways in which words and numbers are written, and a collection
// larger than most sites. They are the same on every run.

/** What words of other languages, symbols and numbers are written with, as first and last code points. */
const WRITINGS = [
  [0x21, 0x7e],
  [0xa1, 0x17f],
  [0x180, 0x2af],
  [0x370, 0x3ff],
  [0x400, 0x52f],
  [0x531, 0x586],
  [0x5d0, 0x5ea],
  [0x620, 0x66f],
  [0x904, 0x96f],
  [0xe01, 0xe5b],
  [0x10a0, 0x10ff],
  [0x1e00, 0x1fff],
  [0x2010, 0x2044],
  [0x2070, 0x209c],
  [0x2100, 0x218b],
  [0x2460, 0x24ff],
  [0x3041, 0x30ff],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0xfb00, 0xfb06],
  [0xff01, 0xff9f],
  [0x1d400, 0x1d7ff],
  [0x1f300, 0x1f6ff],
];

/** Ways of writing a word. */
const SPELLINGS = [
  (word) => word,
  (word) => word,
  (word) => word,
  (word) => word.toUpperCase(),
  (word) => `${word}’s`,
  (word) => `'${word}'s`,
  (word) => `“${word}”`,
  (word) => `non-${word}-${word}`,
  (word) => `${word}_${word}`,
  (word) => `${word}.${word}()`,
  (word) => `--${word}=${word.length}`,
  (word) => `${word}/${word}.html#${word}`,
  (word) => `https://example.org/${word}?a=${word.length}`,
  (word) => `${word}@example.org`,
  (word) => word.replace(/[aeou]/g, (vowel) => `${vowel}\u0308`),
  (word) => `α-${word}`,
  (word) => `${word}β`,
  (word) => `${word.length},${word.length * 111}.5 µg`,
  (word) => `0,${word.length} ${word.length}½ ${word.length}² H₂O`,
  (word) => `${word.length}%, ${word.length}/7 ${word.length}:30 v${word.length}.0.1`,
  (word) => `U.S. e.g. ${word}...`,
  (word) => word.repeat(9),
];

/** What stands before and behind a text: letters and spaces of every length in UTF-8, and what ends a sentence. */
const ENDS = [
  '',
  '?',
  '？',
  ' ',
  '\u00a0',
  '\u2003',
  '\u3000',
  'é',
  'Ж',
  '。',
  '…',
  '語',
  '😀',
  '𝒙',
  '½',
  ' 1/2',
  ' ٣/٤',
  '３／４',
  "'s",
  ' "',
  '”',
];
const QUESTIONS = 150;

/** Numbers below `end`, one after the other (a linear congruential generator). */
function numbers(seed) {
  let state = seed;
  return (end) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

/** Lines of words, some of them of `known`, which fill a record or a question of that many words. */
function lines(count, known, next, length) {
  const written = () => {
    const [first, last] = WRITINGS[next(WRITINGS.length)];
    return String.fromCodePoint(...Array.from({ length: 1 + next(7) }, () => first + next(last + 1 - first)));
  };
  const word = (odd) => {
    if (next(odd) === 0) return written();
    // The first words come most often, as they do in any language.
    const own = known[Math.floor(known.length ** (next(1e6) / 1e6)) - 1];
    return next(odd) === 0 ? SPELLINGS[next(SPELLINGS.length)](own) : own;
  };
  return Array.from({ length: count }, (_, at) => {
    const odd = at % 2 === 0 ? 30 : 3;
    const text = Array.from({ length: length(next) }, () => word(odd)).join(next(9) === 0 ? '. ' : ' ');
    return ENDS[at % ENDS.length] + text + ENDS[next(ENDS.length)];
  });
}

/** Returns `count` records in JSON lines, with fields of every type. */
export function records(count, known) {
  const next = numbers(1);
  const texts = lines(count, known, next, (next) => 5 + next(40));
  const record = (text, at) => ({
    _id: `${at}`,
    title: text.slice(0, next(40)),
    text,
    chapter: `${at % 300}`,
    tags: known.slice(at % 50, (at % 50) + next(4)),
    year: 1900 + next(130),
    weight: next(1000) / 7,
    reviewed: `20${10 + next(16)}-0${1 + next(9)}-1${next(10)}`,
    draft: next(9) === 0,
    // As many fields as a generator's front matter may have.
    ...Object.fromEntries(Array.from({ length: 14 }, (_, field) => [`field${field}`, `${at % (field + 1)}`])),
  });
  return texts.map((text, at) => `${JSON.stringify(record(text, at))}\n`).join('');
}

/** Questions of few words and of many. */
export function questions(known) {
  return lines(QUESTIONS, known, numbers(2), (next) => 1 + next(next(8) === 0 ? 90 : 9));
}

/** A page of each of some languages, with how somebody asks about it. */
export const LANGUAGES = {
  en: {
    page: '# Tea\n\nGreen tea steeps for two minutes at 80 degrees.\n\n## Milk\n\nNobody adds it.\n',
    question: 'green tea',
  },
  de: {
    page: '# Häuser\n\nDie Häuser wurden gebaut.\n\n## Dächer\n\nSie sind rot.\n',
    question: 'Wie werden Häuser gebaut?',
  },
  zh: { page: '# 绿茶\n\n绿茶要泡多久？绿茶在八十度的水里浸泡两分钟。\n', question: '绿茶要泡多久？' },
  ja: { page: '# 灯台\n\n灯台は海を照らします。\n\n## 高さ\n\n高さは30メートルです。\n', question: '灯台の高さは？' },
  ar: {
    page: '# المنارة\n\nتضيء المنارة البحر للسفن.\n\n## الارتفاع\n\nارتفاعها ٣٠ متراً.\n',
    question: 'ما ارتفاع المنارة؟',
  },
  es: {
    page: '# El faro\n\nEl faro ilumina el mar.\n\n## Años\n\nTiene 30 años.\n',
    question: '¿Cuántos años tiene el faro?',
  },
  ru: {
    page: '# Маяк\n\nМаяк освещает море.\n\n## Высота\n\nЕго высота 30 метров.\n',
    question: 'Какова высота маяка?',
  },
  el: {
    page: '# Ο φάρος\n\nΟ φάρος φωτίζει τη θάλασσα.\n\n## Ύψος\n\nΈχει ύψος 30 μέτρα.\n',
    question: 'Τι ύψος έχει ο φάρος;',
  },
  tr: {
    page: '# Deniz feneri\n\nIşığı denizi aydınlatır.\n\n## Yükseklik\n\n30 metredir.\n',
    question: 'FENERİN yüksekliği?',
  },
  ko: { page: '# 등대\n\n등대는 바다를 비춥니다.\n\n## 높이\n\n높이는 30미터입니다.\n', question: '등대의 높이는?' },
  hi: { page: '# प्रकाशस्तंभ\n\nयह समुद्र को रोशन करता है।\n\n## ऊँचाई\n\nऊँचाई 30 मीटर है।\n', question: 'ऊँचाई कितनी है?' },
  th: { page: '# ประภาคาร\n\nประภาคารส่องสว่างทะเล\n\n## ความสูง\n\nสูง 30 เมตร\n', question: 'ประภาคารสูงเท่าไร' },
};
