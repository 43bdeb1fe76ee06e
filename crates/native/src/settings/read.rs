//! The text of `ibid.toml` to settings.

use std::path::PathBuf;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{PathGlob, SiteSettings};
use ibid_document::weight;
use ibid_index::{Encoder, Language};
use ibid_platform::{Error, ErrorCode, Result};

/// All keys.
const KEYS: [&str; 14] = [
    "answers", "base-url", "encoder", "exclude", "facets", "language", "llms", "model", "pins", "place",
    "set", "stop", "synonyms", "weights",
];

/// The reason why a value cannot be used, which goes on after the key.
type Wrong = String;

/// Reads the settings of a file of that name.
pub(super) fn read(name: &str, text: &str) -> Result<SiteSettings> {
    let line = |at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
    let invalid = |message: String| Error::new(ErrorCode::InvalidOption, message);
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        invalid(format!("`{name}`, line {}: {}.", line(at), error.message()))
    })?;
    let mut settings = SiteSettings::default();
    for (key, value) in table.into_inner() {
        let (at, key) = (line(key.span().start), key.into_inner());
        if !KEYS.contains(&&*key) {
            let error = invalid(format!("`{name}`, line {at}: there is no setting `{key}`."));
            return Err(error.with_hint(match nearest(&key) {
                Some(near) => format!("Write `{near}`."),
                None => format!("Settings are {}.", KEYS.join(", ")),
            }));
        }
        set(&mut settings, &key, value.into_inner())
            .map_err(|wrong| invalid(format!("`{name}`, line {at}: `{key}` {wrong}.")))?;
    }
    Ok(settings)
}

fn set(settings: &mut SiteSettings, key: &str, value: DeValue<'_>) -> std::result::Result<(), Wrong> {
    match key {
        "synonyms" => {
            let groups = list(value)?.into_iter().map(texts).collect::<std::result::Result<Vec<_>, _>>()?;
            if groups.iter().any(|group| group.len() < 2) {
                return Err("has a group of fewer than two words".to_owned());
            }
            settings.search.synonyms = groups;
        }
        "stop" => settings.search.stop = texts(value)?,
        "exclude" => {
            let globs = texts(value)?.into_iter().map(|text| PathGlob::new(&text));
            settings.exclude =
                globs.collect::<std::result::Result<_, _>>().map_err(|wrong| format!("is wrong: {wrong}"))?;
        }
        "weights" => {
            for (glob, value) in entries(value)? {
                let glob = PathGlob::new(&glob).map_err(|wrong| format!("is wrong: {wrong}"))?;
                let weight =
                    number(&value).and_then(weight).ok_or("has a weight that is no number from 0 to 10")?;
                settings.weights.push((glob, weight));
            }
        }
        "pins" => {
            for (query, address) in entries(value)? {
                settings.pins.push((query, text(address)?));
            }
        }
        "language" => {
            let code = text(value)?;
            let known = || format!("is one of {}", Language::ALL.map(Language::as_str).join(", "));
            settings.language = Some(Language::from_name(&code).ok_or_else(known)?);
        }
        "encoder" => {
            settings.encoder = Some(match &*text(value)? {
                "transformer" => Encoder::Transformer,
                "table" => Encoder::Table,
                _ => return Err("is `transformer` or `table`".to_owned()),
            });
        }
        "model" => settings.model = Some(PathBuf::from(text(value)?)),
        "base-url" => settings.base_url = Some(text(value)?),
        "facets" => settings.attributes.push((key.to_owned(), texts(value)?.join(","))),
        "place" => settings.attributes.push((key.to_owned(), text(value)?)),
        "answers" => settings.attributes.extend(is_on(&value)?.then(|| (key.to_owned(), String::new()))),
        "llms" => settings.llms = is_on(&value)?,
        _ => {
            for (name, value) in entries(value)? {
                settings.attributes.push((name, text(value)?));
            }
        }
    }
    Ok(())
}

fn is_on(value: &DeValue<'_>) -> std::result::Result<bool, Wrong> {
    match value {
        DeValue::Boolean(is_on) => Ok(*is_on),
        _ => Err("is `true` or `false`".to_owned()),
    }
}

fn text(value: DeValue<'_>) -> std::result::Result<String, Wrong> {
    match value {
        DeValue::String(text) => Ok(text.into_owned()),
        _ => Err("has a value that is no text in quotation marks".to_owned()),
    }
}

