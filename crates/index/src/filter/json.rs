//! A filter from JSON and to JSON.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

use super::condition::Filter;
use super::path::FilterPath;
use super::read::{CLAUSES, FilterReader, as_object};
use super::{shorthand, write};
use ibid_platform::Result;

impl Filter {
    /// Reads Qdrant's form, which has one of the keys `must`, `should`, `must_not` and `min_should`, or else the
    /// shorthand.
    ///
    /// # Errors
    /// [`ibid_platform::ErrorCode::FilterInvalid`] with the place in the JSON, such as `must[1].range.gte`. Filters may be nested
    /// 32 deep and have 1,024 conditions and 65,536 values.
    pub fn from_json(value: &Value) -> Result<Self> {
        let mut reader = FilterReader::default();
        let object = as_object(value, &FilterPath::ROOT, shorthand::HINT)?;
        if CLAUSES.iter().any(|clause| object.contains_key(*clause)) {
            reader.filter(object, &FilterPath::ROOT, 0)
        } else {
            shorthand::filter(&mut reader, object, &FilterPath::ROOT, 0)
        }
    }

    /// Qdrant's form, to be sent to a Qdrant as it is.
    pub fn to_json(&self) -> Value {
        write::filter(self)
    }
}

/// Written in Qdrant's form.
impl Serialize for Filter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

/// Reads both forms, as [`Filter::from_json`], whose error it turns into the deserializer's.
impl<'de> Deserialize<'de> for Filter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::from_json(&value).map_err(|error| de::Error::custom(error.message()))
    }
}
