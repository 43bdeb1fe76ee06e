//! The metadata of a document as a whole, typed.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value as Json;

use super::{Date, Warning, stem};
use ibid_platform::{Error, ErrorCode, Result, json, parse_float};

/// The longest name that a field may have, in bytes.
const MAX_NAME: usize = 64;

/// The metadata of a document as a whole.
///
/// Serialized with the type of each value next to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Metadata {
    /// Unique among the documents of an index: what the document says, else the file's name without its ending.
    pub document_id: String,
    /// The title that the document says, else its first heading of level 1, else the file's name without folder and ending.
    pub title: String,
    /// The address where the document can be read, if it is known.
    pub url: Option<String>,
    /// All further fields, by name.
    pub fields: BTreeMap<String, MetadataValue>,
}

ibid_platform::deserialize!(Metadata by fields: document_id, title, url, fields);

/// A value in a document's metadata.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetadataValue {
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// Any other finite number.
    Float(f64),
    /// A day, a month or a year.
    Date(Date),
    /// A word or a text.
    Keyword(String),
    /// Several of them.
    Keywords(Vec<String>),
}

impl<'de> Deserialize<'de> for MetadataValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        json::by_fields(deserializer, |fields| {
            let (kind, value) = fields.only()?;
            Ok(match kind.as_str() {
                "boolean" => Self::Boolean(json::of(value)?),
                "integer" => Self::Integer(json::of(value)?),
                "float" => Self::Float(json::of(value)?),
                "date" => Self::Date(json::of(value)?),
                "keyword" => Self::Keyword(json::of(value)?),
                "keywords" => Self::Keywords(json::of(value)?),
                other => return Err(serde_json::Error::custom(format!("unknown type `{other}`"))),
            })
        })
    }
}

/// The type of a field of the metadata, the same in all documents of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FieldType {
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// A number.
    Float,
    /// A day, a month or a year.
    Date,
    /// A word or a text.
    Keyword,
    /// A list of them.
    Keywords,
}

impl FieldType {
    /// Looks up the type of a field that has a meaning of its own: `specialty`, `document_type`, `journal`, `pmid`,
    /// `evidence_level` and `language` are keywords, `conditions` and `drugs` lists of them, `publication_date` is a
    /// date and `year` an integer. Any other field has the type of its values.
    pub(crate) fn known(name: &str) -> Option<Self> {
        Some(match name {
            "specialty" | "document_type" | "journal" | "pmid" | "evidence_level" | "language" => {
                Self::Keyword
            }
            "conditions" | "drugs" => Self::Keywords,
            "publication_date" => Self::Date,
            "year" => Self::Integer,
            _ => return None,
        })
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Date => "date",
            Self::Keyword => "keyword",
            Self::Keywords => "list of keywords",
        })
    }
}

impl MetadataValue {
    /// Returns the type of the value.
    pub fn field_type(&self) -> FieldType {
        match self {
            Self::Boolean(_) => FieldType::Boolean,
            Self::Integer(_) => FieldType::Integer,
            Self::Float(_) => FieldType::Float,
            Self::Date(_) => FieldType::Date,
            Self::Keyword(_) => FieldType::Keyword,
            Self::Keywords(_) => FieldType::Keywords,
        }
    }

    /// Reads a value from JSON, in which a date is a text of the form `2026-03-01`. `None` for what is nested, and for
    /// `null`.
    pub(crate) fn from_json(value: Json) -> Option<Self> {
        match value {
            Json::Array(items) => items
                .into_iter()
                .map(|item| Self::from_json(item).filter(|item| !matches!(item, Self::Keywords(_))))
                .map(|item| item.map(|item| item.to_string()))
                .collect::<Option<_>>()
                .map(Self::Keywords),
            Json::String(text) => {
                let date = if text.len() == "2026-03-01".len() { text.parse().ok() } else { None };
                Some(date.map_or(Self::Keyword(text), Self::Date))
            }
            Json::Bool(flag) => Some(Self::Boolean(flag)),
            Json::Number(number) => match number.as_i64() {
                Some(number) => Some(Self::Integer(number)),
                None => number.as_f64().filter(|number| number.is_finite()).map(Self::Float),
            },
            Json::Null | Json::Object(_) => None,
        }
    }

    /// Makes a value of a field of that type as [`MetadataValue`] becomes JSON; `None` for what is none.
    pub fn of_type(value: Json, to: FieldType) -> Option<Self> {
        Self::from_json(value)?.convert(to).ok()
    }

