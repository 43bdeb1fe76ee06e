//! Kinds of questions, by how much has to be searched for.

use serde::{Deserialize, Serialize};

ibid_platform::named! {
    /// A kind of question.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    pub(in crate::agent) enum Class {
        #[default]
        Simple = "SIMPLE",
        Comparative = "COMPARATIVE",
        MultiStep = "MULTI_STEP",
        Temporal = "TEMPORAL",
    }
}

impl Class {
    /// The number of sub-queries that the model is asked for.
    pub(in crate::agent) const fn sub_queries(self) -> usize {
        match self {
            Self::Simple => 1,
            Self::Comparative | Self::Temporal => 2,
            Self::MultiStep => 3,
        }
    }

    /// Reads the first class that a reply names; [`Class::Simple`] if it names none.
    pub(super) fn read(reply: &str) -> Self {
        let reply = reply.to_ascii_uppercase().replace(['-', ' '], "_");
        let named = Self::ALL.into_iter().filter_map(|class| Some((reply.find(class.as_str())?, class)));
        named.min_by_key(|(at, _)| *at).map_or(Self::Simple, |(_, class)| class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_read_out_of_replies() {
        for (reply, class) in [
            ("SIMPLE", Class::Simple),
            ("This is comparative.", Class::Comparative),
            ("**Multi-step**", Class::MultiStep),
            ("MULTI STEP, not SIMPLE", Class::MultiStep),
            ("temporal", Class::Temporal),
            ("I cannot say", Class::Simple),
            ("", Class::Simple),
        ] {
            assert_eq!(Class::read(reply), class, "{reply}");
        }
    }
}
