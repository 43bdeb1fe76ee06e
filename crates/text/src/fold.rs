//! One character for all that are read as it, by one table of Latin letters.

use ibid_platform::case;

/// The plain letter of each Latin letter from U+00C0, of which `.` has none. Those in capitals are two letters.
const LATIN: &[u8; 400] = b"aaaaaaAceeeeiiiidnooooo.ouuuuyTSaaaaaaAceeeeiiiidnooooo.ouuuuyTy\
aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiIIjjkkklllllll\
lllnnnnnnnnnooooooOOrrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs\
................................oo.............uu...............\
.............aaiioouuuuuuuuuu.aaaaAA..ggkkoooo..j...gg..nnaaAAoo\
aaaaeeeeiiiioooorrrruuuusstt..hh......aaeeooooooooyy............\
................";

/// The same from U+1E00.
const LATIN_ADDITIONAL: &[u8; 256] = b"aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm\
mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv\
wwwwwwwwwwxxxxyyzzzzzzhtwy.s..S.aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee\
eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy......";

/// The zeros of the scripts that have digits of their own; the other nine follow each of them.
const ZEROS: [u32; 20] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20,
    0x1040, 0x17e0, 0x1810, 0xff10, 0xa620,
];

/// Hands a character to `emit` in lower case, as plain letters and digits: `É` as `e`, `þ` as `th`, `Ｘ` as `x`, `²` as
/// `2`. Nothing for accents and for what is not seen. Letters of other scripts keep their accents.
///
/// ```
/// let mut out = String::new();
/// "Þórr, Straße".chars().for_each(|char| ibid_text::fold(char, &mut |plain| out.push(plain)));
/// assert_eq!(out, "thorr, strasse");
/// ```
pub fn fold(char: char, emit: &mut impl FnMut(char)) {
    let char = look(char);
    if char.is_ascii() {
        return emit(char.to_ascii_lowercase());
    }
    let several = match (latin(char), char) {
        (Some(b'A'), _) => "ae",
        (Some(b'I'), _) => "ij",
        (Some(b'O'), _) => "oe",
        (Some(b'S'), _) => "ss",
        (Some(b'T'), _) => "th",
        (Some(plain), _) => return emit(char::from(plain)),
        (None, 'ﬀ') => "ff",
        (None, 'ﬁ') => "fi",
        (None, 'ﬂ') => "fl",
        (None, 'µ') => "μ",
        (None, 'ς') => "σ",
        (None, '¹') => "1",
        (None, '²') => "2",
        (None, '³') => "3",
        (None, '⁰' | '⁴'..='⁹' | '₀'..='₉') => {
            return char::from_digit(u32::from(char) & 15, 10).into_iter().for_each(emit);
        }
        _ if is_accent(char) || is_invisible(char) => "",
        _ => return case::lower(char, emit),
    };
    several.chars().for_each(emit);
}

/// Returns a character in lower case without accent, one for one, so that places are kept: `é` is `e`, but `ß` stays.
pub fn fold_one(char: char) -> char {
    if char.is_ascii() {
        return char.to_ascii_lowercase();
    }
    match latin(char) {
        Some(plain @ b'a'..=b'z') => char::from(plain),
        _ => case::first_lower(char),
    }
}

/// Returns the character that stands for all that look like it, one for one, with case and accents kept: `Ｘ` and `𝐗`
/// are `X`, `٣` is `3`, `–` is `-`, and any space is a plain one.
pub fn look(char: char) -> char {
    if char.is_ascii() {
        return char;
    }
    let code = u32::from(char);
    match char {
        // Letters and digits for mathematics: styles of two alphabets, and of ten.
        '\u{1d400}'..='\u{1d6a3}' => {
            let letter = ((code - 0x1d400) % 52) as u8;
            char::from(if letter < 26 { b'A' + letter } else { b'a' + letter - 26 })
        }
        '\u{1d7ce}'..='\u{1d7ff}' => char::from(b'0' + ((code - 0x1d7ce) % 10) as u8),
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(code - 0xfee0).unwrap_or(char),
        '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{30fc}' => '-',
        '\u{2024}' | '\u{3002}' | '\u{ff61}' | '\u{fe52}' => '.',
        '\u{2019}' | '\u{2018}' | '\u{2bc}' | '\u{b4}' | '\u{2032}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2044}' | '\u{2215}' => '/',
        '\u{fe6b}' => '@',
        '\u{2028}' | '\u{2029}' | '\u{85}' => '\n',
        _ if char.is_whitespace() => ' ',
        _ => digit(char).unwrap_or(char),
    }
}

