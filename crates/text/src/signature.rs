//! The name in a signature.

/// Returns the name that a signature, or the heading of a definition, is about: `run` in `pub fn run<T>(of: T) -> U`, `os.name` in
/// `attribute os.name`. Text that is no signature is its own name.
///
/// ```
/// assert_eq!(ibid_text::defined_name("int PySlice_Check(PyObject *ob)"), "PySlice_Check");
/// assert_eq!(ibid_text::defined_name("--depth=<n>"), "--depth");
/// assert_eq!(ibid_text::defined_name("context manager"), "context manager");
/// ```
pub fn defined_name(signature: &str) -> &str {
    let signature = signature.trim_start_matches('#').trim();
    if signature.starts_with('-') {
        let end = signature.find([' ', '=', '[', '<', ',']).unwrap_or(signature.len());
        return &signature[..end];
    }
    let is_behind_name =
        |at: usize| signature[..at].ends_with(|c: char| c.is_alphanumeric() || "_ ".contains(c));
    let cut = signature.find('(').filter(|at| is_behind_name(*at));
    let head = &signature[..cut.unwrap_or(signature.len())];
    let generic = head.find('<').filter(|at| *at > 0 && !head[..*at].ends_with(' '));
    let head = head[..generic.unwrap_or(head.len())].trim_end();
    let last = head.rsplit(char::is_whitespace).next().unwrap_or(head).trim_start_matches(['*', '&', '@']);
    let kinds = head[..head.len() - last.len()].split_whitespace();
    let is_code = last.contains(['_', '.', ':']) || last.chars().any(char::is_uppercase);
    let is_lower = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_name = cut.is_some()
        || last.contains("::")
        || generic.is_some()
        || (is_code && kinds.clone().count() > 0 && kinds.clone().all(is_lower));
    if is_name && last.contains(char::is_alphabetic) { last.trim_end_matches(':') } else { signature }
}
