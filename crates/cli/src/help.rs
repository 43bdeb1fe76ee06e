//! The order of help: commands by what people do with them, the most used options first, the others below headings.

use std::fmt::Write;

use clap::{Arg, Command, CommandFactory};

use crate::Cli;

/// The commands, by what people do with them.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Search for a site", &["site", "preview", "build", "serve", "copy"]),
    ("Search and ask", &["search", "ask", "mcp", "push"]),
    ("Check and measure", &["verify", "eval", "audit", "inspect", "chunk"]),
    ("Other", &["model", "merge", "embed", "fetch", "completions", "man"]),
];

/// The options that most people need, in the order in which help shows them, wherever a command has them.
const FIRST: [&str; 17] = [
    "output", "answers", "facets", "place", "set", "base_url", "provider", "model", "encoder", "limit",
    "filter", "mode", "meta", "update", "no_cache", "json", "verbose",
];

/// The headings below which options stand, wherever a command has them.
const HEADINGS: [(&str, &[&str]); 8] = [
    ("Comparing", &["compare", "against"]),
    ("Chunks", &["budget", "min_size", "overlap"]),
    ("Ranking", &["weight", "min_relevance", "evidence", "neighbours"]),
    ("Run of the model", &["policy", "reasoning", "schema", "max_tokens", "timeout"]),
    ("Checks of the answer", &["verify", "judge", "abstain_below", "pii", "emergency", "audit"]),
    ("A service that embeds", &["embeddings", "embedding_model", "embedding_url", "embedding_dimensions"]),
    ("A service that reranks", &["rerank", "rerank_model", "rerank_url"]),
    ("Special cases", &["part_size", "language", "vectors", "vectors_model", "api_key_env"]),
];

/// Builds the command with its help in order.
pub(super) fn command() -> Command {
    let root = Cli::command();
    let names: Vec<String> = root.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    let mut groups = String::new();
    for (heading, members) in GROUPS {
        let _ = writeln!(groups, "{heading}:");
        for name in members {
            let about = root.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            let _ = writeln!(groups, "  {name:<12} {}", about.unwrap_or_default());
        }
        groups.push('\n');
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
    );
    let root = root.help_template(template);
    names.into_iter().fold(root, |root, name| root.mut_subcommand(name, ordered))
}

/// A command with its options in order.
fn ordered(command: Command) -> Command {
    let mut declared = 0;
    command.mut_args(|arg| {
        declared += 1;
        let id = arg.get_id().as_str();
        let first = FIRST.iter().position(|known| *known == id).unwrap_or(FIRST.len() + declared);
        let heading = HEADINGS.iter().find(|(_, ids)| ids.contains(&id)).map(|(heading, _)| *heading);
        let arg = if arg.is_positional() { arg } else { arg.display_order(first) };
        match heading {
            Some(heading) if !arg.is_positional() => Arg::help_heading(arg, heading),
            _ => arg,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_shows_every_command_once() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        grouped.sort_unstable();
        let root = Cli::command();
        let mut names: Vec<&str> = root.get_subcommands().map(Command::get_name).collect();
        names.sort_unstable();
        assert_eq!(grouped, names);
        let help = command().render_help().to_string();
        assert!(help.contains("\nSearch for a site:\n  site         Adds search"), "{help}");
        assert!(help.lines().all(|line| line.len() <= 120), "{help}");
    }

    #[test]
    fn at_most_a_dozen_options_come_first() {
        let mut root = command();
        root.build();
        for command in root.get_subcommands() {
            let options = command.get_arguments().filter(|arg| !arg.is_positional());
            let first: Vec<_> =
                options.filter(|arg| arg.get_help_heading().is_none()).map(Arg::get_id).collect();
            assert!(first.len() <= 13, "{}: {first:?}", command.get_name());
        }
        let options: Vec<String> = root
            .get_subcommands()
            .flat_map(|command| command.get_arguments().map(|arg| arg.get_id().to_string()))
            .collect();
        for id in HEADINGS.iter().flat_map(|(_, ids)| *ids).chain(&FIRST) {
            assert!(options.iter().any(|known| known == id), "no command has {id}");
        }
    }
}
