//! `ibid completions` and `ibid man`: what the arguments' definitions say, in the forms that shells and `man` read.

use std::path::PathBuf;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::Cli;
use ibid_native::{files, note, print};
use ibid_platform::{Error, ErrorCode, Result};

#[derive(clap::Args)]
pub(super) struct CompletionsArgs {
    /// The shell that reads the script.
    shell: Shell,
}

#[derive(clap::Args)]
pub(super) struct ManArgs {
    /// A folder for one file per page, such as ibid-build.1; created if missing [default: all pages to stdout]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

pub(super) fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ibid", &mut script);
    print(&String::from_utf8_lossy(&script))
}

pub(super) fn man(args: &ManArgs) -> Result<()> {
    let pages = pages()?;
    let Some(folder) = &args.output else {
        return print(&pages.into_iter().map(|(_, text)| text).collect::<String>());
    };
    files::create_folder(folder)?;
    for (name, text) in &pages {
        files::write(&folder.join(name), text.as_bytes())?;
    }
    note(&format!("{}: {} pages", folder.display(), pages.len()));
    Ok(())
}

/// Writes a page for `ibid` and one for each command below it, each with its file's name.
fn pages() -> Result<Vec<(String, String)>> {
    let mut root = Cli::command().disable_help_subcommand(true);
    // Gives the commands below their full names, such as `ibid-model-import`.
    root.build();
    let mut pages = Vec::new();
    let mut waiting = vec![root];
    while let Some(command) = waiting.pop() {
        waiting.extend(command.get_subcommands().cloned());
        pages.push(page(command)?);
    }
    pages.sort();
    Ok(pages)
}

