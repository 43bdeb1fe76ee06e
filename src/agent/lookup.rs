//! Names in a question that the index itself publishes: a program that is called like a person.
//!
//! A name that stands as a whole in a title or a heading of the person's own index is nobody's secret, and hiding it
//! would hide what the question is about. The index is asked before anything leaves the page; collections that are
//! elsewhere are not asked, since the question would be what gives the name away.

use serde::{Deserialize, Serialize};

use super::inquiry::Inquiry;
use super::options::Policy;
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
    /// The names that a question is about, where the index can be asked about them; `before` is what was hidden then.
    pub(super) fn of(inquiry: &Inquiry, before: Redaction) -> Option<Self> {
        let Inquiry { options, conversation, question, .. } = inquiry;
        // Without a model nothing leaves, and a question about nothing but a name is searched for with it.
        let needed = options.policy != Policy::Extractive || conversation.redaction.topic(question).is_some();
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
        let names = conversation.redaction.asked_names(question);
        let names = names.into_iter().filter(|name| Words::of(name).count() > 1).take(MOST);
        let open: Vec<_> = names
            .flat_map(|name| places.iter().map(move |place| Some((name.clone(), place.clone()))))
            .collect();
        (!open.is_empty()).then(|| Self { open, before, ..Self::default() })
    }

    /// The searches that are still to be made. By words alone, nothing is embedded anywhere.
    pub(super) fn calls(&self, inquiry: &Inquiry) -> Vec<SearchCall> {
        let open = self.open.iter().enumerate().filter_map(|(at, open)| Some((at, open.as_ref()?)));
        open.map(|(at, (name, collection))| {
            let query = Query {
                mode: Some(Mode::Lexical),
                min_relevance: None,
                ..inquiry.options.query(name.clone(), Some(HITS))
            };
            SearchCall { id: SearchCall::id(KIND, at), collection: collection.clone(), query }
        })
        .collect()
    }

    /// Takes in the outcome of a search, and tells whether it was the last. One that failed publishes nothing.
    fn take(&mut self, outcome: SearchOutcome<'_>) -> Result<bool> {
        let at = SearchCall::place(KIND, outcome.id);
        let open = at.and_then(|at| self.open.get_mut(at)).and_then(Option::take);
        let Some((name, _)) = open else { return Err(out_of_turn("the hits of a search")) };
        match outcome.hits {
            Err(error) if error.code() == ErrorCode::Aborted => return Err(error),
            Ok(hits) if hits.iter().any(|hit| publishes(hit, &name)) => self.public.push(name),
            _ => {}
        }
        Ok(self.open.iter().all(Option::is_none))
    }
}

impl Inquiry {
    /// Takes in what the index says of a name, and tells whether all are looked up. Then those that it publishes are
    /// no personal data.
    pub(super) fn looked_up(&mut self, outcome: SearchOutcome<'_>) -> Result<bool> {
        let Some(lookup) = &mut self.lookup else { return Err(out_of_turn("the hits of a search")) };
        if !lookup.take(outcome)? {
            return Ok(false);
        }
        let Lookup { public, before, .. } = self.lookup.take().unwrap_or_default();
        if !public.is_empty() {
            self.options.pii.allow.extend(public);
            self.hide_anew(before);
        }
        self.tell_guard();
        Ok(true)
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
