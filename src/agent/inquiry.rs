//! The record of a question under way: plain data that the machines of a run read and write.

use serde::{Deserialize, Serialize};

use super::answer::{Answer, iso_8601};
use super::choose::choose;
use super::event::AskEvent;
use super::guarded::{Guarded, guard, resolve};
use super::journal::Journal;
use super::lookup::Lookup;
use super::memory::{Abridged, Conversation, FoundSources, estimate};
use super::options::{AgentOptions, Policy};
use super::state::{DraftAnswer, Next, NoAnswer};
use super::step::{SearchOutcome, StepChange, out_of_turn};
use super::stop::{Left, Progress, StoppedBy};
use ibid_llm::{ChatRequest, ModelReply};
use ibid_platform::order;
use ibid_platform::{Result, lazily};
use ibid_retrieve::Hit;
use ibid_trust::cite::{Source, check};
use ibid_trust::guard::injection::instructions;
use ibid_trust::guard::pii::{Finder, PiiMode, PiiOptions, Redaction};

// A page fetches the code behind this before a question that needs it.
lazily!(fn lookup(options: &AgentOptions, question: &str, hidden: &Redaction, before: Redaction) -> Option<Lookup>
    = Lookup::of);

/// A question under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Inquiry {
    /// The question as the model sees it: with placeholders instead of personal data.
    pub(super) question: String,
    /// The question as it is searched for: it can be understood without what was said before.
    pub(super) query: String,
    pub(super) options: AgentOptions,
    /// The guard's verdict on the question.
    pub(super) guarded: Guarded,
    pub(super) conversation: Conversation,
    /// The place in the conversation where this question begins.
    pub(super) begin: usize,
    pub(super) progress: Progress,
    /// The tokens and the money that the last call took.
    last_call: (u64, f64),
    /// The reason why the model gets no more tools.
    pub(super) stopped: Option<StoppedBy>,
    /// The best answer of the model so far.
    pub(super) draft: Option<DraftAnswer>,
    /// The sources found for this question, each with its best score.
    pub(super) found: Vec<(u32, f32)>,
    /// Limits of the sources that the model is shown, where its context was too short.
    pub(super) abridged: Abridged,
    /// The host's changes of the next call of the model.
    pub(super) change: StepChange,
    /// The name of the model.
    pub(super) model: Option<String>,
    pub(super) journal: Journal,
    /// The names that the index is asked about.
    #[serde(default)]
    pub(super) lookup: Option<Lookup>,
}

impl Inquiry {
    /// Checks question and options, and hides personal data.
    ///
    /// # Errors
    /// The guard's, and [`ErrorCode::InvalidOption`](ibid_platform::ErrorCode::InvalidOption).
    pub(super) fn new(question: &str, options: AgentOptions, mut conversation: Conversation) -> Result<Self> {
        let mut options = resolve(options);
        options.validate()?;
        options.prompts.validate()?;
        // An option that cannot be read is a mistake to be told now.
        Finder::new(&options.pii)?;
        let guarded = guard(question, &options)?;
        if let Some(stages) = &options.stages {
            stages.validate(options.tools.iter().flat_map(|tool| &tool.stage))?;
            conversation.stage.get_or_insert_with(|| stages.initial.clone());
        }
        if options.policy == Policy::Auto {
            options.policy = choose(&guarded.question, &options, &conversation);
        }
        Ok(Self::of(guarded, options, conversation))
    }

    /// The same for a question that passages are quoted for, with all options as they are by default. Nothing of it leaves
    /// the page, so personal data stays as it is. A later question to a model hides all that was said.
    pub(super) fn quoting(question: &str, conversation: Conversation) -> Result<Self> {
        let pii = PiiOptions { mode: Some(PiiMode::Off), ..PiiOptions::default() };
        let options = resolve(AgentOptions { policy: Policy::Extractive, pii, ..AgentOptions::default() });
        Ok(Self::of(guard(question, &options)?, options, conversation))
    }

    fn of(guarded: Guarded, options: AgentOptions, conversation: Conversation) -> Self {
        let before = conversation.redaction.clone();
        let mut inquiry = Self {
            question: String::new(),
            query: String::new(),
            guarded,
            begin: conversation.items.len(),
            journal: Journal::new(options.audit),
            options,
            conversation,
            progress: Progress { cost: Some(0.0), ..Progress::default() },
            last_call: (0, 0.0),
            stopped: None,
            draft: None,
            found: Vec::new(),
            abridged: Abridged::default(),
            change: StepChange::default(),
            model: None,
            lookup: None,
        };
        inquiry.hide_all();
        if !inquiry.stays_here() {
            let Self { options, question, conversation, .. } = &inquiry;
            inquiry.lookup = lookup(options, question, &conversation.redaction, before);
        }
        if inquiry.lookup.is_none() {
            inquiry.tell_guard();
        }
        inquiry
    }

    /// Hides what is still personal data, and nothing else, since `before`.
    pub(super) fn hide_anew(&mut self, before: Redaction) {
        let redaction = std::mem::replace(&mut self.conversation.redaction, before);
        self.conversation.items.truncate(self.begin);
        for item in &mut self.conversation.items {
            let text = item.text_mut();
            *text = redaction.restore(text);
        }
        self.hide_all();
    }

    /// Takes in what the index says of a name, and tells whether all are looked up. Then those that it publishes are
    /// no personal data.
    pub(super) fn looked_up(&mut self, outcome: SearchOutcome<'_>) -> Result<bool> {
        let Some(lookup) = &mut self.lookup else { return Err(out_of_turn("the hits of a search")) };
        let Some((public, before)) = lookup.take(outcome)? else { return Ok(false) };
        self.lookup = None;
        if !public.is_empty() {
            self.options.pii.allow.extend(public);
            self.hide_anew(before);
        }
        self.tell_guard();
        Ok(true)
    }

