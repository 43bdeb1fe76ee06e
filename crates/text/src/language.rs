//! The probable language of a text: by its script, and among the languages of a script by their commonest words and
//! by letters that few of them have.
//!
//! The trigram tables of a crate such as `whatlang` tell 70 languages apart and weigh 68 KB more, gzip, in a module; these
//! are 2 KB, and a question says enough of its small words.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::script::Script;
use super::words::Words;
use ibid_platform::case::first_lower;
use ibid_platform::order;

/// The languages, one in a line: its tag and its commonest words (as [`Words`] folds them); behind a bar, more of them
/// that mean something in another; behind another bar, letters that tell it from most others of its script.
const LANGUAGES: &str = include_str!("languages.txt");

/// The number of languages in that table.
const COUNT: usize = 21;

/// The first languages of the table, those whose function words are well known.
pub const WELL_KNOWN: usize = 7;

/// The weight of a word that only one language has; others share it.
const WORD: u32 = 12;
/// The weight of a letter that is listed for a language, once a word.
const LETTER: u32 = 6;

/// The number of Latin letters that a character of Chinese, Japanese or Korean counts for, and a letter of any other script.
const DENSE: usize = 4;
const OTHER: usize = 3;

/// Returns the primary tag of BCP 47 of the language that a text is probably in, such as `en`; `None` if too
/// little is said to tell, in languages that are not known here, and in a mixture.
///
/// ```
/// # use ibid_text::language;
/// assert_eq!(language("Wie hoch ist die Dosis?"), Some("de"));
/// assert_eq!(language("日本語の文書"), Some("ja"));
/// assert_eq!(language("ISO 8601"), None);
/// ```
pub fn language(text: &str) -> Option<&'static str> {
    let prose = prose(text);
    detect(&prose, &Words::of(&prose)).0
}

/// A text without code, addresses and identifiers, which say nothing of a language: `com` is a word of Portuguese.
fn prose(text: &str) -> String {
    let is_code = |word: &str| {
        let inner = word.trim_matches(|c: char| c.is_ascii_punctuation());
        word.contains(['/', '\\', '_', '=', '@', '{', '}', '`']) || inner.contains(['.', ':', '(', '<'])
    };
    let mut prose = String::with_capacity(text.len());
    // Between fences is code.
    for part in text.split("```").step_by(2) {
        for word in part.split_whitespace().filter(|word| !word.is_ascii() || !is_code(word)) {
            prose.push_str(word);
            prose.push(' ');
        }
    }
    prose
}

/// The most texts that are looked at to tell a collection's language.
const SAMPLES: usize = 1000;

/// The share of the texts that one language needs to be called theirs, as a fraction.
const MOST: (usize, usize) = (3, 4);

/// The languages of a collection of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Languages {
    /// The most frequent one.
    pub first: &'static str,
    /// True when three quarters of the texts whose language can be told are in it.
    pub is_most: bool,
}

impl Languages {
    /// Returns true for a collection in English.
    pub fn is_english(self) -> bool {
        self.is_most && self.first == "en"
    }
}

/// Returns the languages of `count` texts, of which about a thousand are looked at; `None` if none tells its own.
pub fn languages<'a>(count: usize, texts: impl Iterator<Item = &'a str>) -> Option<Languages> {
    let mut votes: BTreeMap<&'static str, usize> = BTreeMap::new();
    for told in texts.step_by(count.div_ceil(SAMPLES).max(1)).filter_map(language) {
        *votes.entry(told).or_default() += 1;
    }
    // The first of several that are equally frequent, so that the same texts have the same language.
    let (&first, &count) = votes.iter().rev().max_by_key(|(_, count)| **count)?;
    let all: usize = votes.values().sum();
    Some(Languages { first, is_most: count * MOST.1 >= all * MOST.0 })
}

/// Returns the language of a text, and the script that most of its letters are of.
pub fn detect(text: &str, words: &Words) -> (Option<&'static str>, Option<Script>) {
    let mut counts = [0_usize; Script::ALL.len()];
    counts[Script::Latn as usize] = text.bytes().filter(u8::is_ascii_alphabetic).count();
    for char in text.chars().filter(|char| !char.is_ascii()) {
        if let Some(script) = Script::of(char) {
            // Names and terms in Latin letters stand among them, and a character of some says as much as several letters.
            counts[script as usize] += match script {
                Script::Latn => 1,
                Script::Hani | Script::Kana | Script::Hang => DENSE,
                _ => OTHER,
            };
        }
    }
    // A Japanese sentence may have more Han than Kana, and a Chinese one has no Kana.
    let kana = counts[Script::Kana as usize];
    let most = Script::ALL.into_iter().max_by_key(|&script| (counts[script as usize], script as usize));
    let Some(script) = most.filter(|&script| counts[script as usize] > 0) else { return (None, None) };
    let language = match script {
        Script::Latn | Script::Cyrl => by_words(text, words),
        Script::Grek => Some("el"),
        Script::Hebr => Some("he"),
        Script::Arab => Some(arabic(text)),
        Script::Deva => Some("hi"),
        Script::Beng => Some("bn"),
        Script::Taml => Some("ta"),
        Script::Thai => Some("th"),
        Script::Hang => Some("ko"),
        Script::Kana => Some("ja"),
        Script::Hani if kana * 10 > counts[Script::Hani as usize] => Some("ja"),
        Script::Hani => Some("zh"),
    };
    (language, Some(script))
}

