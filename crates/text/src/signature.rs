//! The name in a signature.

/// Returns the name that a signature, or the heading of a definition, is about: `run` in `pub fn run<T>(of: T) -> U`, `os.name` in
/// `attribute os.name`. Text that is no signature is its own name, without the number of its section.
///
/// ```
/// assert_eq!(ibid_text::defined_name("int PySlice_Check(PyObject *ob)"), "PySlice_Check");
/// assert_eq!(ibid_text::defined_name("--depth=<n>"), "--depth");
/// assert_eq!(ibid_text::defined_name("context manager"), "context manager");
/// assert_eq!(ibid_text::defined_name("5.2.1. Index types"), "Index types");
/// assert_eq!(ibid_text::defined_name("Waiting on os.wait()"), "Waiting on os.wait()");
/// assert_eq!(ibid_text::defined_name("E.1. Release 15"), "Release 15");
/// assert_eq!(ibid_text::defined_name("run() takes a list now"), "run() takes a list now");
/// ```
pub fn defined_name(signature: &str) -> &str {
    let signature = numberless(signature.trim_start_matches('#').trim());
    if signature.starts_with('-') {
        let end = signature.find([' ', '=', '[', '<', ',']).unwrap_or(signature.len());
        return &signature[..end];
    }
    let is_behind_name =
        |at: usize| signature[..at].ends_with(|c: char| c.is_alphanumeric() || "_ ".contains(c));
    let cut = signature.find('(').filter(|at| is_behind_name(*at));
    if cut.is_some() && is_prose(signature.split_once(") ").map_or("", |(_, behind)| behind)) {
        return signature;
    }
    let head = &signature[..cut.unwrap_or(signature.len())];
    let generic = head.find('<').filter(|at| *at > 0 && !head[..*at].ends_with(' '));
    let head = head[..generic.unwrap_or(head.len())].trim_end();
    let last = head.rsplit(char::is_whitespace).next().unwrap_or(head).trim_start_matches(['*', '&', '@']);
    let kinds = head[..head.len() - last.len()].split_whitespace();
    if kinds
        .clone()
        .any(|word| matches!(word, "on" | "of" | "to" | "the" | "a" | "with" | "in" | "and" | "using"))
    {
        return signature;
    }
    let is_code = last.contains(['_', '.', ':']) || last.chars().any(char::is_uppercase);
    let is_lower = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_name = cut.is_some()
        || last.contains("::")
        || generic.is_some()
        || (is_code && kinds.clone().count() > 0 && kinds.clone().all(is_lower));
    if is_name && last.contains(char::is_alphabetic) { last.trim_end_matches(':') } else { signature }
}

/// Takes the text behind the number that a heading begins with, such as `5.2.`, `(5)` or `E.1.`.
fn numberless(heading: &str) -> &str {
    let is_number = |word: &str| {
        let digits =
            word.strip_prefix(|c: char| c.is_ascii_uppercase() && word.ends_with('.')).unwrap_or(word);
        digits.bytes().all(|byte| byte.is_ascii_digit() || b".()".contains(&byte))
            && digits.contains(['.', ')'])
    };
    heading
        .split_once(' ')
        .filter(|(first, _)| is_number(first))
        .map_or(heading, |(_, rest)| rest.trim_start())
}

/// Returns true for words behind a call, unlike those that belong to a signature.
fn is_prose(behind: &str) -> bool {
    let mut words = behind.split(' ');
    let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase());
    words.next().is_some_and(|word| is_word(word) && !matches!(word, "" | "throws" | "where" | "const"))
        && words.next().is_some()
}
