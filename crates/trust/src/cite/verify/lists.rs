//! What is known of words beforehand.

use std::collections::HashMap;
use std::sync::OnceLock;

/// Words that carry a sentence's grammar and little of what it says, by language. Which of them a text has tells its
/// language, too.
const FUNCTION_WORDS: &[(&str, &str)] = &[
    (
        "en",
        "the of and to in is are was were be been being it its that this these those for with as on at by an from or \
         which who whom whose has have had not but he she his her him they their them we our you your i my me if then \
         than so such into about can could may might should would will shall do does did when where while what how \
         there also some any all more most other only very just because between through during before after both each \
         too own same no nor up out over under again once here why a am us",
    ),
    (
        "de",
        "der die das und ist nicht von den dem des mit sich auf fur ein eine einer eines einem einen als auch es bei wird \
         werden wurde sind sie er ich wir ihr oder aber wenn nach aus zum zur durch kann hat haben war noch nur dass wie \
         im am um bis uber unter vor sein seine ihre",
    ),
    (
        "fr",
        "le la les des et est dans que qui une pour pas par sur au aux avec ce cette ces il elle ils elles sont ne se \
         plus ou mais si leur leurs son ses sa du de un en nous vous etre ont fait comme sans",
    ),
    (
        "es",
        "el los las y es en que una por para con no se su sus al lo como mas pero sin sobre entre cuando muy este esta \
         estos estas ser son fue ha han hay tambien ya porque desde hasta del",
    ),
    (
        "it",
        "il gli di che e un una per non con sono del della dei delle nel nella al alla come anche piu ma se questo questa \
         essere ha hanno si da su tra loro suo sua dal dalla",
    ),
    (
        "pt",
        "o os as e um uma para com nao por mais dos das no na nos nas ao aos ou seu sua que como mas foi ele ela sao tem \
         ser pela pelo isso esta entre quando muito tambem do da",
    ),
    (
        "nl",
        "het een van en dat niet zijn voor met op aan door ook maar bij naar uit worden wordt werd kan heeft hebben deze \
         dit als om te er nog wel geen over",
    ),
];

/// English words so common that sharing them says less than sharing others.
const COMMON: &str = "\
accord add age agree allow amount appear area ask away back become began begin believe best better big body bring build \
call came carry case cause certain change child children city claim clear close come common company complete consider \
contain continue country course create current day decide describe develop different early effect end enough even event ever \
every example face fact family far feature feel few final find first follow form found free full further gave general get give \
go good got great group grow hand happen help high hold home hour however house human idea important include increase \
individual information instead interest involve issue keep kind know known large last late later lead learn least leave left \
less level life like likely line list little live local long look lot low made main make man many mean member men method might \
money month move much must name national near need never new next night note number occur off offer often old one open order \
part particular patient people per perform period person place plan play point popular possible present president problem \
process produce program provide public put question rather read real reason receive recent record refer relate release remain \
report require result return right role run said saw say school second see seem serve service set several show side significant \
similar since small social start state still stop story study subject sure system take talk team tell term thing think \
third though three time today together took top toward town try turn two type understand until use usual various want war \
water way week well went whether within without woman women word work world write year yet young";

/// Pairs of which one word says the opposite of the other.
const OPPOSITES: &str = "\
increase decrease|increase reduce|increase decline|increase fall|raise lower|rise fall|rise drop|higher lower|high low|more less|\
more fewer|before after|above below|over under|early late|earlier later|first last|maximum minimum|most least|longer shorter|\
larger smaller|older younger|faster slower|better worse|improve worsen|gain lose|win lose|won lost|start stop|begin end|\
begin stop|open close|allow forbid|allow prohibit|permit prohibit|accept reject|accept refuse|accept decline|approve reject|\
approve deny|enable disable|include exclude|add remove|safe unsafe|safe dangerous|effective ineffective|likely unlikely|\
possible impossible|positive negative|male female|left right|north south|east west|buy sell|acute chronic|oral intravenous|\
always never|recommended discouraged|indicated contraindicated|hot cold|warm cool|inside outside|internal external|upper lower|\
adult child|systolic diastolic|hypertension hypotension|hyperglycemia hypoglycemia|tachycardia bradycardia|strong weak|support oppose|\
enter leave|arrive depart|import export|public private|legal illegal|guilty innocent|encourage discourage|activate deactivate|\
inhibit stimulate|inhibit promote|expand shrink|ascending descending|inbound outbound|earn spend|import export";

