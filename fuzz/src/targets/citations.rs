//! Answers with citation marks.

use ibid::cite::{BibliographyFormat, SourceRegister, bibliography, check, markers, renumber, tree};
use ibid::retrieve::Hit;

/// Reads bytes as an answer: all that reads or writes citation marks in it.
pub fn cite(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut register = SourceRegister::default();
    for (id, title) in [("a", "Green tea"), ("b", "Rice"), ("c", &text)] {
        register.register(Hit {
            id: id.to_owned(),
            document_id: id.to_owned(),
            title: title.to_owned(),
            ..Hit::default()
        });
    }
    let checked = check(&text, &register);
    let claims = checked.claims(&text);
    assert!(
        claims.iter().all(|claim| claim.start <= claim.end && text.get(claim.start..claim.end).is_some())
    );
    tree(&text, &checked.citations, register.sources());
    assert!(markers(&text).iter().all(|mark| mark.numbers.is_empty() == mark.label.is_some()));
    let renumbered = renumber(&text, register.sources());
    assert!(renumbered.order.len() <= 3);
    for format in BibliographyFormat::ALL {
        bibliography(register.sources(), &[1, 3], format);
    }
}
