//! Providers as arguments name them.

use clap::builder::{PossibleValuesParser, TypedValueParser};

use ibid_platform::{PROVIDERS, ProviderKind, ProviderRow};

/// Reads the name of a provider that can do what is asked for; help and errors list them all.
pub fn provider(can: fn(&ProviderRow) -> bool) -> impl TypedValueParser<Value = ProviderKind> {
    let named = PROVIDERS.iter().filter(move |row| can(row)).map(|row| row.id);
    PossibleValuesParser::new(named).try_map(|id| ProviderKind::named(&id).ok_or("there is no such provider"))
}
