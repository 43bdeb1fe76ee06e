//! Values of arguments by their names, which help and errors list.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::de::DeserializeOwned;

use ibid_platform::{PROVIDERS, ProviderKind, ProviderRow};

/// Reads a value of an enum by one of these names, which it has in JSON.
pub fn named<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| serde_json::from_value(name.into()))
}

/// Reads the name of a provider that can do what is asked for.
pub fn provider(can: fn(&ProviderRow) -> bool) -> impl TypedValueParser<Value = ProviderKind> {
    named(PROVIDERS.iter().filter(move |row| can(row)).map(|row| row.id))
}
