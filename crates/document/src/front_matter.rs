//! Front matter, which is YAML or TOML, to the fields of metadata.
//!
//! YAML is read from the parser's events instead of a tree: what is nested deeper than a list is passed over as it streams
//! by, so neither deep nesting nor an alias that multiplies itself costs anything.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle};
use toml::de::{DeTable, DeValue};

use super::metadata::scalar;
use super::{Date, MetadataValue, Warning};

/// Far more than anybody writes, and than most programs do.
const MAX_BYTES: usize = 1024 * 1024;
/// A longer line that is no YAML is no title either.
const MAX_LINE: usize = 1000;

/// The mappings whose fields are read, as `ibid.weight` for instance: of ibid, and of Material for `MkDocs`.
const NESTED: [&str; 2] = ["ibid", "search"];

/// Fields in the order in which they were read.
pub(super) type ReadFields = Vec<(String, MetadataValue)>;

/// The reason why metadata cannot be read, which goes on after `its metadata is` or stands alone.
type Reason = String;

/// A value on its way into the metadata: one scalar, or the items of a list.
enum YamlField {
    Scalar(Option<MetadataValue>),
    List(Vec<String>),
}

/// Reads the fields of a YAML mapping. `null` is left out, and what is neither a scalar nor a list of scalars is left
/// out with a warning.
pub(super) fn read_yaml(yaml: &str, warnings: &mut Vec<Warning>) -> Result<ReadFields, Reason> {
    check_length(yaml)?;
    let mut fields = BTreeMap::new();
    let told = warnings.len();
    if let Err(reason) = read_fields(yaml, &mut fields, warnings) {
        warnings.truncate(told);
        fields = read_lines(yaml);
        if fields.is_empty() {
            return Err(reason);
        }
        let kind = "front matter that is not YAML is read line by line";
        let why = reason.rsplit_once(" (").map_or("", |(_, why)| why);
        warnings.push(Warning::new(kind, why.trim_end_matches(')')));
    }
    let values = fields.into_iter().filter_map(|(name, field)| match field {
        YamlField::Scalar(value) => value.map(|value| (name, value)),
        YamlField::List(items) => Some((name, MetadataValue::Keywords(items))),
    });
    Ok(values.collect())
}

/// Reads TOML; the `toml` crate bounds how deep it nests.
pub(super) fn read_toml(text: &str, warnings: &mut Vec<Warning>) -> Result<ReadFields, Reason> {
    check_length(text)?;
    let table = DeTable::parse(text).map_err(|error| format!("not TOML ({})", error.message()))?;
    let mut fields = ReadFields::new();
    for (key, value) in table.into_inner() {
        let key = key.into_inner().into_owned();
        match value.into_inner() {
            DeValue::Table(inner) if NESTED.contains(&key.as_str()) => {
                for (name, value) in inner {
                    let name = format!("{key}.{}", name.into_inner());
                    keep(name, toml_value(value.into_inner()), &mut fields, warnings);
                }
            }
            value => keep(key, toml_value(value), &mut fields, warnings),
        }
    }
    Ok(fields)
}

fn toml_value(value: DeValue<'_>) -> Option<MetadataValue> {
    match value {
        DeValue::Array(items) => items
            .into_iter()
            .map(|item| toml_scalar(item.into_inner()).map(|value| value.to_string()))
            .collect::<Option<_>>()
            .map(MetadataValue::Keywords),
        value => toml_scalar(value),
    }
}