    /// Reports the guard's verdict, which is the first event.
    pub(super) fn tell_guard(&mut self) {
        self.journal.tell(AskEvent::Guard { guard: self.guarded.clone() });
    }

    /// The turn that is next, or under way, from 1.
    pub(super) fn turn(&self) -> u32 {
        self.progress.turns.saturating_add(1)
    }

    /// Tells whether the run has had all the time that it was given.
    pub(super) fn is_over_time(&self) -> bool {
        self.stopped == Some(StoppedBy::Timeout)
    }

    /// Computes the rest of the budget.
    pub(super) fn left(&self) -> Left {
        let (tokens, cost) = self.last_call;
        self.options.budget.left(&self.progress, tokens, cost)
    }

    /// The end of a run whose budget is used up.
    pub(super) fn spent(&mut self) -> Option<Next> {
        let Left::Nothing(by) = self.left() else { return None };
        self.stopped = Some(by);
        Some(Next::Unanswered(NoAnswer::unasked("The budget for this question is used up.")))
    }

    /// Counts a call of the model and what it took.
    pub(super) fn account(&mut self, request: &ChatRequest, reply: &ModelReply) {
        self.progress.turns = self.turn();
        if let Some(usage) = reply.usage {
            self.progress.usage.get_or_insert_default().add(usage);
        }
        let tokens = reply.usage.map_or_else(
            || estimate(request, reply),
            |usage| usage.total_tokens.max(usage.input_tokens.saturating_add(usage.output_tokens)),
        );
        self.progress.tokens = self.progress.tokens.saturating_add(tokens);
        let name = self.change.model.as_deref().or(self.model.as_deref()).unwrap_or_default();
        let cost = self.options.prices.get(name).zip(reply.usage).map(|(price, usage)| price.of(usage));
        self.progress.cost = self.progress.cost.zip(cost).map(|(so_far, cost)| so_far + cost);
        self.last_call = (tokens, cost.unwrap_or_default());
    }

    /// Gives the hits of a search their numbers, and announces them.
    pub(super) fn register(
        &mut self,
        id: &str,
        query: &str,
        collection: Option<String>,
        hits: Vec<Hit>,
    ) -> FoundSources {
        let mut sources: Vec<Source> = Vec::new();
        for hit in hits {
            let source = self.number(hit);
            if sources.iter().any(|other| other.number == source.number) {
                continue;
            }
            match self.found.iter_mut().find(|(number, _)| *number == source.number) {
                Some((_, score)) => *score = score.max(source.hit.score),
                None => self.found.push((source.number, source.hit.score)),
            }
            sources.push(source);
        }
        let relevances = || sources.iter().map(|source| source.hit.relevance);
        let found = FoundSources {
            query: query.to_owned(),
            collection: collection.clone(),
            search: self.progress.searches,
            numbers: sources.iter().map(|source| source.number).collect(),
            best: relevances().fold(0.0, f32::max),
            average: relevances().sum::<f32>() / sources.len().max(1) as f32,
        };
        let (id, query) = (id.to_owned(), self.restored(query));
        self.journal.tell(AskEvent::Sources { id, query, collection, sources });
        found
    }

    /// Gives a hit its number. Text in it that addresses the model is noted.
    pub(super) fn number(&mut self, hit: Hit) -> Source {
        let known = self.conversation.register.sources().len();
        let source = self.conversation.register.register_with(hit, |text| {
            instructions(text).into_iter().map(|instruction| instruction.span).collect()
        });
        if source.number as usize > known && !source.instructions.is_empty() {
            let (number, title) = (source.number, &source.hit.title);
            self.journal
                .note("guard")
                .count(source.instructions.len())
                .says(format!("[{number}] {title}: text that addresses the model"));
        }
        source
    }

    /// Lists the numbers of the sources found for this question, best first.
    pub(super) fn best_found(&self) -> Vec<u32> {
        let mut found = self.found.clone();
        // One search has ranked its own hits; those of several are ranked here. The sort keeps the order of
        // equals.
        if self.progress.searches > 1 {
            order::by(&mut found, |a, b| b.1.total_cmp(&a.1));
        }
        found.into_iter().map(|(number, _)| number).collect()
    }

    /// Returns true if the model has nothing to answer from, search was its only tool, and the host leaves calls alone.
    pub(super) fn is_unsearched(&self) -> bool {
        self.options.policy == Policy::Tools
            && self.options.tools.is_empty()
            && !self.options.prepare_step
            && self.progress.searches == 0
            && self.conversation.register.is_empty()
    }

    /// Tells whether a text cites a source.
    pub(super) fn cites(&self, text: &str) -> bool {
        !check(text, &self.conversation.register).citations.is_empty()
    }

    /// Ends the run with an answer, complete but for what the run has counted. The conversation remembers it
    /// as `said`.
    pub(super) fn end(&mut self, answer: Answer, said: String) -> Next {
        self.journal.note("verify").count(answer.flags.len());
        self.conversation.mend();
        self.conversation.say(said);
        let asked = self.progress.turns > 0;
        Next::done(Answer {
            sources: self.conversation.register.sources().to_vec(),
            guard: self.guarded.clone(),
            policy: self.options.policy,
            stopped_by: self.stopped,
            usage: self.progress.usage,
            cost: self.progress.cost.filter(|_| asked),
            turns: self.progress.turns,
            searches: self.progress.searches,
            model: self.model.clone().filter(|_| asked),
            trace: self.journal.steps.clone(),
            created_at: iso_8601(self.journal.now),
            conversation_id: self.conversation.id.clone(),
            ..answer
        })
    }
}
