//! The script of a letter.

use serde::{Deserialize, Serialize};

/// A script, by its code of ISO 15924.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
#[non_exhaustive]
#[allow(missing_docs, reason = "each is the code of a script, and says no more than that")]
pub enum Script {
    Latn,
    Grek,
    Cyrl,
    Hebr,
    Arab,
    Deva,
    Beng,
    Taml,
    Thai,
    Hang,
    Kana,
    Hani,
}

impl Script {
    /// All of them, as they are numbered.
    pub(super) const ALL: [Self; 12] = [
        Self::Latn,
        Self::Grek,
        Self::Cyrl,
        Self::Hebr,
        Self::Arab,
        Self::Deva,
        Self::Beng,
        Self::Taml,
        Self::Thai,
        Self::Hang,
        Self::Kana,
        Self::Hani,
    ];

    /// Returns the script of a letter; `None` for what is no letter, or of a script that is not known here. Ranges
    /// are whole blocks, which is coarser than Unicode's property and needs no table.
    pub fn of(char: char) -> Option<Self> {
        Some(match char {
            'a'..='z' | 'A'..='Z' => Self::Latn,
            'ª' | 'º' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' if char != '×' && char != '÷' => {
                Self::Latn
            }
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Self::Grek,
            '\u{400}'..='\u{52f}' => Self::Cyrl,
            '\u{5d0}'..='\u{5f4}' => Self::Hebr,
            '\u{620}'..='\u{65f}' | '\u{66e}'..='\u{6d3}' | '\u{6fa}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => {
                Self::Arab
            }
            '\u{900}'..='\u{97f}' => Self::Deva,
            '\u{980}'..='\u{9ff}' => Self::Beng,
            '\u{b80}'..='\u{bff}' => Self::Taml,
            '\u{e00}'..='\u{e7f}' => Self::Thai,
            '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7a3}' => Self::Hang,
            '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => Self::Kana,
            '\u{3005}'..='\u{3007}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{2_0000}'..='\u{3_ffff}' => Self::Hani,
            _ => return None,
        })
    }
}

/// Says whether a character is of Han or Kana, in which a word's end is not written.
pub fn is_single(char: char) -> bool {
    char >= '\u{3005}' && matches!(Script::of(char), Some(Script::Hani | Script::Kana))
}

/// Says whether a character is of a script without spaces between words: Thai, Lao, Burmese, Khmer, Han and Kana.
pub fn is_unspaced(char: char) -> bool {
    matches!(char, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
        || is_single(char)
}

/// Returns the Latin letter, in lower case, that a Cyrillic or Greek one looks like. Greek letters that science
/// writes next to Latin ones, as in `TNFα`, are not among them.
pub fn alike_latin(char: char) -> Option<char> {
    const CYRILLIC: &str = "аaеeоoрpсcхxуyіiјjѕsһhԁdԛqԝwѵvАaВbЕeКkМmНhОoРpСcТtХxУyІiЈjЅs";
    const GREEK: &str = "οoνvΑaΒbΕeΖzΗhΙiΚkΜmΝnΟoΡpΤtΥyΧx";
    let table = match char {
        '\u{370}'..='\u{3ff}' => GREEK,
        '\u{400}'..='\u{52f}' => CYRILLIC,
        _ => return None,
    };
    let at = table.find(char)?;
    table[at + char.len_utf8()..].chars().next()
}