fn page(command: Command) -> Result<(String, String)> {
    let page = Man::new(command).manual("ibid");
    let mut text = Vec::new();
    page.render(&mut text)
        .map_err(|error| Error::new(ErrorCode::Internal, format!("A page has no text form: {error}.")))?;
    Ok((page.get_filename(), String::from_utf8_lossy(&text).into_owned()))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};
    use std::fmt::Write as _;
    use std::path::Path;

    use clap::Parser;

    use super::*;

    /// All commands below `ibid`, each with the words that call it.
    fn commands() -> Vec<(String, Command)> {
        let mut found = Vec::new();
        let mut waiting = vec![("ibid".to_owned(), Cli::command())];
        while let Some((name, command)) = waiting.pop() {
            let below = command
                .get_subcommands()
                .map(|below| (format!("{name} {}", below.get_name()), below.clone()));
            waiting.extend(below);
            found.push((name, command));
        }
        found
    }

    /// The words of a command line up to a comment, as a shell takes them apart: quotes are understood, and no more.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
        for letter in line.chars() {
            match quote {
                Some(open) if open == letter => quote = None,
                None if matches!(letter, '"' | '\'') => {
                    quote = Some(letter);
                    word.get_or_insert_default();
                }
                None if letter == '#' && word.is_none() => break,
                None if letter == ' ' => words.extend(word.take()),
                _ => word.get_or_insert_default().push(letter),
            }
        }
        words.extend(word);
        words
    }

    #[test]
    fn the_definitions_are_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_an_example_that_it_understands() {
        for (name, command) in commands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let example = help.lines().find_map(|line| line.strip_prefix("Example: "));
            let example =
                example.unwrap_or_else(|| panic!("`{name}` has no line `Example: ...` below its help"));
            // What is done with the output is the shell's business.
            let words = words(example.split(" > ").next().unwrap());
            // Variables may be set in front.
            let start = words.iter().position(|word| word == "ibid").unwrap();
            let parsed = Cli::try_parse_from(&words[start..]);
            assert!(parsed.is_ok(), "{name}: {example}: {}", parsed.err().unwrap());
            let called: Vec<&str> = name.split(' ').collect();
            assert!(words[start..].iter().zip(&called).all(|(word, name)| word == name), "{name}: {example}");
        }
    }

    /// The line of the guide below which it is written by `IBID_WRITE=1 cargo test -p ibid-cli the_guide`.
    const GENERATED: &str = "## Options of each command\n";

    /// A cell of a table in markdown.
    fn cell(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
    }

    /// The row of an option or an argument.
    fn row(arg: &clap::Arg) -> String {
        let long = arg.get_long().map(|name| format!("--{name}"));
        let short = arg.get_short().map(|name| format!("-{name}"));
        let names: Vec<String> = short.into_iter().chain(long).collect();
        let value = match (arg.get_action().takes_values(), arg.get_value_names()) {
            (true, Some([name, ..])) => name.to_string(),
            _ => String::new(),
        };
        let shown = match (names.is_empty(), value.is_empty()) {
            (true, _) => value,
            (false, true) => names.join("`, `"),
            (false, false) => format!("{} {value}", names.join("`, `")),
        };
        let mut told = arg.get_help().map(ToString::to_string).unwrap_or_default();
        if !told.contains("[default") && arg.get_action().takes_values() {
            let defaults = arg.get_default_values().iter().map(|value| value.to_string_lossy());
            let defaults: Vec<_> = defaults.map(|value| format!("`{value}`")).collect();
            if !defaults.is_empty() {
                told = format!("{told} [default: {}]", defaults.join(", "));
            }
        }
        let possible = arg.get_possible_values();
        if arg.get_action().takes_values() && !possible.is_empty() {
            let names: Vec<_> = possible.iter().map(|value| format!("`{}`", value.get_name())).collect();
            told = format!("{told}: {}", names.join(", "));
        }
        format!("| `{}` | {} |\n", cell(&shown), cell(&told))
    }

    /// Adds the section of a command, and those of the commands below it. A row that an earlier command has is
    /// named there alone.
    fn section(command: &Command, known: &mut HashMap<String, String>, text: &mut String) {
        let usage = command.clone().render_usage().to_string();
        let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage).trim();
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let name = command.get_bin_name().unwrap_or_default();
        let _ = write!(text, "\n### {name}\n\n{about}.\n\n```text\n{usage}\n```\n");
        let shown = command
            .get_arguments()
            .filter(|arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str()));
        let (mut rows, mut same) = (String::new(), BTreeMap::<String, Vec<String>>::new());
        for arg in shown {
            let row = row(arg);
            if let Some(first) = known.get(&row) {
                let name = row.split('`').nth(1).unwrap_or_default();
                same.entry(first.clone()).or_default().push(format!("`{name}`"));
            } else {
                rows += &row;
                known.insert(row, name.to_owned());
            }
        }
        if !rows.is_empty() {
            let _ = write!(text, "\n| option | what it does |\n| --- | --- |\n{rows}");
        }
        for (first, names) in same {
            let _ = write!(text, "\nAs for `{first}`: {}.\n", names.join(", "));
        }
        command.get_subcommands().for_each(|below| section(below, known, text));
    }

    /// The tables of all commands, in the order of the help.
    fn reference() -> String {
        let mut root = Cli::command().disable_help_subcommand(true);
        root.build();
        let (mut known, mut text) = (HashMap::new(), String::new());
        root.get_subcommands().for_each(|command| section(command, &mut known, &mut text));
        text
    }

    #[test]
    fn the_guide_has_every_option() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/command-line.md");
        let guide = String::from_utf8(files::read(Path::new(file)).unwrap()).unwrap();
        let (hand, generated) = guide.split_once(GENERATED).unwrap();
        let expected = reference();
        if std::env::var_os("IBID_WRITE").is_some() {
            files::write(Path::new(file), format!("{hand}{GENERATED}{expected}").as_bytes()).unwrap();
        } else {
            assert!(
                generated == expected,
                "docs/command-line.md is older than the command; GENERATED says how to write it"
            );
        }
    }

    #[test]
    fn guides_call_the_command_as_it_is() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let mut count = 0;
        for guide in [
            "README.md",
            "docs/asking.md",
            "docs/audit-log.md",
            "docs/checking-answers.md",
            "docs/command-line.md",
            "docs/documents.md",
            "docs/index-format.md",
            "docs/languages.md",
            "docs/large-collections.md",
            "docs/measuring.md",
            "docs/providers.md",
            "docs/search-ui.md",
            "docs/start.md",
        ] {
            let text = String::from_utf8(files::read(&Path::new(root).join(guide)).unwrap()).unwrap();
            let blocks = text.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n"));
            for line in blocks.flat_map(str::lines) {
                let words = words(line.strip_prefix("npx ").unwrap_or(line));
                if words.first().is_none_or(|first| first != "ibid") {
                    continue;
                }
                // What is done with the output is the shell's business.
                let own = words.iter().take_while(|word| !["|", ">"].contains(&word.as_str()));
                let parsed = Cli::try_parse_from(own);
                assert!(parsed.is_ok(), "{guide}: {line}: {}", parsed.err().unwrap());
                count += 1;
            }
        }
        assert!(count > 30, "{count} calls");
    }

    #[test]
    fn there_is_a_page_for_every_command() {
        let names: Vec<String> = pages().unwrap().into_iter().map(|(name, _)| name).collect();
        let mut expected: Vec<String> =
            commands().into_iter().map(|(name, _)| name.replace(' ', "-") + ".1").collect();
        expected.sort();
        assert_eq!(names, expected);
    }
}