fn list(value: DeValue<'_>) -> std::result::Result<Vec<DeValue<'_>>, Wrong> {
    match value {
        DeValue::Array(items) => Ok(items.into_iter().map(Spanned::into_inner).collect()),
        _ => Err("has a value that is no list".to_owned()),
    }
}

fn texts(value: DeValue<'_>) -> std::result::Result<Vec<String>, Wrong> {
    list(value)?.into_iter().map(text).collect()
}

fn entries(value: DeValue<'_>) -> std::result::Result<Vec<(String, DeValue<'_>)>, Wrong> {
    match value {
        DeValue::Table(table) => {
            // In their order in the file.
            let mut entries: Vec<_> =
                table.into_iter().map(|(key, value)| (key.span().start, key, value)).collect();
            entries.sort_by_key(|(at, ..)| *at);
            Ok(entries
                .into_iter()
                .map(|(_, key, value)| (key.into_inner().into_owned(), value.into_inner()))
                .collect())
        }
        _ => Err("is a table".to_owned()),
    }
}

fn number<'a>(value: &'a DeValue<'_>) -> Option<&'a str> {
    match value {
        DeValue::Integer(number) => Some(number.as_str()),
        DeValue::Float(number) => Some(number.as_str()),
        _ => None,
    }
}

/// The key that was meant, if one is near: half of it may be wrong.
fn nearest(key: &str) -> Option<&'static str> {
    let near = KEYS.into_iter().map(|known| (distance(key, known), known)).min()?;
    Some(near).filter(|(distance, known)| distance * 2 <= known.len()).map(|(_, known)| known)
}

/// The number of letters to change, add or take away to make one word of the other (Levenshtein, 1966).
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (at, a) in one.chars().enumerate() {
        let mut before = std::mem::replace(&mut row[0], at + 1);
        for (to, b) in other.chars().enumerate() {
            let changed = before + usize::from(a != b);
            before = row[to + 1];
            row[to + 1] = changed.min(before + 1).min(row[to] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_read() {
        let settings = read(
            "ibid.toml",
            "synonyms = [[\"k8s\", \"kubernetes\"]]\nstop = [\"acme\"]\nexclude = [\"/old/**\"]\nfacets = [\"a\", \"b\"]\n\
             answers = true\nllms = true\nplace = \"#x\"\nlanguage = \"de\"\nencoder = \"table\"\nmodel = \"e5\"\nbase-url = \"/d/\"\n\
             [pins]\n\"set up\" = \"/start/\"\n[weights]\n\"/blog/**\" = 0.5\n\"/a\" = 2\n[set]\nhotkey = \"k\"\n",
        )
        .unwrap();
        assert_eq!(settings.search.synonyms, [["k8s", "kubernetes"]]);
        assert_eq!((settings.search.stop.len(), settings.exclude.len(), settings.weights.len()), (1, 1, 2));
        assert_eq!(settings.pins, [("set up".to_owned(), "/start/".to_owned())]);
        assert_eq!((settings.language, settings.encoder), (Some(Language::German), Some(Encoder::Table)));
        assert_eq!(settings.model, Some(PathBuf::from("e5")));
        assert_eq!(settings.base_url.as_deref(), Some("/d/"));
        assert!(settings.llms);
        let attributes: Vec<_> =
            settings.attributes.iter().map(|(name, value)| format!("{name}={value}")).collect();
        for wanted in ["facets=a,b", "answers=", "place=#x", "hotkey=k"] {
            assert!(attributes.iter().any(|attribute| attribute == wanted), "{attributes:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line_and_what_was_meant() {
        for (text, message, hint) in [
            ("\nsynonims = []", "line 2: there is no setting `synonims`", "Write `synonyms`."),
            ("base_url = '/'", "no setting `base_url`", "Write `base-url`."),
            ("colour = 'red'", "no setting `colour`", "Settings are answers"),
            ("stop = 'a'", "line 1: `stop` has a value that is no list", ""),
            ("synonyms = [['a']]", "fewer than two", ""),
            ("[weights]\n'/a' = 11", "no number from 0 to 10", ""),
            ("a = ", "line 1: ", ""),
        ] {
            let error = read("ibid.toml", text).unwrap_err();
            assert!(error.message().contains(message), "{error}");
            assert!(error.hint().unwrap_or_default().starts_with(hint), "{error}");
        }
    }
}