/// Persian and Urdu have letters that Arabic has not.
fn arabic(text: &str) -> &'static str {
    if text.contains(['ٹ', 'ڈ', 'ڑ', 'ں', 'ے', 'ھ']) {
        "ur"
    } else if text.contains(['پ', 'چ', 'ژ', 'گ', 'ک', 'ی']) {
        "fa"
    } else {
        "ar"
    }
}

/// The languages of each word, as bits, by word; of those that mean nothing else; and of letters.
#[derive(Default)]
struct Lists {
    tags: Vec<&'static str>,
    words: Vec<(&'static str, u32)>,
    plain: Vec<(&'static str, u32)>,
    letters: Vec<(char, u32)>,
}

fn lists() -> &'static Lists {
    static LISTS: OnceLock<Lists> = OnceLock::new();
    LISTS.get_or_init(|| {
        let mut lists = Lists::default();
        for (at, line) in LANGUAGES.lines().enumerate() {
            let mut parts = line.split('|');
            let mut words = parts.next().unwrap_or_default().split(' ');
            lists.tags.extend(words.next());
            lists.plain.extend(words.clone().map(|word| (word, 1 << at)));
            let others = parts.next().unwrap_or_default().split(' ').filter(|word| !word.is_empty());
            lists.words.extend(words.chain(others).map(|word| (word, 1 << at)));
            lists.letters.extend(parts.flat_map(str::chars).map(|letter| (letter, 1 << at)));
        }
        lists.words = joined(lists.words);
        lists.plain = joined(lists.plain);
        lists.letters = joined(lists.letters);
        lists
    })
}

/// Returns the folded words that carry a sentence's grammar and little of what it says, in the well-known languages:
/// each with its languages as bits in the order of English, German, French, Spanish, Italian, Portuguese and Dutch.
pub fn function_words() -> impl Iterator<Item = (&'static str, u8)> {
    let well_known = |bits: u32| bits as u8 & ((1 << WELL_KNOWN) - 1);
    lists().plain.iter().map(move |(word, bits)| (*word, well_known(*bits))).filter(|(_, bits)| *bits > 0)
}

/// Joins the entries with one key as one.
fn joined<K: Ord>(mut entries: Vec<(K, u32)>) -> Vec<(K, u32)> {
    order::by(&mut entries, Ord::cmp);
    let mut out: Vec<(K, u32)> = Vec::with_capacity(entries.len());
    for (key, bits) in entries {
        match out.last_mut() {
            Some((last, all)) if *last == key => *all |= bits,
            _ => out.push((key, bits)),
        }
    }
    out
}

fn by_words(text: &str, words: &Words) -> Option<&'static str> {
    let lists = lists();
    let mut scores = [0_u32; COUNT];
    let mut count = |bits: u32, worth: u32| {
        let share = worth / bits.count_ones().max(1);
        for (bit, score) in scores.iter_mut().enumerate() {
            if bits & (1 << bit) != 0 {
                *score = score.saturating_add(share.max(1));
            }
        }
    };
    for index in 0..words.count() {
        let word = words.get(index);
        if let Ok(at) = lists.words.binary_search_by(|(listed, _)| (*listed).cmp(word)) {
            count(lists.words[at].1, WORD);
        }
    }
    for char in text.chars().filter(|char| !char.is_ascii()) {
        let lower = first_lower(char);
        if let Ok(at) = lists.letters.binary_search_by_key(&lower, |&(letter, _)| letter) {
            count(lists.letters[at].1, LETTER);
        }
    }
    let best = (0..scores.len()).max_by_key(|&index| scores[index])?;
    let next = (0..scores.len()).filter(|&index| index != best).map(|index| scores[index]).max()?;
    // One shared word is no evidence, and neither is a draw.
    (scores[best] > next && scores[best] >= WORD / 2).then(|| lists.tags.get(best).copied()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_code_say_nothing() {
        let links = "[a](https://a.example.com/) por.com e.com com.example.org `com` ";
        assert_eq!(language(links), None);
        assert_eq!(language(&format!("{}Read this before you begin.", links.repeat(9))), Some("en"));
        assert_eq!(language("```\nnao que por com uma\n```\nThis is what you do with it."), Some("en"));
    }

    #[test]
    fn questions_in_many_languages() {
        for (tag, text) in [
            ("en", "What is the maximum dose for children?"),
            ("en", "How do I write a SELECT with UNION?"),
            ("de", "Wie hoch ist die Höchstdosis bei Kindern?"),
            ("de", "Welche Nebenwirkungen hat das Medikament?"),
            ("fr", "Quelle est la dose maximale pour un enfant ?"),
            ("fr", "Comment installer le module sur mon ordinateur ?"),
            ("es", "¿Cuál es la dosis máxima para niños?"),
            ("es", "Como se instala el programa en mi ordenador"),
            ("pt", "Qual é a dose máxima para crianças?"),
            ("pt", "Como posso instalar o programa no meu computador?"),
            ("it", "Qual è la dose massima per i bambini?"),
            ("it", "Come si installa il programma sul mio computer?"),
            ("nl", "Wat is de maximale dosis voor kinderen?"),
            ("sv", "Vad är den högsta dosen för barn?"),
            ("da", "Hvad er den højeste dosis til børn?"),
            ("nb", "Hva er den høyeste dosen for barn av dette?"),
            ("fi", "Mikä on suurin annos lapsille?"),
            ("pl", "Jaka jest maksymalna dawka dla dzieci?"),
            ("cs", "Jaká je maximální dávka pro děti?"),
            ("ro", "Care este doza maximă pentru copii?"),
            ("hu", "Mennyi a maximális adag gyermekeknek?"),
            ("tr", "Çocuklar için en yüksek doz nedir?"),
            ("id", "Berapa dosis maksimum untuk anak?"),
            ("vi", "Liều tối đa cho trẻ em là bao nhiêu?"),
            ("ru", "Какая максимальная доза для детей?"),
            ("uk", "Яка максимальна доза для дітей?"),
            ("bg", "Каква е максималната доза за деца?"),
            ("el", "Ποια είναι η μέγιστη δόση;"),
            ("he", "מהי המנה המרבית לילדים?"),
            ("ar", "ما هي الجرعة القصوى للأطفال؟"),
            ("fa", "حداکثر دوز برای کودکان چیست؟"),
            ("ur", "بچوں کے لیے زیادہ سے زیادہ خوراک کیا ہے؟"),
            ("hi", "बच्चों के लिए अधिकतम खुराक क्या है?"),
            ("hi", "Ubuntu server पर Docker Compose install करने के लिए terminal खोलें"),
            ("en", "The greeting नमस्ते is what you say when you meet somebody in this country."),
            ("bn", "শিশুদের সর্বোচ্চ মাত্রা কত?"),
            ("ta", "குழந்தைகளுக்கான அளவு என்ன?"),
            ("th", "ขนาดยาสูงสุดสำหรับเด็กคือเท่าไร"),
            ("ko", "어린이의 최대 용량은 얼마입니까?"),
            ("ja", "子供の最大用量はいくつですか"),
            ("zh", "儿童的最大剂量是多少"),
        ] {
            assert_eq!(language(text), Some(tag), "{text}");
        }
    }

    #[test]
    fn a_collection_has_the_language_of_three_quarters() {
        let (english, german) = ("How is the dose of this?", "Wie hoch ist die Dosis?");
        let of = |texts: &[&str]| languages(texts.len(), texts.iter().copied());
        assert_eq!(of(&[german, german, "42", english]), Some(Languages { first: "de", is_most: false }));
        assert_eq!(of(&[english, english, german, english]), Some(Languages { first: "en", is_most: true }));
        assert_eq!(of(&["42", ""]), None);
    }

    #[test]
    fn too_little_is_no_language() {
        for text in ["", "42 mg/kg", "amoxicillin", "→ ✓ 👍", "CSS"] {
            assert_eq!(language(text), None, "{text}");
        }
    }

    #[test]
    fn lists_are_folded_as_words_are() {
        let lists = lists();
        assert_eq!(
            (lists.tags.len(), &lists.tags[..WELL_KNOWN]),
            (COUNT, &["en", "de", "fr", "es", "it", "pt", "nl"][..])
        );
        for (word, _) in &lists.words {
            assert_eq!(Words::of(word).get(0), *word);
        }
        // What means something in English is only guessed by.
        let bits = |word: &str| function_words().find(|(listed, _)| *listed == word).map(|(_, bits)| bits);
        assert_eq!((bits("the"), bits("comment"), bits("och")), (Some(1), None, None));
    }
}
