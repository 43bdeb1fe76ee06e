//! The kinds of personal data that are looked for, and their treatment.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use ibid_platform::{Error, ErrorCode, Result};

/// The treatment of personal data in a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PiiMode {
    /// Nothing is looked for.
    Off,
    /// It is found and reported, and goes to the model as it is.
    Flag,
    /// It is replaced by placeholders before anything leaves, and put back where the person reads.
    #[default]
    Redact,
}

ibid_platform::named! {
    /// The kinds of personal data that are known without options. The text form, in JSON and in placeholders, is the name
    /// in capitals, such as `NAME` in `[NAME_1]`; it is read in any case.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(try_from = "String", into = "String")]
    #[non_exhaustive]
    pub enum PiiKind {
        /// A person's name, by what stands before it ("patient", "my name is", "Mrs").
        Name = "NAME",
        /// An e-mail address.
        Email = "EMAIL",
        /// A telephone number, with its extension.
        Phone = "PHONE",
        /// A number of social security: of the United States by its form, of other countries by a cue.
        Ssn = "SSN",
        /// An NHS number.
        Nhs = "NHS",
        /// The number of a payment card.
        Card = "CARD",
        /// An international bank account number.
        Iban = "IBAN",
        /// A medical record number, or another number of a person at an institution, by a cue.
        Mrn = "MRN",
        /// A date of birth, by a cue.
        Dob = "DOB",
        /// Any full date. Only if it is asked for.
        Date = "DATE",
        /// A postal address.
        Address = "ADDRESS",
        /// An address of the internet protocol, version 4 or 6.
        Ip = "IP",
        /// A web address with credentials, a token or another long opaque value in it.
        Url = "URL",
        /// The number of a passport, an identity card or a driving licence, by a cue.
        Passport = "PASSPORT",
        /// A key, a token or a password.
        Secret = "SECRET",
        /// The hardware address of a network card.
        Mac = "MAC",
        /// The address of a wallet of Bitcoin, Ethereum and their like.
        Wallet = "WALLET",
    }
}

impl PiiKind {
    /// Finds the kind of that text form, in any case.
    pub(super) fn named(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(text))
    }
}

impl TryFrom<String> for PiiKind {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::named(&text).ok_or_else(|| {
            let known = Self::ALL.map(Self::as_str).join(", ");
            Error::new(
                ErrorCode::InvalidOption,
                format!("There is no kind of personal data called `{text}`."),
            )
            .with_hint(format!("The kinds are {known}."))
        })
    }
}

impl From<PiiKind> for String {
    fn from(kind: PiiKind) -> Self {
        kind.as_str().to_owned()
    }
}

/// Options for personal data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PiiOptions {
    /// Its treatment. Default: [`PiiMode::Redact`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<PiiMode>,
    /// The kinds that are looked for. Default: everything but [`PiiKind::Date`], and where questions are about documentation and
    /// not about people ([`PiiOptions::resolve`]) also without [`PiiKind::Ip`] and [`PiiKind::Mac`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<PiiKind>>,
    /// More to be found, by label: patterns in the syntax that [`super::pattern`] documents, such as
    /// `"STAFF": ["KH-#{6}"]`. A label has 1 to 24 capital letters, digits and `_`, and starts with a letter.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub patterns: BTreeMap<String, Vec<String>>,
    /// More to be found, by label: words and phrases, whole and in any case.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub words: BTreeMap<String, Vec<String>>,
    /// Values that are never taken for personal data, such as the name of the house itself: whole values, in any case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
}

impl PiiOptions {
    /// Returns the options with their defaults filled in; `clinical` says whether questions are about people's health.
    #[must_use]
    pub fn resolve(&self, clinical: bool) -> Self {
        let default = || {
            let wanted = |kind: &PiiKind| match kind {
                PiiKind::Date => false,
                PiiKind::Ip | PiiKind::Mac => clinical,
                _ => true,
            };
            PiiKind::ALL.into_iter().filter(wanted).collect()
        };
        Self {
            mode: Some(self.mode()),
            kinds: Some(self.kinds.clone().unwrap_or_else(default)),
            ..self.clone()
        }
    }

    /// Returns the treatment of personal data.
    pub fn mode(&self) -> PiiMode {
        self.mode.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_read_in_any_case_and_written_in_capitals() {
        let options: PiiOptions = serde_json::from_str(r#"{"mode":"flag","kinds":["name","IBAN"]}"#).unwrap();
        assert_eq!(options.kinds, Some(vec![PiiKind::Name, PiiKind::Iban]));
        assert_eq!(serde_json::to_string(&options).unwrap(), r#"{"mode":"flag","kinds":["NAME","IBAN"]}"#);
        let error = serde_json::from_str::<PiiOptions>(r#"{"kinds":["nme"]}"#).unwrap_err().to_string();
        assert!(error.contains("`nme`"), "{error}");
        assert!(serde_json::from_str::<PiiOptions>(r#"{"kind":["NAME"]}"#).is_err());
    }

    #[test]
    fn dates_are_left_and_documentation_keeps_its_addresses() {
        let clinical = PiiOptions::default().resolve(true);
        assert_eq!(clinical.mode, Some(PiiMode::Redact));
        let kinds = clinical.kinds.unwrap();
        assert!(kinds.contains(&PiiKind::Ip) && !kinds.contains(&PiiKind::Date));
        assert!(!PiiOptions::default().resolve(false).kinds.unwrap().contains(&PiiKind::Ip));
        let asked = PiiOptions { kinds: Some(vec![PiiKind::Date]), ..PiiOptions::default() };
        assert_eq!(asked.resolve(false).kinds, Some(vec![PiiKind::Date]));
    }
}
