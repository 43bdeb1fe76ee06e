//! The differences of Claude's models, told by their names.
//!
//! The API says nothing of it, and refuses a request with a setting that the model does not have. The rules go by the version
//! in the name, so that a model of tomorrow is taken for one like the newest known; one that is no Claude, behind
//! a server of the same format, is taken for one like the oldest.

/// The abilities of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Traits {
    version: (u32, u32),
    /// True if it is one of the largest, which are ahead of their versions.
    large: bool,
}

impl Traits {
    /// Finds the traits of the model of that name, which may have a vendor before it and a date or tag behind.
    pub(super) fn of(model: &str) -> Self {
        let model = model.to_ascii_lowercase();
        Self { version: version(&model), large: model.contains("fable") || model.contains("mythos") }
    }

    /// Returns true if it decides itself how much to think, by an effort (from 4.6 on); earlier ones are given a budget of tokens.
    pub(super) fn adaptive(self) -> bool {
        self.version >= (4, 6)
    }

    /// Returns true if it refuses `temperature` (from 4.7 on).
    pub(super) fn fixed_sampling(self) -> bool {
        self.version >= (4, 7)
    }

    /// Returns true if it shows what it thinks only if asked to (from 4.7 on).
    pub(super) fn silent(self) -> bool {
        self.version >= (4, 7)
    }

    /// Returns true if it thinks unless told not to (from 5 on).
    pub(super) fn thinks_unasked(self) -> bool {
        self.version >= (5, 0)
    }

    /// Returns true if it cannot be told not to think (Fable and Mythos; others from 5.5 on).
    pub(super) fn always_thinks(self) -> bool {
        self.large || self.version >= (5, 5)
    }

    /// Returns true if it refuses to be made to call a tool (from 5.5 on, Fable and Mythos from 5.1 on).
    pub(super) fn unforced(self) -> bool {
        self.version >= if self.large { (5, 1) } else { (5, 5) }
    }
}

/// Reads the version in a name such as `claude-sonnet-4-6`, `claude-3-7-sonnet-20250219` or `anthropic/claude-4.7-opus`.
fn version(model: &str) -> (u32, u32) {
    let Some((_, name)) = model.split_once("claude") else { return (0, 0) };
    let words: Vec<&str> = name.split(|character: char| !character.is_ascii_alphanumeric()).collect();
    // Longer numbers are dates.
    let number = |word: &&str| if word.len() <= 2 { word.parse().ok() } else { None };
    let Some(at) = words.iter().position(|word| number(word).is_some()) else { return (99, 0) };
    let part = |at: usize| words.get(at).and_then(number).unwrap_or_default();
    (part(at), part(at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_wherever_they_stand() {
        for (model, wanted) in [
            ("claude-sonnet-4-6", (4, 6)),
            ("claude-haiku-4-5-20251001", (4, 5)),
            ("claude-sonnet-4-20250514", (4, 0)),
            ("claude-opus-4@20250514", (4, 0)),
            ("claude-3-7-sonnet-20250219", (3, 7)),
            ("claude-3-haiku-20240307", (3, 0)),
            ("claude-2.1", (2, 1)),
            ("anthropic/claude-4.7-opus", (4, 7)),
            ("us.anthropic.claude-opus-4-6-v1:0", (4, 6)),
            ("claude-fable-5-1@default", (5, 1)),
            ("claude-opus-5-20260724", (5, 0)),
            ("claude-next", (99, 0)),
            ("minimax-m2", (0, 0)),
            ("", (0, 0)),
        ] {
            assert_eq!(version(model), wanted, "{model}");
        }
    }

    #[test]
    fn each_trait_begins_with_its_version() {
        let traits = |model: &str| {
            let traits = Traits::of(model);
            [
                traits.adaptive(),
                traits.fixed_sampling(),
                traits.thinks_unasked(),
                traits.always_thinks(),
                traits.unforced(),
            ]
        };
        assert_eq!(traits("claude-sonnet-4-5"), [false; 5]);
        assert_eq!(traits("Claude-Sonnet-4-6"), [true, false, false, false, false]);
        assert_eq!(traits("claude-opus-4-8"), [true, true, false, false, false]);
        assert_eq!(traits("claude-sonnet-5"), [true, true, true, false, false]);
        assert_eq!(traits("claude-fable-5"), [true, true, true, true, false]);
        assert_eq!(traits("claude-fable-5-1"), [true; 5]);
        assert_eq!(traits("claude-opus-5-5"), [true; 5]);
        assert_eq!(traits("other-5-5"), [false; 5]);
    }
}
