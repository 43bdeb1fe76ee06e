//! Reads types from trees of JSON, in less code than Serde's own ways take.
//!
//! What a derived `Deserialize` can read, the compiler writes out for each form that a deserializer may have for it. Here an
//! object has one form: no array stands for a struct, and what has a tag is not first copied to a tree of Serde's own.
//!

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, Unexpected, VariantAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Value};

/// A value that types are read from.
pub(super) struct TreeReader(pub(super) Value);

impl TreeReader {
    fn unexpected<'de, V: Visitor<'de>>(&self, visitor: &V) -> Error {
        let found = match &self.0 {
            Value::Null => Unexpected::Unit,
            Value::Bool(value) => Unexpected::Bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => Unexpected::Unsigned(number),
                (None, Some(number)) => Unexpected::Signed(number),
                (None, None) => Unexpected::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        };
        Error::invalid_type(found, visitor)
    }

    fn text<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(text) => visitor.visit_string(text),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn number<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Value::Number(number) = &self.0 else { return Err(self.unexpected(&visitor)) };
        if let Some(number) = number.as_u64() {
            visitor.visit_u64(number)
        } else if let Some(number) = number.as_i64() {
            visitor.visit_i64(number)
        } else {
            visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN))
        }
    }

    fn list<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(list) => visitor.visit_seq(Elements(list.into_iter())),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn object<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(fields) => {
                visitor.visit_map(Members { rest: fields.into_iter(), value: Value::Null })
            }
            _ => Err(self.unexpected(&visitor)),
        }
    }
}

/// The methods of [`Deserializer`] that all do the same.
macro_rules! read {
    ($how:ident: $($method:ident)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.$how(visitor)
        })+
    };
}

impl<'de> Deserializer<'de> for TreeReader {
    type Error = Error;

    read!(text: deserialize_str deserialize_string deserialize_char deserialize_identifier);
    read!(number: deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_i8 deserialize_i16);
    read!(number: deserialize_i32 deserialize_i64 deserialize_f32 deserialize_f64);
    read!(list: deserialize_seq);
    read!(object: deserialize_map);

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(_) => self.number(visitor),
            Value::String(text) => visitor.visit_string(text),
            Value::Array(_) => self.list(visitor),
            Value::Object(_) => self.object(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Bool(value) => visitor.visit_bool(value),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.object(visitor)
    }

    /// A variant without values is its name, one with a value an object whose only field has that name.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(Variant { name, value: None }),
            Value::Object(fields) if fields.len() == 1 => match fields.into_iter().next() {
                Some((name, value)) => visitor.visit_enum(Variant { name, value: Some(value) }),
                None => Err(Error::invalid_type(Unexpected::Map, &visitor)),
            },
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { i128 u128 bytes byte_buf unit unit_struct }
}

struct Elements(std::vec::IntoIter<Value>);

impl<'de> SeqAccess<'de> for Elements {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        self.0.next().map(|value| seed.deserialize(TreeReader(value))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Members {
    rest: serde_json::map::IntoIter,
    value: Value,
}

impl<'de> MapAccess<'de> for Members {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((name, value)) = self.rest.next() else { return Ok(None) };
        self.value = value;
        seed.deserialize(TreeReader(Value::String(name))).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(TreeReader(self.value.take()))
    }
}

struct Variant {
    name: String,
    value: Option<Value>,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = Error;
    type Variant = VariantContent;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, VariantContent), Error> {
        Ok((seed.deserialize(TreeReader(Value::String(self.name)))?, VariantContent(self.value)))
    }
}

struct VariantContent(Option<Value>);

impl VariantContent {
    fn value(self) -> Result<TreeReader, Error> {
        self.0.map(TreeReader).ok_or_else(|| Error::custom("the variant has no value"))
    }
}

impl<'de> VariantAccess<'de> for VariantContent {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.0 {
            None | Some(Value::Null) => Ok(()),
            Some(_) => Err(Error::custom("the variant takes no value")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self.value()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.value()?.list(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.value()?.object(visitor)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    struct Everything {
        flag: bool,
        small: u8,
        signed: i32,
        real: f32,
        letter: char,
        text: String,
        maybe: Option<u64>,
        list: Vec<Kind>,
        pair: (u16, String),
        table: BTreeMap<String, f64>,
        any: Value,
        new: New,
        inner: Option<Box<Everything>>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    enum Kind {
        Unit,
        New(String),
        Pair(i64, bool),
        Fields { a: u32 },
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    struct New(u32);

    fn same(value: &Value) {
        let ours = super::super::of::<Everything>(value.clone());
        let theirs = serde_json::from_value::<Everything>(value.clone());
        match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs),
            (Err(ours), Err(theirs)) => {
                assert_eq!(ours.to_string().split(',').next(), theirs.to_string().split(',').next());
            }
            (ours, theirs) => panic!("{value}: {ours:?}, {theirs:?}"),
        }
    }

    #[test]
    fn reads_what_serde_json_reads() {
        same(&json!({
            "flag": true, "small": 255, "signed": -7, "real": 1.5, "letter": "é", "text": "t", "maybe": null,
            "list": ["Unit", {"New": "n"}, {"Pair": [1, false]}, {"Fields": {"a": 1}}], "pair": [1, "p"],
            "table": {"x": 1}, "any": [{"y": null}], "new": 3, "inner": {"maybe": 1}, "unknown": {"z": []},
        }));
        for (name, wrong) in [
            ("flag", json!(1)),
            ("small", json!(256)),
            ("small", json!(1.0)),
            ("letter", json!("ab")),
            ("text", json!({})),
            ("list", json!({})),
            ("list", json!([null])),
            ("list", json!(["Other"])),
            ("pair", json!([1])),
            ("table", json!([])),
            ("new", json!("3")),
            ("inner", json!(true)),
        ] {
            same(&json!({ name: wrong }));
        }
    }

    #[test]
    fn an_array_is_no_struct() {
        assert!(super::super::of::<Everything>(json!([])).is_err());
        assert!(super::super::of::<Kind>(json!("New")).is_err());
        assert!(super::super::of::<Kind>(json!({"Unit": 1})).is_err());
        assert!(super::super::of::<Kind>(json!({"Unit": null, "New": "two"})).is_err());
    }

    proptest! {
        #[test]
        fn never_panics(text in r#"[\[\]{}",:a-z0-9. ]{0,40}"#) {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                let _ = super::super::of::<Everything>(json!({"inner": value.clone(), "list": [value]}));
            }
        }
    }
}