fn toml_scalar(value: DeValue<'_>) -> Option<MetadataValue> {
    match value {
        DeValue::String(text) => Some(MetadataValue::Keyword(text.into_owned())),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok().map(MetadataValue::Integer)
        }
        DeValue::Float(number) => {
            let number = number.as_str().parse::<f64>().ok()?;
            number.is_finite().then_some(MetadataValue::Float(number))
        }
        DeValue::Boolean(flag) => Some(MetadataValue::Boolean(flag)),
        DeValue::Datetime(time) => Some(match time.date {
            Some(date) => MetadataValue::Date(Date::new(date.year, Some(date.month), Some(date.day))?),
            None => MetadataValue::Keyword(time.to_string()),
        }),
        DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

fn check_length(text: &str) -> Result<(), Reason> {
    if text.len() > MAX_BYTES { Err(format!("longer than {MAX_BYTES} bytes")) } else { Ok(()) }
}

fn read_fields(
    yaml: &str,
    fields: &mut BTreeMap<String, YamlField>,
    warnings: &mut Vec<Warning>,
) -> Result<(), Reason> {
    // The depth of the fields that are read, and what their names begin with.
    let (mut depth, mut base, mut within) = (0, 1, String::new());
    let mut key: Option<String> = None;
    for event in Parser::new_from_str(yaml) {
        let (event, _) = event.map_err(|error| format!("not YAML ({error})"))?;
        match event {
            Event::MappingStart(..) if (depth, base) == (1, 1) && key.as_deref().is_some_and(is_nested) => {
                within = key.take().unwrap_or_default() + ".";
                (depth, base) = (2, 2);
            }
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                let is_list = matches!(event, Event::SequenceStart(..));
                if depth == 0 && is_list {
                    return Err(not_a_mapping());
                }
                if let Some(name) = &key {
                    if depth == base && is_list {
                        fields.insert(name.clone(), YamlField::List(Vec::new()));
                    } else if depth == base || (depth == base + 1 && fields.remove(name).is_some()) {
                        warnings.push(nested(name));
                    }
                }
                depth += 1;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                if (depth, base) == (2, 2) {
                    (base, within) = (1, String::new());
                }
                depth -= 1;
                if depth == base {
                    key = None;
                }
            }
            Event::Scalar(text, style, ..) => {
                let plain = style == ScalarStyle::Plain;
                match (depth, key.take()) {
                    (0, _) if text.is_empty() => {}
                    (0, _) => return Err(not_a_mapping()),
                    (_, None) if depth == base => key = Some(within.clone() + &text),
                    (_, Some(name)) if depth == base => {
                        fields.insert(name, YamlField::Scalar(scalar(&text, plain)));
                    }
                    (_, name) => {
                        if let (true, Some(YamlField::List(items))) =
                            (depth == base + 1, name.as_ref().and_then(|n| fields.get_mut(n)))
                        {
                            items.extend(scalar(&text, plain).map(|value| value.to_string()));
                        }
                        key = name;
                    }
                }
            }
            Event::Alias(_) if depth == base && key.is_some() => {
                warnings.extend(key.take().map(|name| nested(&name)));
            }
            _ => {}
        }
    }
    Ok(())
}

fn is_nested(name: &str) -> bool {
    NESTED.contains(&name)
}

/// Reads the fields of lines that say `name: value` on their own, of what is no YAML as a whole: generators read titles
/// with a colon or a brace, which YAML does not.
fn read_lines(yaml: &str) -> BTreeMap<String, YamlField> {
    let field = |line: &str| {
        let (name, text) = line.split_once(": ")?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
        let text = text.trim();
        let inner = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
        // A list, a mapping or a block goes on in lines that cannot be read.
        let opens =
            text.starts_with(['[', '|', '>', '&', '*']) || (text.starts_with('{') && text.contains(": "));
        let is_whole = !text.is_empty() && !opens && text.len() <= MAX_LINE;
        let value = scalar(inner.unwrap_or(text), inner.is_none());
        (is_name && is_whole).then(|| (name.to_owned(), YamlField::Scalar(value)))
    };
    yaml.lines().filter_map(field).collect()
}

fn not_a_mapping() -> Reason {
    "not a list of `name: value` lines".to_owned()
}

fn nested(name: &str) -> Warning {
    Warning::new("metadata fields nested deeper than a list are dropped", format!("`{name}`"))
}

