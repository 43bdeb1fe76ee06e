//! What a person says: personal data in it, and the guards of questions.

use ibid::guard::pii::{Finder, PiiKind, PiiOptions, Redaction, leaks};
use ibid::guard::{Action, EmergencyMode, GuardOptions, MAX_QUESTION_CHARS, MIN_QUESTION_CHARS, inspect};

/// Reads bytes as what a person says in two messages: what is found must lie in the text and apart from each other, and
/// the words must come back out of what the model sees, whole and in pieces.
pub fn pii(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (first, second) = text.split_at(text.floor_char_boundary(text.len() / 2));
    let options = PiiOptions { kinds: Some(PiiKind::ALL.to_vec()), ..PiiOptions::default() };
    let finder = Finder::new(&options).expect("options without labels of one's own");
    let mut redaction = Redaction::default();
    for said in [first, second, &text] {
        let mut end = 0;
        for found in finder.find(said) {
            assert!(
                end <= found.span.start && found.span.start < found.span.end,
                "spans overlap or are empty"
            );
            assert!(said.get(found.span.clone()).is_some(), "a span cuts a character");
            end = found.span.end;
        }
        let redacted = redaction.redact(&finder, said);
        assert_eq!(redaction.restore(&redacted), said, "by way of {redacted:?}");
        // More of it may be known by now, and so be hidden.
        let again = redaction.redact(&finder, said);
        assert_eq!(redaction.restore(&again), said, "by way of {again:?}");
        let mut restorer = redaction.restorer();
        let mut pieced = String::new();
        let mut rest = redacted.as_str();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.ceil_char_boundary(rest.len().min(5)));
            pieced.push_str(&restorer.push(piece));
            rest = after;
        }
        pieced.push_str(&restorer.finish());
        assert_eq!(pieced, redaction.restore_reply(&redacted), "in pieces");
        leaks(&finder, &redaction, said, &[first]);
        redaction.without(&redacted);
    }
    let stored = serde_json::to_string(&redaction).expect("texts and numbers");
    assert_eq!(serde_json::from_str::<Redaction>(&stored).expect("what was stored"), redaction);
}

/// Reads bytes as a question: where one comes of it, everything that was found in it must have its place there, and it must
/// come to the same when it is looked at again.
pub fn question(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let options = GuardOptions { emergency: Some(EmergencyMode::Answer), ..GuardOptions::default() };
    let Ok(verdict) = inspect(&text, &options) else { return };
    let question = verdict.question.as_str();
    let chars = question.chars().count();
    assert!((MIN_QUESTION_CHARS..=MAX_QUESTION_CHARS).contains(&chars));
    assert!(verdict.notices.iter().all(|notice| question.get(notice.span.clone()).is_some()));
    if let Some(emergency) = &verdict.emergency {
        assert_eq!(question.get(emergency.span.clone()), Some(emergency.matched.as_str()));
    }
    let again = inspect(question, &options).expect("what was a question is one");
    assert_eq!(again.question, question, "there is nothing more to take out");
    assert_eq!((again.language, again.intent), (verdict.language, verdict.intent));
    assert_eq!(again.emergency, verdict.emergency);
    let block = GuardOptions { markup: Action::Block, ..options };
    let blocked = inspect(question, &block).is_err();
    let allowed =
        inspect(question, &GuardOptions { markup: Action::Allow, ..block }).expect("nothing is refused");
    assert!(allowed.notices.len() <= again.notices.len());
    assert_eq!(blocked, allowed.notices.len() < again.notices.len(), "blocked is what is flagged");
}
