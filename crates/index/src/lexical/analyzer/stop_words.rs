//! Words that say nothing about what a text is about.

use super::language::Language;

/// Whether a word, in lower case, is so frequent in its language that two texts that share it share nothing.
///
/// The lists are short on purpose: articles, pronouns, the commonest prepositions, conjunctions and auxiliaries, and the
/// words that begin a question. A word that is missing costs little, since a frequent word weighs little by its
/// inverse document frequency; a word too many could be one that a query is about.
pub(super) fn is_stop_word(language: Language, word: &str) -> bool {
    // Longer ones are in no list.
    word.len() <= 24 && list(language).binary_search(&word).is_ok()
}

const ARABIC: &[&str] = &[
    "أن", "أو", "إلى", "إن", "التي", "الذي", "ثم", "ذلك", "على", "عن", "في", "قد", "كان", "كل", "كما", "كيف",
    "لا", "لم", "لن", "ما", "ماذا", "مع", "من", "هذا", "هذه", "هل", "هو", "هي", "و", "يا",
];
const DANISH: &[&str] = &[
    "af", "at", "da", "de", "dem", "den", "der", "det", "du", "efter", "eller", "en", "er", "et", "for",
    "fra", "han", "har", "hun", "hvad", "hvem", "hvis", "hvor", "hvordan", "hvornår", "i", "ikke", "jeg",
    "kan", "man", "med", "men", "og", "også", "om", "på", "sig", "skal", "som", "til", "ud", "var", "ved",
    "vi", "vil",
];
const GERMAN: &[&str] = &[
    "als", "am", "an", "auch", "auf", "aus", "bei", "bin", "das", "dass", "dem", "den", "der", "des", "die",
    "dies", "diese", "dieser", "dieses", "du", "durch", "ein", "eine", "einem", "einen", "einer", "eines",
    "er", "es", "für", "hat", "ich", "ihr", "im", "in", "ist", "kann", "man", "mit", "nach", "nicht", "oder",
    "sein", "sich", "sie", "sind", "so", "um", "und", "von", "vor", "wann", "war", "warum", "was", "welche",
    "welcher", "welches", "wer", "werden", "wie", "wir", "wird", "wo", "zu", "zum", "zur", "über",
];
const GREEK: &[&str] = &[
    "ένα",
    "ένας",
    "ή",
    "από",
    "για",
    "δεν",
    "είναι",
    "ενός",
    "η",
    "θα",
    "και",
    "με",
    "μια",
    "να",
    "ο",
    "οι",
    "που",
    "πως",
    "πότε",
    "πώς",
    "σε",
    "στα",
    "στη",
    "στην",
    "στις",
    "στο",
    "στον",
    "τα",
    "τη",
    "την",
    "της",
    "τι",
    "τις",
    "το",
    "τον",
    "του",
    "τους",
    "των",
    "ως",
];
const ENGLISH: &[&str] = &[
    "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "if",
    "in", "into", "is", "it", "its", "may", "me", "my", "no", "not", "of", "on", "or", "our", "shall", "she",
    "should", "so", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "to", "was", "we", "were", "what", "when", "where", "which", "who", "whom", "whose", "why", "will",
    "with", "would", "you", "your",
];
const SPANISH: &[&str] = &[
    "a", "al", "como", "con", "cuando", "cuál", "cuándo", "cómo", "de", "del", "donde", "dónde", "e", "el",
    "ella", "en", "entre", "es", "esta", "este", "esto", "fue", "ha", "hay", "la", "las", "le", "les", "lo",
    "los", "me", "mi", "más", "no", "o", "para", "pero", "por", "que", "quién", "qué", "se", "ser", "si",
    "sin", "sobre", "son", "su", "sus", "también", "un", "una", "y", "ya",
];
const FINNISH: &[&str] = &[
    "ei", "eli", "että", "he", "hän", "ja", "joka", "jos", "jotka", "kanssa", "koska", "kuin", "kuinka",
    "kun", "me", "miksi", "mikä", "milloin", "minä", "missä", "miten", "mitä", "mutta", "myös", "ne", "niin",
    "nämä", "ole", "oli", "on", "ovat", "sai", "se", "sekä", "sen", "sinä", "tai", "te", "tämä", "voi",
];
const FRENCH: &[&str] = &[
    "a", "au", "aux", "avec", "ce", "ces", "cette", "comment", "dans", "de", "des", "du", "elle", "en",
    "est", "et", "il", "ils", "je", "la", "le", "les", "leur", "lui", "mais", "ne", "nous", "on", "ont",
    "ou", "où", "par", "pas", "plus", "pour", "pourquoi", "quand", "que", "quel", "quelle", "quelles",
    "quels", "qui", "quoi", "sa", "se", "ses", "son", "sont", "sur", "un", "une", "vous", "y", "à", "été",
    "être",
];
const HUNGARIAN: &[&str] = &[
    "a", "az", "be", "csak", "de", "egy", "el", "ez", "ezt", "ha", "hogy", "hogyan", "hol", "is", "ki",
    "lehet", "meg", "mert", "mi", "mikor", "milyen", "mint", "mit", "már", "ne", "nem", "s", "vagy", "van",
    "volt", "és",
];
const ITALIAN: &[&str] = &[
    "a", "ai", "al", "alla", "alle", "anche", "che", "chi", "come", "con", "cosa", "da", "dal", "dalla",
    "dei", "del", "della", "delle", "di", "dove", "e", "ed", "gli", "ha", "i", "il", "in", "io", "la", "le",
    "lo", "ma", "nel", "nella", "non", "o", "per", "perché", "più", "quale", "quali", "quando", "questa",
    "questo", "se", "si", "sono", "su", "sul", "sulla", "un", "una", "uno", "è",
];
const DUTCH: &[&str] = &[
    "aan", "al", "als", "bij", "dan", "dat", "de", "deze", "die", "dit", "door", "een", "en", "er", "had",
    "heeft", "het", "hij", "hoe", "ik", "in", "is", "je", "kan", "maar", "met", "na", "naar", "niet", "nog",
    "of", "om", "ook", "op", "over", "te", "tot", "uit", "van", "voor", "waar", "waarom", "wanneer", "was",
    "wat", "we", "welke", "wie", "wordt", "ze", "zich", "zijn",
];
const NORWEGIAN: &[&str] = &[
    "at", "av", "da", "de", "den", "der", "det", "du", "eller", "en", "er", "et", "etter", "for", "fra",
    "han", "har", "hun", "hva", "hvem", "hvis", "hvor", "hvordan", "hvorfor", "i", "ikke", "jeg", "kan",
    "man", "med", "men", "når", "og", "også", "om", "på", "seg", "skal", "som", "til", "var", "ved", "vi",
    "vil",
];
const PORTUGUESE: &[&str] = &[
    "a", "ao", "aos", "as", "com", "como", "da", "das", "de", "do", "dos", "e", "ela", "ele", "em", "entre",
    "essa", "esse", "esta", "este", "eu", "foi", "há", "isso", "já", "mais", "mas", "na", "nas", "no", "nos",
    "não", "o", "onde", "os", "ou", "para", "pela", "pelo", "por", "quais", "qual", "quando", "que", "quem",
    "se", "sem", "ser", "seu", "sua", "são", "também", "um", "uma", "à", "às", "é",
];
const ROMANIAN: &[&str] = &[
    "a", "al", "ale", "am", "ar", "are", "au", "ca", "care", "ce", "cine", "cu", "cum", "când", "da", "dar",
    "de", "din", "după", "ea", "el", "este", "eu", "fi", "fost", "i", "la", "mai", "mult", "nu", "o", "pe",
    "pentru", "prin", "sau", "se", "sunt", "să", "un", "una", "unde", "unei", "unui", "va", "în", "și",
];
const RUSSIAN: &[&str] = &[
    "а",
    "без",
    "бы",
    "был",
    "была",
    "были",
    "было",
    "в",
    "вы",
    "где",
    "для",
    "до",
    "его",
    "если",
    "есть",
    "ещё",
    "же",
    "за",
    "и",
    "из",
    "или",
    "их",
    "к",
    "как",
    "какая",
    "какие",
    "какой",
    "ко",
    "когда",
    "кто",
    "ли",
    "мы",
    "на",
    "не",
    "но",
    "о",
    "об",
    "он",
    "она",
    "они",
    "от",
    "по",
    "почему",
    "при",
    "с",
    "со",
    "так",
    "то",
    "у",
    "уже",
    "что",
    "чтобы",
    "это",
    "этот",
    "я",
];
const SWEDISH: &[&str] = &[
    "att", "av", "de", "dem", "den", "det", "du", "där", "efter", "eller", "en", "ett", "från", "för", "han",
    "har", "hon", "hur", "här", "i", "inte", "jag", "kan", "man", "med", "men", "när", "och", "också", "om",
    "på", "sig", "ska", "som", "till", "ut", "vad", "var", "varför", "vem", "vi", "vid", "vilka", "vilken",
    "vilket", "är",
];
const TAMIL: &[&str] = &[
    "அது",
    "அந்த",
    "அவர்",
    "ஆகும்",
    "இது",
    "இந்த",
    "இல்லை",
    "உள்ள",
    "எந்த",
    "என",
    "என்ன",
    "என்று",
    "எப்படி",
    "ஒரு",
    "மற்றும்",
];
const TURKISH: &[&str] = &[
    "ama", "bir", "bu", "da", "daha", "de", "değil", "en", "gibi", "hangi", "her", "ile", "ise", "için",
    "kadar", "ki", "kim", "mi", "mı", "nasıl", "ne", "neden", "nerede", "o", "olan", "olarak", "var", "ve",
    "veya", "ya", "çok", "şu",
];

fn list(language: Language) -> &'static [&'static str] {
    match language {
        Language::None => &[],
        Language::Arabic => ARABIC,
        Language::Danish => DANISH,
        Language::German => GERMAN,
        Language::Greek => GREEK,
        Language::English => ENGLISH,
        Language::Spanish => SPANISH,
        Language::Finnish => FINNISH,
        Language::French => FRENCH,
        Language::Hungarian => HUNGARIAN,
        Language::Italian => ITALIAN,
        Language::Dutch => DUTCH,
        Language::Norwegian => NORWEGIAN,
        Language::Portuguese => PORTUGUESE,
        Language::Romanian => ROMANIAN,
        Language::Russian => RUSSIAN,
        Language::Swedish => SWEDISH,
        Language::Tamil => TAMIL,
        Language::Turkish => TURKISH,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_as_the_search_needs() {
        for language in Language::ALL {
            let words = list(language);
            assert!(words.is_sorted_by(|a, b| a < b), "{language}: {words:?}");
            assert!(words.iter().all(|word| word.len() <= 24 && is_stop_word(language, word)));
        }
        assert!(!is_stop_word(Language::English, "dose") && !is_stop_word(Language::None, "the"));
    }
}
