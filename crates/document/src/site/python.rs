//! Names that a configuration of Sphinx defines. It is a program that is not run: only text that is written out counts.

/// Writes the definitions of substitutions, in reStructuredText: the project's versions, and the texts around all of its
/// sources.
pub(super) fn substitutions(config: &str) -> String {
    let mut found = String::new();
    for name in ["version", "release"] {
        if let Some(words) = words(config, name) {
            found.push_str(&[".. |", name, "| replace:: ", words, "\n"].concat());
        }
    }
    for name in ["rst_prolog", "rst_epilog"] {
        for (at, _) in config.match_indices(name) {
            let value = config[at + name.len()..].trim_start_matches([' ', '+', '=', 'r']);
            let quote = ["\"\"\"", "'''"].into_iter().find(|quote| value.starts_with(quote));
            let inner = quote.and_then(|quote| value[quote.len()..].split(quote).next());
            found.extend([inner.unwrap_or_default(), "\n"]);
        }
    }
    found
}

/// Looks up the text that a name is given, perhaps by way of another name.
fn words<'a>(config: &'a str, name: &str) -> Option<&'a str> {
    let value = |name: &str| {
        config
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix('='))
            .map(str::trim)
    };
    let said = value(name)?;
    let said = if said.starts_with(['"', '\'']) { said } else { value(said)? };
    let quote = said.chars().next().filter(|first| "\"'".contains(*first))?;
    let (words, rest) = said[1..].split_once(quote)?;
    (rest.is_empty() || rest.trim_start().starts_with('#')).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_out_is_found() {
        for (config, found) in [
            (
                "version = '3.2'  # now\nrelease = version\n",
                ".. |version| replace:: 3.2\n.. |release| replace:: 3.2\n",
            ),
            (
                "version = release\nrelease = \"3.2.1\"",
                ".. |version| replace:: 3.2.1\n.. |release| replace:: 3.2.1\n",
            ),
            ("version = tea.__version__\nrelease = '%s' % version\nif x:\n    version = '1'", ""),
            ("version = version\nversion, release = get()", ""),
            ("rst_epilog = r\"\"\"\n.. |x| replace:: y\n\"\"\"\n", "\n.. |x| replace:: y\n\n"),
        ] {
            assert_eq!(substitutions(config), found, "{config}");
        }
    }
}
