//! Circumstances that change what is right: pregnancy, an allergy, an age.

use ibid_text::Words;

use super::lists::{has_word, lines};

/// The group of circumstances of which none excludes another.
const APART: &str = "-";

/// Whom a text is about often stands in it by the way.
const BY_THE_WAY: &str = "sex";

/// The fit of a passage's circumstances with those of the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// They are the same.
    Fits,
    /// It is about a circumstance that the question does not name.
    Special,
    /// It is about another circumstance than the question, or about all but the question's.
    Contradicts,
}

/// The circumstances that are known, and those of a question.
#[derive(Debug)]
pub(super) struct Circumstances(Vec<Circumstance>);

#[derive(Debug)]
struct Circumstance {
    group: &'static str,
    names: Vec<String>,
    /// The question names it.
    asked: bool,
}

impl Circumstances {
    /// Reads those of a question, [flattened](flat).
    pub(super) fn of(question: &str) -> Self {
        let known = lines("conditions").map(|line| {
            let mut words = line.split(' ');
            let group = words.next().unwrap_or_default();
            let names: Vec<String> = words.map(|word| word.replace('_', " ")).collect();
            let asked = stands(&names, question) == Some(true);
            Circumstance { group, names, asked }
        });
        Self(known.collect())
    }

    /// Says whether the question names one.
    pub(super) fn any(&self) -> bool {
        self.0.iter().any(|known| known.asked)
    }

    /// Returns the number of the circumstance that a folded word names.
    pub(super) fn named_by(&self, word: &str) -> Option<usize> {
        self.0.iter().position(|known| known.names.iter().any(|name| name == word))
    }

    /// Says whether a heading names a circumstance of the question.
    pub(super) fn are_in(&self, heading: &str) -> bool {
        let heading = flat(heading);
        self.0.iter().any(|known| known.asked && stands(&known.names, &heading) == Some(true))
    }

    /// Checks the circumstances that a piece names, with its headings, against those of the question.
    ///
    /// Those that are there or not, such as pregnancy, must be named where the question names them. Of ages and sexes
    /// another one may not be named alone.
    pub(super) fn fit(&self, piece: &str, headings: &str) -> Fit {
        let first = ibid_text::sentences(piece).into_iter().next().and_then(|first| piece.get(first));
        let (first, piece, headings) = (flat(first.unwrap_or_default()), flat(piece), flat(headings));
        let said: Vec<Option<bool>> = self
            .0
            .iter()
            .map(|known| stands(&known.names, &piece).or_else(|| stands(&known.names, &headings)))
            .collect();
        let of_group = |group: &str, asked: bool| {
            let mut known = self.0.iter().zip(&said);
            group != APART
                && known
                    .any(|(known, said)| known.group == group && known.asked == asked && *said == Some(true))
        };
        let mut fit = Fit::Fits;
        for (known, said) in self.0.iter().zip(&said) {
            let Circumstance { group, names, asked } = known;
            match (asked, said) {
                (true, Some(false)) => return Fit::Contradicts,
                (true, None) if *group == APART || of_group(group, false) => return Fit::Contradicts,
                // Whom else a passage mentions does not make it about them; its heading does, and its first sentence.
                (false, Some(true)) if *group != BY_THE_WAY && !of_group(group, true) => {
                    let about = [headings.as_str(), if *group == APART { &first } else { "" }];
                    if about.iter().any(|text| stands(names, text) == Some(true)) {
                        fit = Fit::Special;
                    }
                }
                _ => {}
            }
        }
        fit
    }
}

/// Says whether a [flat](flat) text affirms one of some names: false if it denies one of them, `None` if it has none.
fn stands(names: &[String], flat: &str) -> Option<bool> {
    let found = names.iter().filter_map(|name| {
        let name = format!(" {name} ");
        let mut found = flat.match_indices(&name).map(|(at, _)| {
            let mut before = flat[..at].rsplit(' ').take(2);
            !before.any(|word| has_word("denies", word))
        });
        found.next().map(|first| first || found.any(|stands| stands))
    });
    found.reduce(|one, other| one && other)
}

/// Folds the words of a text, with a space before and behind each.
pub(super) fn flat(text: &str) -> String {
    let words = Words::of(text);
    let mut flat = String::from(" ");
    for at in 0..words.count() {
        flat.push_str(words.get(at));
        flat.push(' ');
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(question: &str) -> Circumstances {
        Circumstances::of(&flat(question))
    }

    #[test]
    fn circumstances_are_held_against_each_other() {
        let allergic = of("Which antibiotic for a child who is allergic to penicillin?");
        for (piece, headings, fit) in [
            ("Use amoxicillin.", "Otitis", Fit::Contradicts),
            ("For penicillin allergy use clarithromycin.", "Otitis", Fit::Fits),
            ("Adults with an allergy get more.", "Otitis", Fit::Contradicts),
            ("Use clarithromycin.", "Children with an allergy", Fit::Fits),
            ("Use amoxicillin in children without an allergy.", "", Fit::Contradicts),
        ] {
            assert_eq!(allergic.fit(piece, headings), fit, "{piece}");
        }
        let plain = of("Which drug treats cystitis?");
        assert_eq!(plain.fit("Use trimethoprim.", "Pregnancy"), Fit::Special);
        assert_eq!(plain.fit("If she is not pregnant, use nitrofurantoin.", "Cystitis"), Fit::Fits);
        let pregnant = of("Which drug treats cystitis in pregnancy?");
        assert_eq!(pregnant.fit("In a woman who is not pregnant, use it.", "Cystitis"), Fit::Contradicts);
    }
}
