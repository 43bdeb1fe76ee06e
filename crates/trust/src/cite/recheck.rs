//! Checking an answer that is there already, wherever it comes from.

use super::check::{Citation, check};
use super::claim::Claim;
use super::confidence::{Confidence, confidence};
use super::flag::Flag;
use super::source::{Source, SourceRegister};
use super::verify::verify_in_slices;
use ibid_platform::call::{Pause, at_once};
use ibid_platform::{Result, order};

/// The check of an answer's text and its sources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recheck {
    /// The citations that lead to a source, in the order of the text.
    pub citations: Vec<Citation>,
    /// The claims of the text, each with its check.
    pub claims: Vec<Claim>,
    /// The flags, in the order of the text.
    pub flags: Vec<Flag>,
    /// The confidence in the answer; nothing if it states nothing.
    pub confidence: Option<Confidence>,
}

/// Resolves the citations of a text and checks its claims against these sources, which need not be all of a run: what is
/// cited and not among them is unknown.
pub fn recheck(text: &str, sources: &[Source]) -> Recheck {
    // Without a pause there is no wait, and nothing that can fail.
    at_once(recheck_in_slices(text, sources, &mut || None)).and_then(Result::ok).unwrap_or_default()
}

/// Does the same in slices: `pause` tells whether to wait.
///
/// # Errors
/// Those of a wait.
pub async fn recheck_in_slices(text: &str, sources: &[Source], pause: &mut Pause<'_>) -> Result<Recheck> {
    let checked = check(text, &SourceRegister::from(sources.to_vec()));
    let mut claims = checked.claims(text);
    let mut flags = checked.flags;
    flags.extend(verify_in_slices(text, &mut claims, sources, pause).await?);
    order::by_key(&mut flags, |flag| (flag.span.start, flag.span.end));
    let confidence = confidence(&claims, retrieval(&checked.citations, sources));
    Ok(Recheck { citations: checked.citations, claims, flags, confidence })
}

/// Returns the relevance of an answer's ground to its question, 0 to 1: the cited sources on average, or the best of
/// all if none is cited.
pub fn retrieval(citations: &[Citation], sources: &[Source]) -> f32 {
    let mut numbers: Vec<u32> = citations.iter().map(|citation| citation.number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let relevance = |source: &Source| source.hit.relevance;
    if numbers.is_empty() {
        return sources.iter().map(relevance).fold(0.0, f32::max);
    }
    let cited = sources.iter().filter(|source| numbers.binary_search(&source.number).is_ok());
    cited.map(relevance).sum::<f32>() / numbers.len() as f32
}

#[cfg(test)]
mod tests {
    use super::super::extract::extractive_answer;
    use super::super::flag::FlagKind;
    use super::super::source::tests::hit;
    use super::*;

    fn source(number: u32, text: &str, relevance: f32) -> Source {
        let mut hit = hit(number, text);
        hit.relevance = relevance;
        Source { number, hit, ..Source::default() }
    }

    #[test]
    fn sources_need_not_be_all_of_a_run() {
        let sources = [source(7, "Give zinc 20 mg daily.", 0.8), source(3, "Nothing of the kind.", 0.2)];
        let found = recheck("Give zinc 20 mg daily [7]. Rest [9].", &sources);
        assert_eq!(found.citations[0].source.hit.text, sources[0].hit.text);
        assert!(found.flags.iter().any(|flag| flag.kind == FlagKind::UnknownSource));
        assert_eq!(found.claims.len(), 2);
        assert!((retrieval(&found.citations, &sources) - 0.8).abs() < 1e-6);
        assert!((retrieval(&[], &sources) - 0.8).abs() < 1e-6);
        assert!(recheck("", &[]).confidence.is_none());
    }

    #[test]
    fn quotes_of_passages_have_no_flags() {
        let passage = "Antibiotics are not needed.\n\nGive a child 40 mg/kg of amoxicillin [6]. Do not give aspirin:\n\n\
            - mild bulging of the drum for 48 hours\n- severe discharge\n\n## Allergy\n\nA child who is allergic gets \
            azithromycin 10 mg/kg. It is given once.\n\n| Drug | Dose |\n|---|---|\n| Zinc | 20 mg |\n\n\
            ```sh\ngive --zinc 20\n```\n\n> Ask a doctor.\n> Then wait.\n\nLast";
        let other = "Amoxicillin is a penicillin [2].\n\n1. Ask about allergy\n2. Ask about asthma";
        let sources = [source(1, passage, 0.8), source(2, other, 0.5)];
        for question in [
            "antibiotics amoxicillin aspirin",
            "aspirin bulging discharge",
            "discharge allergic azithromycin once",
            "azithromycin given once zinc dose",
            "zinc give sh",
            "ask doctor wait last",
            "mild bulging",
            "allergy asthma penicillin",
            "give child mg",
        ] {
            let quotes = extractive_answer(question, &sources);
            let found = recheck(&quotes.body(), &sources);
            assert_eq!(found.flags, [], "{}", quotes.text);
            assert_eq!(found.citations, quotes.citations, "{}", quotes.text);
            assert!(found.claims.iter().all(|claim| !claim.sources.is_empty()), "{}", quotes.text);
        }
        // Words of one's own next to a quote are checked against their source as ever.
        let mixed = "Antibiotics are needed.\n\nGive a child 40 mg/kg of amoxicillin. [1]";
        assert_eq!(recheck(mixed, &sources).flags[0].kind, FlagKind::UncitedClaim);
    }
}
