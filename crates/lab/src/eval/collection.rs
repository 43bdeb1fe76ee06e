//! Questions and judgements from files, and how they fit an index.

use std::path::{Path, PathBuf};

use crate::eval::{Judgements, Naming, Question, parse_questions};
use ibid_index::Index;
use ibid_native::{files, note};
use ibid_platform::{Error, ErrorCode, Result};

/// Unknown names that a warning shows.
const SHOWN: usize = 3;

/// The settings that a search is tried with.
pub(super) struct TestCollection {
    /// The name that a table gives it.
    pub(super) name: String,
    /// The questions that have judgements.
    pub(super) questions: Vec<Question>,
    pub(super) judgements: Judgements,
    /// The number of questions that were left out because nothing was judged for them.
    pub(super) unjudged: usize,
}

impl TestCollection {
    /// Reads questions and judgements.
    pub(super) fn read(name: String, queries: &Path, qrels: Option<&PathBuf>) -> Result<Self> {
        let text = read_text(queries)?;
        let parsed = parse_questions(&files::source_name(queries), &text)?;
        let (mut judgements, mut questions) = (parsed.judgements, parsed.questions);
        if let Some(qrels) = qrels {
            judgements.merge(Judgements::parse(&files::source_name(qrels), &read_text(qrels)?)?);
        }
        if judgements.regraded() > 0 {
            note(&format!(
                "note: {name}: {} judgements repeat earlier ones with another grade; the higher grade counts",
                judgements.regraded()
            ));
        }
        let all = questions.len();
        questions.retain(|question| judgements.of(&question.id).is_some());
        if questions.is_empty() {
            let (what, hint) = match qrels {
                Some(qrels) => (
                    format!(
                        "No judgement in `{}` is for a question in `{}`.",
                        qrels.display(),
                        queries.display()
                    ),
                    "The ids of the queries must be the same in both files.",
                ),
                None => (
                    format!("`{}` has no question with relevant answers.", queries.display()),
                    "Name the file with judgements with `--qrels FILE`, or add `\"relevant\": \
                     [\"document-id\"]` to each question.",
                ),
            };
            return Err(Error::new(ErrorCode::InvalidDocument, what).with_hint(hint));
        }
        let asked = questions.len();
        let unasked = judgements.len() - asked;
        if unasked > 0 {
            note(&format!(
                "warning: {name}: {unasked} of {} queries with judgements are not among the questions",
                judgements.len()
            ));
        }
        if all > asked {
            note(&format!(
                "note: {name}: {} of {all} questions have no judgement and are left out",
                all - asked
            ));
        }
        Ok(Self { name, questions, judgements, unjudged: all - asked })
    }

    /// Looks up what was judged in an index, and says what is not there.
    pub(super) fn naming(&self, index: &Index, label: &str) -> Result<Naming> {
        let naming = Naming::new(index, &self.judgements)?;
        let (unknown, all) = (naming.unknown(), naming.len());
        if !unknown.is_empty() {
            let some: Vec<String> = unknown.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
            note(&format!(
                "warning: {}: {} of {all} judged ids are not in {label}, such as {}",
                self.name,
                unknown.len(),
                some.join(", ")
            ));
            if unknown.len() * 2 > all {
                note(
                    "  hint: Judgements name documents by their ids (`ibid search --json` shows `documentId`), sections \
                     as `document-id#anchor`, and chunks by their ids. Do they belong to the documents in this index?",
                );
            }
        }
        Ok(naming)
    }
}

fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(files::read(path)?).map_err(|_| {
        Error::new(ErrorCode::InvalidDocument, format!("`{}` is not UTF-8.", path.display()))
            .with_hint("Save the file with UTF-8 encoding.")
    })
}