    /// Converts the value to another type, where that says the same: a whole number as a float, a single value as a
    /// keyword or a list of one, a year as a date, and a text that reads as a value of the type. Else the value as it
    /// was.
    pub(crate) fn convert(self, to: FieldType) -> Result<Self, Self> {
        match (self, to) {
            (value, to) if value.field_type() == to => Ok(value),
            (Self::Integer(number), FieldType::Float) => Ok(Self::Float(number as f64)),
            (Self::Integer(number), FieldType::Date) => {
                let year = u16::try_from(number).ok().and_then(|year| Date::new(year, None, None));
                year.map(Self::Date).ok_or(Self::Integer(number))
            }
            (Self::Keyword(text), FieldType::Integer | FieldType::Float | FieldType::Date) => {
                let trimmed = text.trim();
                let value = match to {
                    FieldType::Date => date(trimmed).or_else(|| trimmed.parse().ok()).map(Self::Date),
                    _ => scalar(trimmed, true).and_then(|value| match value {
                        Self::Integer(_) | Self::Float(_) => value.convert(to).ok(),
                        _ => None,
                    }),
                };
                value.ok_or(Self::Keyword(text))
            }
            (Self::Keywords(items), _) => Err(Self::Keywords(items)),
            (value, FieldType::Keyword) => Ok(Self::Keyword(value.to_string())),
            (value, FieldType::Keywords) => Ok(Self::Keywords(vec![value.to_string()])),
            (value, _) => Err(value),
        }
    }
}

/// The value in the plain form, which shows its type; a date is text.
impl From<MetadataValue> for Json {
    fn from(value: MetadataValue) -> Self {
        match value {
            MetadataValue::Boolean(value) => value.into(),
            MetadataValue::Integer(value) => value.into(),
            MetadataValue::Float(value) => value.into(),
            MetadataValue::Date(value) => value.to_string().into(),
            MetadataValue::Keyword(value) => value.into(),
            MetadataValue::Keywords(values) => values.into(),
        }
    }
}

/// The value as a text; the items of a list with commas between them.
impl fmt::Display for MetadataValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Date(value) => value.fmt(f),
            Self::Keyword(value) => value.fmt(f),
            Self::Keywords(values) => values.join(", ").fmt(f),
        }
    }
}

impl Metadata {
    /// Sets a field from text, as on a command line: a known field by its type (the items of a list with commas
    /// between them), any other as YAML would read the text. `document_id`, `title` and `url` are set too.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] when the name is none, and [`ErrorCode::MetadataType`] when the text is no value
    /// of the known field's type.
    pub fn set(&mut self, name: &str, text: &str) -> Result<()> {
        if !is_name(name) {
            return Err(Error::new(ErrorCode::InvalidOption, format!("`{name}` is no name for a field."))
                .with_hint(NAME_HINT));
        }
        let is_list = matches!(self.fields.get(name), Some(MetadataValue::Keywords(_)))
            || FieldType::known(name) == Some(FieldType::Keywords);
        let value = if is_list {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            MetadataValue::Keywords(items.map(str::to_owned).collect())
        } else {
            match FieldType::known(name) {
                Some(known) => MetadataValue::Keyword(text.to_owned()).convert(known).map_err(|_| {
                    Error::new(ErrorCode::MetadataType, format!("`{text}` is no {known}, which `{name}` is."))
                })?,
                None => match scalar(text, true) {
                    Some(value) => value,
                    None => return Ok(()),
                },
            }
        };
        self.put(name, value);
        Ok(())
    }

    /// Fills in what the document did not say: its id by its name, and its title by its first heading, else its name.
    pub(super) fn complete(&mut self, source: &str, first_heading: Option<&str>) {
        let stem = stem(source);
        if self.document_id.is_empty() {
            stem.clone_into(&mut self.document_id);
        }
        if self.title.is_empty() {
            let file_name = stem.rsplit('/').next().unwrap_or(stem);
            first_heading.unwrap_or(file_name).clone_into(&mut self.title);
        }
    }

    /// Takes over fields that were read from a file. One whose name is none is left out with a warning.
    pub(super) fn put_all(
        &mut self,
        fields: impl IntoIterator<Item = (String, MetadataValue)>,
        warnings: &mut Vec<Warning>,
    ) {
        for (name, value) in fields {
            if is_name(&name) {
                self.put(&name, value);
            } else {
                let shown: String = name.chars().take(MAX_NAME).collect();
                warnings.push(Warning::new(UNNAMED, format!("`{shown}`")));
            }
        }
    }

