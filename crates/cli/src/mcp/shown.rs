//! Parts of what tools return: XML for a model, JSON for programs.

use serde_json::Value;

use ibid_trust::cite::xml::escape;

/// Writes the attributes that have a value.
pub(super) fn attributes(xml: &mut String, attributes: &[(&str, Option<&str>)]) {
    for (name, value) in attributes {
        if let Some(value) = value {
            xml.extend([" ", name, "=\""]);
            escape(xml, value, true);
            xml.push('"');
        }
    }
}

/// Makes the object without the fields that have no value.
pub(super) fn without_nulls(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    object
}