/// Words behind which what follows is denied.
const DENIALS: &str = "not no never without cannot neither nor none nobody nothing hardly scarcely rarely avoid avoids avoided \
avoiding lack lacks lacked lacking fail fails failed refuse refuses refused deny denies denied absent nicht kein keine keinen keiner \
keinem ohne nie niemals pas jamais sans aucun aucune sin nunca ningun ninguna jamas nao nem sem senza mai niet geen zonder non \
ne ни не без нет";

/// Words that deny what stands before them in the clause: "is contraindicated".
const BACKWARD: &str = "contraindicated prohibited forbidden discouraged kontraindiziert";

/// Endings by which names of drugs are told from other rare words.
const DRUG_ENDINGS: &[&str] = &[
    "cillin",
    "mycin",
    "micin",
    "floxacin",
    "cycline",
    "azole",
    "statin",
    "sartan",
    "prazole",
    "tidine",
    "dipine",
    "olol",
    "mab",
    "nib",
    "vir",
    "parin",
    "gliptin",
    "gliflozin",
    "glutide",
    "formin",
    "thiazide",
    "semide",
    "pril",
    "oxetine",
    "pine",
    "zepam",
    "zolam",
    "barbital",
    "caine",
    "codone",
    "morphone",
    "profen",
    "triptan",
    "setron",
    "steride",
    "lukast",
    "terol",
    "tropium",
    "sone",
    "solone",
    "onide",
    "platin",
    "rubicin",
    "taxel",
    "trexate",
    "zumab",
    "ximab",
    "quine",
    "artemether",
    "lumefantrine",
    "amine",
    "zolid",
    "penem",
    "cef",
    "bactam",
];

/// What is known of words.
pub(super) struct Lists {
    known: HashMap<&'static str, Known>,
}

/// What is known of a word.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// A bit for each language in which it is a function word.
    pub(super) languages: u8,
    pub(super) denies: bool,
    pub(super) denies_backward: bool,
}

impl Lists {
    /// The lists, which are read once.
    pub(super) fn all() -> &'static Self {
        static LISTS: OnceLock<Lists> = OnceLock::new();
        LISTS.get_or_init(Self::new)
    }

    fn new() -> Self {
        let mut known: HashMap<&'static str, Known> = HashMap::new();
        for (at, (_, words)) in FUNCTION_WORDS.iter().enumerate() {
            for word in words.split_ascii_whitespace() {
                known.entry(word).or_default().languages |= 1 << at;
            }
        }
        for word in DENIALS.split_ascii_whitespace() {
            known.entry(word).or_default().denies = true;
        }
        for word in BACKWARD.split_ascii_whitespace() {
            known.entry(word).or_default().denies_backward = true;
        }
        Self { known }
    }

    pub(super) fn get(&self, word: &str) -> Known {
        self.known.get(word).copied().unwrap_or_default()
    }
}

/// Common words, folded.
pub(super) fn common() -> impl Iterator<Item = &'static str> {
    COMMON.split_ascii_whitespace()
}

/// Pairs of opposites.
pub(super) fn opposites() -> impl Iterator<Item = (&'static str, &'static str)> {
    OPPOSITES.split('|').filter_map(|pair| pair.trim().split_once(' '))
}

/// Whether a folded word ends as names of drugs do.
pub(super) fn is_drug(word: &str) -> bool {
    word.len() >= 7 && DRUG_ENDINGS.iter().any(|ending| word.ends_with(ending))
}

/// How many languages there are.
pub(super) const LANGUAGES: usize = FUNCTION_WORDS.len();

// Each has a bit.
const _: () = assert!(LANGUAGES <= 8);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_folded_and_paired() {
        let words =
            FUNCTION_WORDS.iter().flat_map(|(_, words)| words.split_ascii_whitespace()).chain(common());
        for word in words {
            assert!(word.bytes().all(|byte| byte.is_ascii_lowercase()), "{word}");
        }
        assert!(opposites().all(|(one, other)| one != other && !other.contains(' ')));
    }
}