    /// Sets a field, known ones as their type where that is possible; where not, the field is widened in the end.
    pub(super) fn put(&mut self, name: &str, value: MetadataValue) {
        match name {
            "document_id" | "id" => self.document_id = value.to_string(),
            "title" => self.title = value.to_string(),
            "url" => self.url = Some(value.to_string()).filter(|url| !url.is_empty()),
            _ => {
                let value = match FieldType::known(name) {
                    Some(known) => value.convert(known).unwrap_or_else(|value| value),
                    None => value,
                };
                self.fields.insert(name.to_owned(), value);
            }
        }
    }
}

/// Resolves a scalar by YAML 1.2's core schema (section 10.3.2), and a day by its form; a quoted one is always text.
pub(super) fn scalar(text: &str, plain: bool) -> Option<MetadataValue> {
    if !plain {
        return Some(MetadataValue::Keyword(text.to_owned()));
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return None,
        "true" | "True" | "TRUE" => return Some(MetadataValue::Boolean(true)),
        "false" | "False" | "FALSE" => return Some(MetadataValue::Boolean(false)),
        _ => {}
    }
    if let Ok(integer) = text.parse() {
        return Some(MetadataValue::Integer(integer));
    }
    if let Some(date) = date(text) {
        return Some(MetadataValue::Date(date));
    }
    match parse_float(text) {
        Some(float) if float.is_finite() => Some(MetadataValue::Float(float)),
        _ => Some(MetadataValue::Keyword(text.to_owned())),
    }
}

/// Reads the day that a text names in the form `2026-03-01`; a time behind it is passed over, for what is dated by the
/// minute in one document is dated by the day in another.
fn date(text: &str) -> Option<Date> {
    let day: Date = text.get(..10)?.parse().ok()?;
    let time = &text.as_bytes()[10..];
    match time {
        [] | [b'T' | b't' | b' ', b'0'..=b'9', ..] => Some(day),
        _ => None,
    }
}

const UNNAMED: &str =
    "metadata fields whose names are not letters, digits, `_` and `-`, at most 64, are left out";
const NAME_HINT: &str = "Names have letters, digits, `_` and `-`, at most 64 in all.";

fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Metadata {
        let mut metadata = Metadata { document_id: "a".into(), title: "T".into(), ..Metadata::default() };
        for (name, text) in [
            ("year", "2026"),
            ("publication_date", "2026-03"),
            ("drugs", "ramipril, bisoprolol"),
            ("pmid", "0123"),
        ] {
            metadata.set(name, text).unwrap();
        }
        for (name, text) in [("weight", "0.5"), ("draft", "true"), ("checked", "2026-03-01"), ("url", "/a")] {
            metadata.set(name, text).unwrap();
        }
        metadata
    }

    #[test]
    fn known_fields_have_their_type_and_others_that_of_their_text() {
        let fields = sample().fields;
        let types: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.field_type())).collect();
        let expected = [
            ("checked", FieldType::Date),
            ("draft", FieldType::Boolean),
            ("drugs", FieldType::Keywords),
            ("pmid", FieldType::Keyword),
            ("publication_date", FieldType::Date),
            ("weight", FieldType::Float),
            ("year", FieldType::Integer),
        ];
        assert_eq!(types, expected);
        assert_eq!(fields["pmid"].to_string(), "0123");
    }

    #[test]
    fn wrong_names_and_values_are_errors() {
        let set = |name: &str, text: &str| Metadata::default().set(name, text).unwrap_err().code();
        assert_eq!(set("a b", "x"), ErrorCode::InvalidOption);
        assert_eq!(set("", "x"), ErrorCode::InvalidOption);
        assert_eq!(set(&"a".repeat(65), "x"), ErrorCode::InvalidOption);
        assert_eq!(set("year", "soon"), ErrorCode::MetadataType);
        assert_eq!(set("publication_date", "2026-02-30"), ErrorCode::MetadataType);
    }

    #[test]
    fn json_reads_back() {
        let metadata = sample();
        let json = serde_json::to_string(&metadata).unwrap();
        assert_eq!(serde_json::from_str::<Metadata>(&json).unwrap(), metadata);
        for wrong in [r#"{"keyword": "a", "integer": 1}"#, r#"{"colour": "red"}"#, "{}", "7"] {
            assert!(serde_json::from_str::<MetadataValue>(wrong).is_err(), "{wrong}");
        }
    }
}
