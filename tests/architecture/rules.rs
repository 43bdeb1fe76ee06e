//! The rules of the house, each as a function from a source file to the lines that break it.

use std::collections::BTreeMap;

use super::paths::{self, Target};

/// The rooms in import order: a room uses only rooms to its left.
pub(crate) const ROOMS: [&str; 12] = [
    "error", "platform", "text", "document", "chunk", "embed", "index", "retrieve", "cite", "guard", "llm",
    "agent",
];
/// These use every room and are used by none.
pub(crate) const LEAVES: [&str; 2] = ["web", "cli"];

/// Pairs that the order alone would allow, with the reason why they are kept apart.
const STRANGERS: [(&str, &str, &str); 6] = [
    ("llm", "retrieve", "a codec turns messages into bytes and knows no retrieval"),
    ("llm", "index", "a codec turns messages into bytes and knows no retrieval"),
    ("guard", "agent", "a guard looks at text, whoever drives it"),
    ("guard", "llm", "a guard looks at text, whoever drives it"),
    ("cite", "agent", "citations are checked by computation, whoever wrote the answer"),
    ("cite", "llm", "citations are checked by computation, whoever wrote the answer"),
];

/// What `index` may know of `embed`: vectors and the space they lie in, never what makes them; and how accents are folded,
/// which both tokenizers do alike.
const EMBEDDING_TYPES: [&str; 3] = ["Embedding", "Space", "fold_accents"];

/// What the world outside is reached by, and the rooms that may reach it.
const OUTSIDE: [(&[&str], &[&str], &str); 11] = [
    (&["std", "fs"], &["platform", "cli"], "files are touched by the command line only"),
    (&["std", "net"], &["platform", "cli"], "the network is reached through platform::Http"),
    (&["std", "env"], &["platform", "cli"], "only the command line reads its environment"),
    (&["std", "process"], &["platform", "cli"], "only the command line starts or ends processes"),
    (&["std", "time"], &["platform", "cli"], "time comes from platform::Clock; only Duration is plain data"),
    (&["rand"], &["platform", "cli"], "randomness comes from platform, so that runs can be replayed"),
    (
        &["getrandom"],
        &["platform", "cli", "web"],
        "randomness comes from platform, so that runs can be replayed",
    ),
    (&["wasm_bindgen"], &["web"], "the JavaScript boundary is one room"),
    (
        &["js_sys"],
        &["web", "platform"],
        "what the page's engine knows comes by platform, the boundary is one room",
    ),
    (&["web_sys"], &["web"], "the JavaScript boundary is one room"),
    (&["gloo_net"], &["web"], "the JavaScript boundary is one room"),
];

/// The names at the crate's root that stand for something in a room, such as `Error` for `error::Error`.
pub(crate) type RootNames = BTreeMap<String, Vec<String>>;

pub(crate) fn root_names(lib: &str) -> syn::Result<RootNames> {
    Ok(paths::reexports(lib)?.into_iter().collect())
}

/// Where a file under `src/` stands in the crate: `src/index/hnsw.rs` is `["index", "hnsw"]`. The command's `main.rs`
/// counts as part of `cli`.
pub(crate) fn module_of(file: &str) -> Vec<String> {
    if file == "src/main.rs" {
        return vec!["cli".to_owned()];
    }
    let inner = file.strip_prefix("src/").unwrap_or(file).trim_end_matches(".rs");
    let mut module: Vec<String> = inner.split('/').map(str::to_owned).collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
        module.pop();
    }
    module
}

/// Every line of a file under `src/` that uses what its room may not, as `file:line: rule`.
pub(crate) fn broken_imports(file: &str, source: &str, roots: &RootNames) -> syn::Result<Vec<String>> {
    let module = module_of(file);
    let room = module.first().map_or("the crate root", String::as_str);
    let mut broken = Vec::new();
    for named in paths::paths(source, &module)? {
        let (written, rule) = match &named.target {
            Target::Own(path) => {
                // A name that the root re-exports stands for the room it came from.
                let behind = path.first().and_then(|first| roots.get(first));
                let real = behind.map_or_else(|| path.clone(), |room| [room, &path[1..]].concat());
                (format!("crate::{}", path.join("::")), own_rule(room, &real))
            }
            Target::Foreign(path) => (path.join("::"), foreign_rule(room, path)),
        };
        if let Some(rule) = rule {
            broken.push(format!("{file}:{}: `{room}` uses `{written}`: {rule}", named.line));
        }
    }
    Ok(broken)
}

fn own_rule(room: &str, path: &[String]) -> Option<String> {
    if room == "the crate root" {
        return None;
    }
    let Some(used) = path.first().map(String::as_str) else {
        return Some("a second name for the crate hides which room is used".to_owned());
    };
    if used == "*" {
        return Some("everything at once hides which rooms are used; name them".to_owned());
    }
    if used == room {
        return None;
    }
    if LEAVES.contains(&used) {
        return Some(format!("nobody imports `{used}`: it is a leaf"));
    }
    if LEAVES.contains(&room) {
        return None;
    }
    if let Some((_, _, why)) = STRANGERS.iter().find(|(from, to, _)| *from == room && *to == used) {
        return Some(format!("`{room}` knows no `{used}`: {why}"));
    }
    let place = |name: &str| ROOMS.iter().position(|room| *room == name);
    let (Some(here), Some(there)) = (place(room), place(used)) else {
        return Some(format!("there is no room `{used}`; name what is meant by the room it lives in"));
    };
    if there > here {
        return Some(format!("`{used}` comes after `{room}` in the import order"));
    }
    if room == "index" && used == "embed" {
        let named = path.get(1).map(String::as_str);
        if !named.is_some_and(|name| EMBEDDING_TYPES.contains(&name)) {
            return Some(format!(
                "`index` takes embeddings and calls no embedder: it may name only {}",
                EMBEDDING_TYPES.join(", ")
            ));
        }
    }
    None
}

fn foreign_rule(room: &str, path: &[String]) -> Option<String> {
    let named: Vec<&str> = path.iter().map(String::as_str).collect();
    if named.starts_with(&["std", "time", "Duration"]) {
        return None;
    }
    OUTSIDE
        .iter()
        .find(|(banned, rooms, _)| named.starts_with(banned) && !rooms.contains(&room))
        .map(|(_, rooms, why)| format!("only {} may: {why}", rooms.join(" and ")))
}

/// The most lines of one file.
pub(crate) const LONGEST: usize = 500;
/// The most that the median file may have.
pub(crate) const MEDIAN: usize = 260;

/// The files that are longer than a file may be, given each file's length in lines.
pub(crate) fn too_long(files: &[(String, usize)]) -> Vec<String> {
    let long = files.iter().filter(|(_, lines)| *lines > LONGEST);
    long.map(|(file, lines)| {
        format!("{file}:{LONGEST}: the file has {lines} lines; a file has at most {LONGEST}: split it")
    })
    .collect()
}

/// The median length in lines.
pub(crate) fn median(files: &[(String, usize)]) -> usize {
    let mut lengths: Vec<usize> = files.iter().map(|(_, lines)| *lines).collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().unwrap_or(0)
}