/// Keeps a field that was read, or warns that it has no value that a field can have.
pub(super) fn keep(
    name: String,
    value: Option<MetadataValue>,
    fields: &mut ReadFields,
    warnings: &mut Vec<Warning>,
) {
    match value {
        Some(value) => fields.push((name, value)),
        None => warnings.push(nested(&name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    use crate::Metadata;

    fn read(yaml: &str, warnings: &mut Vec<Warning>) -> Result<Metadata, Reason> {
        let mut metadata = Metadata::default();
        metadata.put_all(read_yaml(yaml, warnings)?, &mut Vec::new());
        Ok(metadata)
    }

    fn read_ok(yaml: &str) -> (Metadata, Vec<Warning>) {
        let mut warnings = Vec::new();
        (read(yaml, &mut warnings).unwrap(), warnings)
    }

    #[test]
    fn values_keep_their_types() {
        let (metadata, warnings) = read_ok(
            "title: \"Heart: failure\"\ndocument_id: hf\ndrugs: [ramipril, 'bisoprolol']\nyear: 2026\nweight: 0.85\n\
             draft: false\nquoted: \"2026\"\ndate: 2026-03-01T10:00:00Z\nnothing: ~\nempty:\n",
        );
        assert_eq!((metadata.title.as_str(), metadata.document_id.as_str()), ("Heart: failure", "hf"));
        let expected = [
            ("date", MetadataValue::Date("2026-03-01".parse().unwrap())),
            ("draft", MetadataValue::Boolean(false)),
            ("drugs", MetadataValue::Keywords(vec!["ramipril".into(), "bisoprolol".into()])),
            ("quoted", MetadataValue::Keyword("2026".into())),
            ("weight", MetadataValue::Float(0.85)),
            ("year", MetadataValue::Integer(2026)),
        ];
        assert_eq!(metadata.fields, expected.map(|(name, value)| (name.to_owned(), value)).into());
        assert!(warnings.is_empty());
    }

    #[test]
    fn what_is_nested_is_left_out_with_a_warning() {
        let (metadata, warnings) =
            read_ok("menu:\n  main: {weight: 1}\nlist:\n- [a]\n- b\nkept: yes\nbase: &b x\nref: *b\n");
        let names: Vec<&str> = metadata.fields.keys().map(String::as_str).collect();
        assert_eq!(names, ["base", "kept"]);
        assert_eq!(warnings.len(), 3, "{warnings:?}");
    }

    #[test]
    fn lists_and_broken_yaml_are_errors() {
        for yaml in ["- a\n- b", "just words", "a: [", "a"] {
            assert!(read(yaml, &mut Vec::new()).is_err(), "{yaml}");
        }
        assert!(read(&"a: b\n".repeat(300_000), &mut Vec::new()).is_err());
        assert_eq!(read_ok("").0, Metadata::default());
    }

    #[test]
    fn lines_are_read_where_the_whole_is_no_yaml() {
        let yaml =
            "title: {@attach ...}\nsummary: A: b\nweight: 3\nlist: [\n  a,\nname: 'it''s'\nempty:\n  x: y\n";
        let (metadata, warnings) = read_ok(yaml);
        assert_eq!(metadata.title, "{@attach ...}");
        assert_eq!(metadata.fields["summary"], MetadataValue::Keyword("A: b".into()));
        assert_eq!(metadata.fields["weight"], MetadataValue::Integer(3));
        assert!(warnings.len() == 1 && !metadata.fields.contains_key("list"));
    }

    #[test]
    fn deep_nesting_and_multiplying_aliases_are_harmless() {
        let deep = format!("a: {}", "[".repeat(60_000));
        assert!(read(&deep, &mut Vec::new()).is_err());
        let line = |level: u32| format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1);
        let bomb = "a0: &a0 [x, x]\n".to_owned() + &(1..60).map(line).collect::<Vec<_>>().concat();
        assert!(read(&bomb, &mut Vec::new()).is_ok());
    }

    #[test]
    fn toml_keeps_its_types() {
        let mut warnings = Vec::new();
        let text = "a = 1\nb = 1.5\nc = 2026-03-01T10:00:00Z\nd = [1, 'x']\ne = true\n[extra]\nf = 1\n";
        let fields = read_toml(text, &mut warnings).unwrap();
        let expected = [
            ("a", MetadataValue::Integer(1)),
            ("b", MetadataValue::Float(1.5)),
            ("c", MetadataValue::Date("2026-03-01".parse().unwrap())),
            ("d", MetadataValue::Keywords(vec!["1".into(), "x".into()])),
            ("e", MetadataValue::Boolean(true)),
        ];
        assert_eq!(fields, expected.map(|(name, value)| (name.to_owned(), value)));
        assert_eq!(warnings.len(), 1);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(yaml in "[-a: \\[\\]{}&*!|>'\"#%@`,\n~0.1]{0,80}") {
            let _ = read(&yaml, &mut Vec::new());
        }
    }
}
