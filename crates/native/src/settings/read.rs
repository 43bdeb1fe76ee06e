//! The text of `ibid.toml` to settings.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use super::{PathGlob, SiteSettings};
use ibid_document::weight;
use ibid_index::{Encoder, Language, SearchSettings};
use ibid_platform::{Error, ErrorCode, Result};

/// The reason why a value cannot be used.
type Wrong = String;

/// All settings, as they are written.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct SettingsFile {
    synonyms: Vec<Vec<String>>,
    stop: Vec<String>,
    exclude: Vec<String>,
    popular: Vec<String>,
    /// In their order: the last glob that matches counts.
    weights: toml::Table,
    pins: BTreeMap<String, String>,
    questions: toml::Table,
    language: Option<String>,
    encoder: Option<String>,
    model: Option<PathBuf>,
    base_url: Option<String>,
    facets: Option<Vec<String>>,
    place: Option<String>,
    answers: bool,
    llms: bool,
    set: BTreeMap<String, String>,
}

/// Reads the settings of a file of that name.
pub(super) fn read(name: &str, text: &str) -> Result<SiteSettings> {
    let invalid = |message: String| Error::new(ErrorCode::InvalidOption, message);
    let file: SettingsFile = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        invalid(format!("`{name}`, line {line}: {}.", error.message()))
    })?;
    file.checked().map_err(|wrong| invalid(format!("`{name}`: {wrong}.")))
}

impl SettingsFile {
    fn checked(self) -> std::result::Result<SiteSettings, Wrong> {
        if self.synonyms.iter().any(|group| group.len() < 2) {
            return Err("`synonyms` has a group of fewer than two words".to_owned());
        }
        let weighed = |(glob, value): (String, toml::Value)| {
            let number = value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64));
            let weight = number.and_then(|number| weight(&number.to_string()));
            let weight = weight.ok_or("`weights` has one that is not a number from 0 to 10")?;
            Ok::<_, Wrong>((PathGlob::new(&glob)?, weight))
        };
        let language = |code: String| {
            let known = || format!("`language` is one of {}", Language::ALL.map(Language::as_str).join(", "));
            Language::from_name(&code).ok_or_else(known)
        };
        let encoder = |name: String| match &*name {
            "transformer" => Ok(Encoder::Transformer),
            "table" => Ok(Encoder::Table),
            _ => Err("`encoder` is `transformer` or `table`".to_owned()),
        };
        let question = |(query, address): (String, toml::Value)| match address {
            toml::Value::String(address) if !query.trim().is_empty() => Ok((query, address)),
            _ => Err(format!("`questions` has no address for `{query}`, such as \"/start/\"")),
        };
        let attributes = [
            ("facets", self.facets.map(|fields| fields.join(","))),
            ("place", self.place),
            ("answers", self.answers.then(String::new)),
        ];
        let attributes = attributes.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Ok(SiteSettings {
            search: SearchSettings { synonyms: self.synonyms, stop: self.stop, ..SearchSettings::default() },
            pins: self.pins.into_iter().collect(),
            popular: self.popular,
            questions: self.questions.into_iter().map(question).collect::<std::result::Result<_, _>>()?,
            exclude: self
                .exclude
                .iter()
                .map(|glob| PathGlob::new(glob))
                .collect::<std::result::Result<_, _>>()?,
            weights: self.weights.into_iter().map(weighed).collect::<std::result::Result<_, _>>()?,
            language: self.language.map(language).transpose()?,
            encoder: self.encoder.map(encoder).transpose()?,
            model: self.model,
            base_url: self.base_url,
            attributes: attributes.chain(self.set).collect(),
            llms: self.llms,
            path: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_read() {
        let settings = read(
            "ibid.toml",
            "synonyms = [[\"k8s\", \"kubernetes\"]]\nstop = [\"acme\"]\nexclude = [\"/old/**\"]\npopular = [\"/start/\", \"/a/\"]\nfacets = [\"a\", \"b\"]\n\
             answers = true\nllms = true\nplace = \"#x\"\nlanguage = \"de\"\nencoder = \"table\"\nmodel = \"e5\"\nbase-url = \"/d/\"\n\
             [pins]\n\"set up\" = \"/start/\"\n[questions]\n\"why\" = \"/z/\"\n\"how\" = \"/a/#b\"\n[weights]\n\"/blog/**\" = 0.5\n\"/a\" = 2\n[set]\nhotkey = \"k\"\n",
        )
        .unwrap();
        assert_eq!(settings.search.synonyms, [["k8s", "kubernetes"]]);
        assert_eq!((settings.search.stop.len(), settings.exclude.len(), settings.weights.len()), (1, 1, 2));
        assert_eq!(settings.pins, [("set up".to_owned(), "/start/".to_owned())]);
        assert_eq!(settings.popular, ["/start/", "/a/"]);
        // In their order.
        assert_eq!(
            settings.questions,
            [("why", "/z/"), ("how", "/a/#b")].map(|(query, page)| (query.to_owned(), page.to_owned()))
        );
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
    fn what_is_wrong_is_named_with_its_line_and_what_there_is() {
        for (text, message) in [
            ("\nsynonims = []", "line 2: unknown field `synonims`, expected one of `synonyms`, `stop`"),
            ("stop = 'a'", "line 1: invalid type: string \"a\", expected a sequence"),
            ("synonyms = [['a']]", "fewer than two"),
            ("[weights]\n'/a' = 11", "not a number from 0 to 10"),
            ("[questions]\n'how' = 1", "no address for `how`"),
            ("exclude = ['a{']", "`a{` is no glob"),
            ("language = 'x'", "`language` is one of "),
            ("a = ", "line 1: "),
        ] {
            let error = read("ibid.toml", text).unwrap_err();
            assert!(error.message().contains(message), "{error}");
        }
    }
}
