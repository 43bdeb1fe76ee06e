//! Enums whose variants have a name: in options, in JSON, in rule files or for a person.

/// Declares such an enum, with `ALL`, `as_str` and `from_name`.
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$doc:meta])* $variant:ident = $text:literal,)*
    }) => {
        $(#[$meta])*
        $vis enum $name {
            $($(#[$doc])* $variant,)*
        }

        #[allow(dead_code, reason = "not everything that has a name is listed or read")]
        impl $name {
            /// All of them, in order.
            $vis const ALL: [Self; [$($text),*].len()] = [$(Self::$variant),*];

            /// Returns the stable text form.
            $vis const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// Returns the one of that text form.
            $vis fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.as_str() == name)
            }
        }
    };
}

/// Writes an enum of [`named!`] in JSON by its text form, and reads it.
#[macro_export]
macro_rules! json_by_name {
    ($name:ident, $what:literal) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(from)?;
                let unknown = || serde::de::Error::custom(format!("unknown {} `{name}`", $what));
                Self::from_name(&name).ok_or_else(unknown)
            }
        }
    };
}