/// Returns a decimal digit of any script as ASCII.
pub fn digit(char: char) -> Option<char> {
    if char.is_ascii() {
        return Some(char).filter(char::is_ascii_digit);
    }
    let code = u32::from(char);
    let zero = ZEROS.iter().find(|&&zero| (zero..zero + 10).contains(&code))?;
    char::from_digit(code - zero, 10)
}

fn latin(char: char) -> Option<u8> {
    let plain = match char {
        '\u{c0}'..='\u{24f}' => LATIN.get(char as usize - 0xc0),
        '\u{1e00}'..='\u{1eff}' => LATIN_ADDITIONAL.get(char as usize - 0x1e00),
        _ => None,
    };
    plain.copied().filter(|plain| *plain != b'.')
}

/// Says whether a character is an accent of the letter before it, in text that is not composed.
pub fn is_accent(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}')
}

/// Says whether a character belongs to the letter before it: an accent, or a vowel sign.
pub fn is_mark(char: char) -> bool {
    is_accent(char)
        || matches!(char,
            '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{93a}'..='\u{94f}' | '\u{981}'..='\u{983}'
            | '\u{9bc}'..='\u{9cd}')
}

/// Says whether a character directs how text runs, and shows nothing.
pub fn is_direction(char: char) -> bool {
    matches!(char,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Says whether a character shows nothing where it stands: what Unicode calls default ignorable, and marks of interlinear
/// notes. White space and control characters are not among them.
pub fn is_invisible(char: char) -> bool {
    is_direction(char)
        || matches!(char,
            '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut out = String::new();
        text.chars().for_each(|char| fold(char, &mut |plain| out.push(plain)));
        out
    }

    #[test]
    fn what_is_kept_has_a_name() {
        // Of each text: folded, folded one for one, and as it looks.
        for (text, all, one, seen) in [
            ("Ménière", "meniere", "meniere", "Ménière"),
            ("STRASSE Straße ẞ", "strasse strasse ss", "strasse straße ß", "STRASSE Straße ẞ"),
            ("Þór Æsir œuvre ĳ", "thor aesir oeuvre ij", "þor æsir œuvre ĳ", "Þór Æsir œuvre ĳ"),
            ("Łódź İzmir đặng ŋ", "lodz izmir dang n", "lodz izmir dang n", "Łódź İzmir đặng ŋ"),
            ("ＩＧ 𝐢𝐆 𝟗٣", "ig ig 93", "ｉｇ 𝐢𝐆 𝟗٣", "IG iG 93"),
            ("µg m² H₂O ﬁ Σοφός", "μg m2 h2o fi σοφόσ", "µg m² h₂o ﬁ σοφός", "µg m² H₂O ﬁ Σοφός"),
            ("‘a’ – b\u{a0}c", "'a' - b c", "‘a’ – b\u{a0}c", "'a' - b c"),
            ("Ибупрофен й", "ибупрофен й", "ибупрофен й", "Ибупрофен й"),
        ] {
            assert_eq!(folded(text), all);
            assert_eq!(text.chars().map(fold_one).collect::<String>(), one);
            assert_eq!(text.chars().map(look).collect::<String>(), seen);
        }
    }

    #[test]
    fn accents_and_the_unseen_are_nothing() {
        assert_eq!(folded("Me\u{301}nie\u{300}re so\u{ad}ft\u{200b}"), "meniere soft");
    }
}
