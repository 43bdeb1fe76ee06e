//! Metadata from a file next to a document.

use super::front_matter::{ReadFields, keep, read_toml, read_yaml};
use super::{MetadataValue, Warning, invalid};
use ibid_platform::Result;

/// The endings of a sidecar's name, behind the whole name of its document: `guide.md.meta.yaml`.
pub const SIDECAR_ENDINGS: [&str; 4] = [".meta.yaml", ".meta.yml", ".meta.toml", ".meta.json"];

/// Reads a sidecar by the ending of its name.
pub(super) fn read(name: &str, bytes: &[u8], warnings: &mut Vec<Warning>) -> Result<ReadFields> {
    let text = std::str::from_utf8(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes))
        .map_err(|_| invalid(name, "it is not UTF-8"))?;
    let lower = name.to_ascii_lowercase();
    match SIDECAR_ENDINGS.iter().position(|ending| lower.ends_with(ending)) {
        Some(0 | 1) => read_yaml(text, warnings),
        Some(2) => read_toml(text, warnings),
        Some(_) => read_json(text, warnings),
        None => {
            return Err(invalid(name, "its name does not end like a sidecar's")
                .with_hint("Sidecars end in .meta.yaml, .meta.yml, .meta.toml or .meta.json."));
        }
    }
    .map_err(|reason| invalid(name, &format!("its metadata is {reason}")))
}

/// Reads a JSON object; `serde_json` bounds how deep it nests.
fn read_json(text: &str, warnings: &mut Vec<Warning>) -> Result<ReadFields, String> {
    let object: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(text).map_err(|error| format!("not a JSON object ({error})"))?;
    let mut fields = ReadFields::new();
    for (key, value) in object {
        if !value.is_null() {
            keep(key, MetadataValue::from_json(value), &mut fields, warnings);
        }
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Metadata;

    fn read_over(metadata: &mut Metadata, name: &str, text: &str) -> Result<Vec<Warning>> {
        let mut warnings = Vec::new();
        metadata.put_all(read(name, text.as_bytes(), &mut warnings)?, &mut warnings);
        Ok(warnings)
    }

    #[test]
    fn a_sidecar_goes_over_what_is_there() {
        for (name, text) in [
            ("a.md.meta.yaml", "title: New\nconditions: asthma\nyear: 2020\n"),
            ("a.md.meta.toml", "title = 'New'\nconditions = 'asthma'\nyear = 2020\n"),
            ("a.md.meta.json", r#"{"title": "New", "conditions": "asthma", "year": 2020}"#),
        ] {
            let mut metadata = Metadata { document_id: "a".into(), title: "T".into(), ..Metadata::default() };
            metadata.set("year", "2026").unwrap();
            assert_eq!(read_over(&mut metadata, name, text).unwrap(), []);
            assert_eq!((metadata.title.as_str(), metadata.document_id.as_str()), ("New", "a"));
            assert_eq!(metadata.fields["conditions"], MetadataValue::Keywords(vec!["asthma".into()]));
            assert_eq!(metadata.fields["year"], MetadataValue::Integer(2020));
        }
        let mut metadata = Metadata::default();
        let warnings = read_over(&mut metadata, "x.meta.json", r#"{"a b": 1, "c": {"d": 1}}"#).unwrap();
        assert_eq!(warnings.len(), 2);
        for (name, text) in
            [("x.meta.json", "[1]"), ("x.meta.toml", "= 1"), ("x.meta.yaml", "- 1"), ("x.txt", "")]
        {
            assert!(read_over(&mut metadata, name, text).is_err(), "{name}");
        }
    }

    #[test]
    fn nesting_without_end_is_an_error() {
        for (name, text) in
            [("a.meta.toml", "a = ".to_owned() + &"[".repeat(60_000)), ("a.meta.json", "[".repeat(60_000))]
        {
            assert!(read(name, text.as_bytes(), &mut Vec::new()).is_err());
        }
    }
}
