//! The passages in the language of a question, of an index in several languages.

use ibid_document::LANGUAGE_FIELD;
use ibid_index::Index;
use ibid_index::filter::{Condition, FacetValue, Filter, Match, Scalar, Test};
use ibid_platform::Result;

/// The share of the main language's documents that a language needs to be searched alone, as a fraction.
const NEARLY_ALL: (u64, u64) = (3, 4);

/// Returns the filter for a question: documents in its language, with those of no known one. A language that fewer
/// documents are in than in the main one is searched together with that, as a site whose translation is not complete
/// shows it. `None` if the question does not tell its language, or no document is in it.
///
/// # Errors
/// As [`Index::facets`].
pub fn of_question(index: &Index, question: &str) -> Result<Option<Filter>> {
    let Some(asked) = ibid_text::language(question) else { return Ok(None) };
    if !index.field_types().contains_key(LANGUAGE_FIELD) {
        return Ok(None);
    }
    let facets = index.facets(&[LANGUAGE_FIELD.to_owned()], &index.allowed(None)?, None)?;
    let counts: Vec<(&str, u64)> = facets
        .iter()
        .flat_map(|facet| &facet.values)
        .filter_map(|counted| match &counted.value {
            FacetValue::Text(tag) => Some((tag.as_str(), counted.count)),
            _ => None,
        })
        .collect();
    let is_asked =
        |tag: &str| tag.split(['-', '_']).next().is_some_and(|tag| tag.eq_ignore_ascii_case(asked));
    let own: u64 = counts.iter().filter(|(tag, _)| is_asked(tag)).map(|(_, count)| count).sum();
    let Some((main, most)) = counts.first().filter(|_| own > 0) else { return Ok(None) };
    let (part, whole) = NEARLY_ALL;
    let is_partial = own * whole < most * part;
    let tags = counts.iter().filter(|(tag, _)| is_asked(tag) || is_partial && tag == main);
    let tags = tags.map(|(tag, _)| Scalar::Keyword((*tag).to_owned())).collect();
    let field = |test| Condition::Field { key: LANGUAGE_FIELD.to_owned(), test };
    let should = vec![field(Test::Match(Match::Any(tags))), field(Test::IsEmpty(true))];
    Ok(Some(Filter { should, ..Filter::default() }))
}
