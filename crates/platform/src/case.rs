//! Letters in lower case, by whom it costs least: a page's engine knows them all, and natively the standard library,
//! whose table would weigh 8 KB in a module.

/// Hands what a character is in lower case to `emit`: one character, mostly.
pub fn lower(char: char, emit: &mut impl FnMut(char)) {
    let further = |by: u32| char::from_u32(u32::from(char) + by).unwrap_or(char);
    match char {
        '\0'..='\x7f' => emit(char.to_ascii_lowercase()),
        // The capitals of most Latin, Greek and Cyrillic text.
        'À'..='Ö' | 'Ø'..='Þ' | 'Α'..='Ρ' | 'Σ'..='Ϋ' | 'А'..='Я' => emit(further(32)),
        'Ѐ'..='Џ' => emit(further(80)),
        // Their small letters, and what has no capitals.
        '\u{80}'..='¿'
        | '×'
        | 'ß'..='ÿ'
        | 'ά'..='ώ'
        | 'а'..='џ'
        | '\u{590}'..='\u{109f}'
        | '\u{2000}'..='\u{2125}'
        | '\u{2e80}'..='\u{a63f}'
        | '\u{ac00}'..='\u{fb4f}' => emit(char),
        _ => read(char, emit),
    }
}

/// Returns the first of what a character is in lower case, of which only `İ` has a second.
pub fn first_lower(char: char) -> char {
    let mut first = None;
    lower(char, &mut |char| first = first.or(Some(char)));
    first.unwrap_or(char)
}

/// Returns a text in lower case, letter by letter: a sigma at the end of a word is one like any other.
pub fn lowercase(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|char| lower(char, &mut |char| out.push(char)));
    out
}

#[cfg(target_arch = "wasm32")]
fn read(char: char, emit: &mut impl FnMut(char)) {
    let text = js_sys::JsString::from(char.encode_utf8(&mut [0; 4]) as &str);
    String::from(text.to_lower_case()).chars().for_each(emit);
}

#[cfg(not(target_arch = "wasm32"))]
fn read(char: char, emit: &mut impl FnMut(char)) {
    char.to_lowercase().for_each(emit);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_is_what_the_standard_library_makes_of_it() {
        for char in '\0'..=char::MAX {
            let mut ours = String::new();
            lower(char, &mut |char| ours.push(char));
            assert_eq!(ours, char.to_lowercase().to_string(), "{char} {:x}", u32::from(char));
        }
        assert_eq!(lowercase("ÄRZTE und ΟΔΟΣ, İzmir"), "ärzte und οδοσ, i\u{307}zmir");
    }
}
