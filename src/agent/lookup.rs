//! Names in a question that the index itself publishes: a program that is called like a person.
//!
//! A name that stands as a whole in a title or a heading of the person's own index is nobody's secret, and hiding it
//! would hide what the question is about. The index is asked before anything leaves the page; collections that are
//! elsewhere are not asked, since the question would be what gives the name away.

use serde::{Deserialize, Serialize};

use super::options::{AgentOptions, Policy};
use super::step::{SearchCall, SearchOutcome, out_of_turn};
use ibid_platform::{ErrorCode, Result};
use ibid_retrieve::{Hit, Mode, Query};
use ibid_text::Words;
use ibid_trust::guard::pii::{PiiMode, Redaction};

/// The kind of ids of these searches.
const KIND: char = 'n';

/// The most names that are looked up.
const MOST: usize = 3;

/// The hits among whose titles and headings a name is looked for.
const HITS: usize = 10;

/// The names that are looked up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Lookup {
    /// Each name and collection, until it is looked up.
    open: Vec<Option<(String, Option<String>)>>,
    /// The names that the index publishes.
    public: Vec<String>,
    /// The data hidden before this question.
    before: Redaction,
}

impl Lookup {
    /// Finds the names that a question is about, where the index can be asked about them; `before` is what was hidden
    /// then.
    pub(super) fn of(
        options: &AgentOptions,
        question: &str,
        hidden: &Redaction,
        before: Redaction,
    ) -> Option<Self> {
        // Without a model nothing leaves, and a question about nothing but a name is searched for with it.
        let needed = options.policy != Policy::Extractive || hidden.topic(question).is_some();
        if !needed || matches!(options.pii.mode, Some(PiiMode::Off | PiiMode::Flag)) {
            return None;
        }
        let mut places: Vec<Option<String>> =
            options.collections.iter().filter(|one| !one.remote).map(|one| Some(one.name.clone())).collect();
        if options.collections.len() < 2 {
            places.iter_mut().for_each(|place| *place = None);
        }
        if options.collections.is_empty() {
            places.push(None);
        }
        // A single word of a title may be anybody's name.
        let names = hidden.asked_names(question);
        let names = names.into_iter().filter(|name| Words::of(name).count() > 1).take(MOST);
        let open: Vec<_> = names
            .flat_map(|name| places.iter().map(move |place| Some((name.clone(), place.clone()))))
            .collect();
        (!open.is_empty()).then(|| Self { open, before, ..Self::default() })
    }

    /// Lists the searches that are still to be made. By words alone, nothing is embedded anywhere.
    pub(super) fn calls(&self, options: &AgentOptions) -> Vec<SearchCall> {
        let open = self.open.iter().enumerate().filter_map(|(at, open)| Some((at, open.as_ref()?)));
        open.map(|(at, (name, collection))| {
            let query = Query {
                mode: Some(Mode::Lexical),
                min_relevance: None,
                ..options.query(name.clone(), Some(HITS))
            };
            SearchCall { id: SearchCall::id(KIND, at), collection: collection.clone(), query }
        })
        .collect()
    }

    /// Takes in the outcome of a search; after the last, returns the names that the index publishes and the data hidden
    /// before. One that failed publishes nothing.
    pub(super) fn take(&mut self, outcome: SearchOutcome<'_>) -> Result<Option<(Vec<String>, Redaction)>> {
        let at = SearchCall::place(KIND, outcome.id);
        let open = at.and_then(|at| self.open.get_mut(at)).and_then(Option::take);
        let Some((name, _)) = open else { return Err(out_of_turn("the hits of a search")) };
        match outcome.hits {
            Err(error) if error.code() == ErrorCode::Aborted => return Err(error),
            Ok(hits) if hits.iter().any(|hit| publishes(hit, &name)) => self.public.push(name),
            _ => {}
        }
        let is_done = self.open.iter().all(Option::is_none);
        Ok(is_done.then(|| (std::mem::take(&mut self.public), std::mem::take(&mut self.before))))
    }
}

/// Says whether a name stands as a whole in the title or a heading of a passage.
fn publishes(hit: &Hit, name: &str) -> bool {
    let words = |text: &str| {
        let words = Words::of(text);
        (0..words.count()).map(|at| words.get(at).to_owned()).collect::<Vec<_>>()
    };
    let name = words(name);
    let stands = |text: &String| words(text).windows(name.len()).any(|some| some == name);
    name.len() > 1 && (stands(&hit.title) || hit.heading_path.iter().any(stands))
}
