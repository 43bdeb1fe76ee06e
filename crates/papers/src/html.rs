//! Writing HTML.

/// Adds text, in which nothing is markup.
pub(crate) fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() && c != '\n' && c != '\t' => {}
            c => out.push(c),
        }
    }
}

/// Begins a page of HTML, up to its title.
pub(crate) fn begin(title: &str, language: Option<&str>) -> String {
    let mut out = String::from("<!doctype html><html");
    if let Some(language) = language.filter(|language| !language.is_empty()) {
        out.push_str(" lang=\"");
        escape(&mut out, language);
        out.push('"');
    }
    out.push_str("><title>");
    escape(&mut out, title);
    out.push_str("</title><main>\n");
    out
}

/// Returns the title that a file says, unless a program made it up.
pub(crate) fn title(said: &str) -> Option<String> {
    let said = said.strip_prefix("Microsoft Word - ").unwrap_or(said).trim();
    let (stem, ending) = said.rsplit_once('.').unwrap_or((said, ""));
    let is_file =
        !stem.contains(' ') || ["doc", "docx", "tex", "dvi", "odt", "indd", "qxd"].contains(&ending);
    let is_file = is_file && !ending.is_empty() && ending.len() <= 5;
    let is_made_up =
        said.eq_ignore_ascii_case("untitled") || said.chars().filter(|c| c.is_alphabetic()).count() < 3;
    (!is_file && !is_made_up).then(|| said.to_owned())
}

/// Returns the name of a file without folder and ending.
pub(crate) fn stem(name: &str) -> &str {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}
