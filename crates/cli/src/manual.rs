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
    /// A folder for one file per page, such as ibid-build.1; made if it is not there [default: all pages to stdout]
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

/// A page for `ibid` and one for each command below it, each with its file's name.
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

    /// The words of a command line, of which only double quotes are understood.
    fn words(line: &str) -> Vec<String> {
        let mut words = Vec::new();
        for (number, part) in line.split('"').enumerate() {
            if number % 2 == 0 {
                words.extend(part.split_whitespace().map(str::to_owned));
            } else {
                words.push(part.to_owned());
            }
        }
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

    #[test]
    fn there_is_a_page_for_every_command() {
        let names: Vec<String> = pages().unwrap().into_iter().map(|(name, _)| name).collect();
        let mut expected: Vec<String> =
            commands().into_iter().map(|(name, _)| name.replace(' ', "-") + ".1").collect();
        expected.sort();
        assert_eq!(names, expected);
    }
}
