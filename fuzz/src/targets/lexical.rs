//! Texts and queries to terms, and a search by them.

use std::sync::OnceLock;

use ibid::index::{Analyzer, Index, Language, LexicalScratch};

use super::index::samples;

/// Makes terms of a text in a language, both from the bytes, and searches a small index by it.
pub fn lexical(data: &[u8]) {
    static INDEX: OnceLock<Index> = OnceLock::new();
    let (&[first, ..], text) = data.split_at(data.len().min(1)) else { return };
    let text = String::from_utf8_lossy(text);
    let language = Language::ALL[usize::from(first) % Language::ALL.len()];
    let mut tokens = 0;
    for token in Analyzer::new(language).tokens(&text) {
        let part = text.get(token.range.clone()).expect("a token is a part of the text");
        assert!(!part.is_empty() && !token.term.is_empty() && token.term.len() <= 64);
        tokens += 1;
    }
    assert!(tokens <= 4 * text.len(), "{tokens} tokens of {} bytes", text.len());

    let index = INDEX.get_or_init(|| {
        let file = samples().into_iter().next().expect("there are samples");
        Index::open(file).expect("a sample can be opened")
    });
    let allowed = index.allowed(None).expect("there is no filter");
    let found = index.lexical(&text, 5, &allowed, &mut LexicalScratch::new());
    let found = found.expect("the sample can be searched by words");
    assert!(found.candidates.is_sorted_by(|a, b| a >= b));
}

/// Texts to begin with.
pub fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        "\u{4}Give 0.5 mg of β-blockers, or 1,000 IU; see HbA1c and COVID-19.",
        "\u{c4}\"three minutes\" wat",
        "\u{7}L'anémie d’enfants: voir U.S. et l'œdème.",
        "\u{0}糖尿病の治療 당뇨병 โรคเบาหวาน ＡＢＣ ﬁ ²₂",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
