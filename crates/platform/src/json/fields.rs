//! Reads types from the fields of an object, one by one.
//!
//! A derived `Deserialize` keeps all fields apart until the last is read, which takes up to ten times the code. What a page
//! fetches before it can search is therefore read in this way.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Error, Map, Value};

/// The fields of an object, which are taken one by one: also for types that tell by a field what the others are.
pub struct Fields {
    left: Map<String, Value>,
    /// The names that were asked for.
    known: Vec<&'static str>,
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self { left: Map::deserialize(deserializer)?, known: Vec::new() })
    }
}

/// Reads an object by its fields.
pub fn by_fields<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    read: impl FnOnce(&mut Fields) -> Result<T, Error>,
) -> Result<T, D::Error> {
    read(&mut Fields::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// Reads one of a few values by its name.
pub fn by_name<'de, D: Deserializer<'de>, T: Copy>(
    deserializer: D,
    named: &[(&'static str, T)],
) -> Result<T, D::Error> {
    let name = String::deserialize(deserializer)?;
    let found = named.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<&str> = named.iter().map(|(known, _)| *known).collect();
        D::Error::custom(unknown("variant", &name, &known))
    })
}

impl Fields {
    /// Reads the field into its place; if it is absent, that stays as it is.
    pub fn set<T: DeserializeOwned>(&mut self, name: &'static str, place: &mut T) -> Result<(), Error> {
        if let Some(value) = self.remove(name) {
            *place = super::of(value)?;
        }
        Ok(())
    }

    /// Returns the field, which counts as `null` if it is absent; what cannot be `null` has to be there.
    pub fn take<T: DeserializeOwned, E: serde::de::Error>(&mut self, name: &'static str) -> Result<T, E> {
        match self.remove(name) {
            Some(value) => super::of(value).map_err(|error| E::custom(format_args!("{name}: {error}"))),
            None => super::of(Value::Null).map_err(|_| E::missing_field(name)),
        }
    }

    /// Returns the field, or what it is by default.
    pub fn take_or<T: DeserializeOwned, E: serde::de::Error>(
        &mut self,
        name: &'static str,
        default: T,
    ) -> Result<T, E> {
        if self.left.contains_key(name) {
            return self.take(name);
        }
        self.known.push(name);
        Ok(default)
    }

    /// Returns the only field, which names the kind of its value.
    pub fn only(&mut self) -> Result<(String, Value), Error> {
        let mut fields = std::mem::take(&mut self.left).into_iter();
        match (fields.next(), fields.next()) {
            (Some(only), None) => Ok(only),
            _ => Err(Error::custom("not an object with one field")),
        }
    }

    /// Returns the fields that have not been taken, as one value.
    pub fn rest<T: DeserializeOwned, E: serde::de::Error>(self) -> Result<T, E> {
        super::of(Value::Object(self.left)).map_err(E::custom)
    }

    /// Returns whether fields have not been taken that say something: more than `null` or an empty list.
    pub fn has_more(&self) -> bool {
        self.left
            .values()
            .any(|value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty()))
    }

    /// Refuses fields that have not been taken.
    pub fn none_left<E: serde::de::Error>(&self) -> Result<(), E> {
        match self.left.keys().next() {
            Some(name) => Err(E::custom(unknown("field", name, &self.known))),
            None => Ok(()),
        }
    }

    fn remove(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.left.remove(name)
    }
}

fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let known: Vec<String> = known.iter().map(|known| format!("`{known}`")).collect();
    format!("unknown {what} `{name}`, expected one of {}", known.join(", "))
}

/// Reads fields of an object into those of a value. They have the same names, unless another one is said.
#[macro_export]
macro_rules! set_fields {
    ($fields:ident, $into:ident: $($field:ident $(as $name:literal)?),+ $(,)?) => {
        $($fields.set($crate::set_fields!(@ $field $($name)?), &mut $into.$field)?;)+
    };
    (@ $field:ident) => { stringify!($field) };
    (@ $field:ident $name:literal) => { $name };
}

/// Reads a type from JSON: by its name, by its fields, or by those that are there, over what it is by default. Then
/// [`none_left`](crate::json::Fields::none_left) may refuse others.
#[macro_export]
macro_rules! deserialize {
    ($type:ident by name: $($name:literal => $variant:ident),+ $(,)?) => {
        $crate::deserialize!(@ $type, from, $crate::json::by_name(from, &[$(($name, Self::$variant)),+]));
    };
    ($type:ident by fields $(, $then:ident)?: $($field:ident $(as $name:literal)? $(or $default:expr)?),+ $(,)?) => {
        $crate::deserialize!(@ $type, from, $crate::json::by_fields(from, |fields| {
            let read = Self {
                $($field: $crate::deserialize!(@take fields, $crate::set_fields!(@ $field $($name)?) $(, $default)?)),+
            };
            $(fields.$then()?;)?
            Ok(read)
        }));
    };
    ($type:ident over default $(, $then:ident)?: $($fields:tt)+) => {
        $crate::deserialize!(@ $type, from, $crate::json::by_fields(from, |fields| {
            let mut read = Self::default();
            $crate::set_fields!(fields, read: $($fields)+);
            $(fields.$then()?;)?
            Ok(read)
        }));
    };
    (@take $fields:ident, $name:expr) => { $fields.take($name)? };
    (@take $fields:ident, $name:expr, $default:expr) => { $fields.take_or($name, $default)? };
    (@ $type:ident, $from:ident, $read:expr) => {
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>($from: D) -> std::result::Result<Self, D::Error> {
                $read
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_taken_once() {
        let mut fields: Fields = super::super::of(json!({"a": 1, "b": "x", "c": null})).unwrap();
        assert_eq!(fields.take::<u8, Error>("a").unwrap(), 1);
        assert!(fields.take::<u8, Error>("a").unwrap_err().to_string().contains("missing field `a`"));
        assert!(fields.take::<u8, Error>("b").unwrap_err().to_string().starts_with("b: invalid type"));
        assert_eq!(fields.take::<Option<u8>, Error>("absent").unwrap(), None);
        assert_eq!(fields.take_or("absent", 7).map_err(|error: Error| error.to_string()), Ok(7));
        assert!(!fields.has_more());
        assert!(super::super::of::<Fields>(json!({"b": [], "c": 0})).unwrap().has_more());
        assert!(fields.none_left::<Error>().unwrap_err().to_string().contains('c'));
    }
}
