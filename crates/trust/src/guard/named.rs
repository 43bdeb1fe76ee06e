//! Enums whose variants have a name in the options, in JSON and in rule files.

/// Declares such an enum, with `ALL` and `as_str`.
macro_rules! named {
    ($(#[$meta:meta])* pub enum $name:ident: $count:literal {
        $($(#[$doc:meta])* $variant:ident = $text:literal,)*
    }) => {
        $(#[$meta])*
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// All of them, in order.
            pub const ALL: [Self; $count] = [$(Self::$variant),*];

            /// Returns the stable text form.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }
    };
}

pub(super) use named;
