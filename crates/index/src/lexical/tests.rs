//! Searching by words, from documents to candidates.
#![allow(clippy::float_cmp, reason = "the scores of nothing, of all and of the same are exactly that")]

use crate::{
    BuildOptions, Calibration, Index, IndexBuilder, Language, LexicalMatches, LexicalOptions, LexicalScratch,
};
use ibid_document::Document;
use ibid_document::chunk::{ChunkOptions, chunk};
use ibid_embed::{Embedding, Space};

fn options() -> ChunkOptions {
    ChunkOptions { budget: 200, min_size: 0, ..ChunkOptions::default() }
}

/// A file in which each document is a chunk or a few.
fn build(documents: &[(&str, &str)], lexical: LexicalOptions) -> Vec<u8> {
    let space = Space { name: "test".into(), dimensions: 2, fingerprint: "f".into() };
    let build = BuildOptions { lexical, ..BuildOptions::default() };
    let mut builder = IndexBuilder::new(space, options(), build);
    for (source, markdown) in documents {
        let document = Document::parse(source, markdown.as_bytes()).unwrap();
        builder.add(&document, &chunk(&document, &options())).unwrap();
    }
    let vectors = vec![Embedding::normalized(vec![1.0, 0.0]); builder.pending_count()];
    builder.embedded(&vectors).unwrap();
    builder.assemble().unwrap().finish(Calibration::default()).unwrap()
}

const DOCUMENTS: [(&str, &str); 5] = [
    ("a.md", "# Metformin\n\nGive 500 mg of metformin twice a day with meals."),
    ("b.md", "# Insulin\n\nInsulin lowers glucose. The dose of insulin is not that of metformin."),
    ("c.md", "# COVID-19\n\nVaccination protects older patients. To be or not to be vaccinated."),
    ("d.md", "# Hypertension\n\nAn ACE inhibitor, or amlodipine 5mg."),
    ("e.md", "# Diabetes\n\n## Screening\n\nMeasure HbA1c once a year in all adults."),
];

fn index() -> Index {
    Index::open(build(&DOCUMENTS, LexicalOptions::default())).unwrap()
}

fn search(index: &Index, text: &str) -> (LexicalMatches, LexicalScratch) {
    let mut scratch = LexicalScratch::new();
    let matches = index.lexical(text, 10, &index.allowed(None).unwrap(), &mut scratch).unwrap();
    (matches, scratch)
}

/// The sources that are found, best first.
fn found(index: &Index, text: &str) -> Vec<String> {
    let source = |chunk| index.chunk(chunk).unwrap().unwrap().place.document.source;
    search(index, text).0.candidates.iter().map(|candidate| source(candidate.chunk)).collect()
}

#[test]
fn words_are_found_in_text_headings_and_title() {
    let index = index();
    assert_eq!(found(&index, "what is the dose of insulin?"), ["b.md"]);
    assert_eq!(found(&index, "metformin"), ["a.md", "b.md"]);
    assert_eq!(found(&index, "screenings"), ["e.md"]);
    assert_eq!(found(&index, "covid 19"), ["c.md"]);
    assert_eq!(found(&index, "HBA-1C"), ["e.md"]);
    assert_eq!(found(&index, "amlodipine 5 mg")[0], "d.md");
    for nothing in ["", "  ", "?!", "🙂", "\u{0}", "zebra", "\"", "\"\""] {
        assert!(found(&index, nothing).is_empty(), "{nothing:?}");
    }
    assert!(!found(&index, "is the of").is_empty());
    assert!(!found(&index, &"metformin insulin glucose ".repeat(500)).is_empty());
}

#[test]
fn phrases_must_occur_as_they_are() {
    let index = index();
    assert_eq!(found(&index, "\"dose of insulin\""), ["b.md"]);
    assert!(found(&index, "\"insulin of dose\"").is_empty());
    assert_eq!(found(&index, "\"to be or not to be\""), ["c.md"]);
    assert_eq!(found(&index, "\"covid-19\""), ["c.md"]);
    assert_eq!(found(&index, "\"500mg of metformin\""), ["a.md"]);
    assert!(found(&index, "\"zebra dose\"").is_empty());
    // An open mark is none.
    assert_eq!(found(&index, "\"insulin of dose"), ["b.md"]);

    let (matches, scratch) = search(&index, "\"of insulin\"");
    assert!(matches.has_phrases());
    let scores: Vec<f32> = (0..5).map(|chunk| matches.score_of(&scratch, chunk)).collect();
    assert!(scores[1] > 0.0 && scores[0] == 0.0 && scores[2..] == [0.0; 3], "{scores:?}");
    let (matches, scratch) = search(&index, "\"insulin of\"");
    assert_eq!(matches.score_of(&scratch, 1), 0.0, "it has both words, but not the phrase");
}

#[test]
fn words_in_marks_within_a_question_count_twice() {
    let index = index();
    let score = |text: &str| {
        let (matches, scratch) = search(&index, text);
        assert!(!matches.has_phrases(), "{text}");
        matches.score_of(&scratch, 1)
    };
    let (marked, plain) = (score("what is \"insulin of dose\" for"), score("what is insulin of dose for"));
    assert!(plain > 0.0 && (marked - 2.0 * plain).abs() < 1e-4, "{marked} {plain}");
}

#[test]
fn a_heading_finds_its_section_before_passages_that_mention_it() {
    let rest = "See others. ".repeat(60);
    let order = format!("The plugins of a host run before plugins of others, if plugins can. {rest}");
    let titled = format!("# Plugins\n\n## Order\n\n{order}");
    let option = format!("# Options\n\n## Hooks\n\n{rest}\n\n## Plugins\n\n{rest}");
    let small = format!("# Tools\n\nA host.\n\n### plugins\n\nA few. {rest}");
    let documents = [("a.md", &*titled), ("b.md", &*option), ("c.md", &*small)];
    let index = Index::open(build(&documents, LexicalOptions::default())).unwrap();
    let mut best = found(&index, "plugins");
    best[..2].sort();
    assert_eq!(best[..3], ["b.md", "c.md", "a.md"]);
    assert_eq!(found(&index, "order of plugins")[0], "a.md");
}

#[test]
fn the_last_word_may_be_unfinished() {
    let index = index();
    for typed in ["hyp", "hyperten", "hypertensi", "hypertensio", "amlo"] {
        assert_eq!(found(&index, typed), ["d.md"], "{typed}");
    }
    assert!(found(&index, "hyp ").is_empty());
    // What is there as it is counts more than what goes on.
    assert_eq!(found(&index, "metf"), ["a.md", "b.md"]);
    let catheters = "A catheter is a tube. Catheters differ, and a catheter is for once.";
    let cats =
        built(&[("a.md", "# A\n\nIn a long text about something else stands a cat."), ("b.md", catheters)]);
    assert_eq!(found(&cats, "cat"), ["a.md", "b.md"]);
    let (matches, scratch) = search(&cats, "cat");
    assert_eq!((matches.coverage(&scratch, 0), matches.coverage(&scratch, 1)), (1.0, 0.0));
}

#[test]
fn compounds_are_found_by_their_parts_behind_the_word_itself() {
    let documents = [
        ("a.md", "# Verein\n\nDer Hockeyschläger liegt dort, wo man Hockey spielt."),
        ("b.md", "# Rundfunk\n\nDie Sendegebühren werden für jede Sende erhoben."),
        ("c.md", "# Amt\n\nEine Gebühr wird erhoben."),
    ];
    let german =
        |language| Index::open(build(&documents, LexicalOptions { language, ..Default::default() })).unwrap();
    let index = german(Some(Language::German));
    assert_eq!(found(&index, "Schläger "), ["a.md"]);
    assert_eq!(found(&index, "Gebühren "), ["c.md", "b.md"]);
    assert_eq!(found(&german(Some(Language::Italian)), "Gebühren ").len(), 1);
}

#[test]
fn one_typing_error_is_forgiven() {
    let index = index();
    for typed in ["metfromin", "metformn", "metforrmin", "emtformin", "metfarmin"] {
        assert_eq!(found(&index, typed), ["a.md", "b.md"], "{typed}");
    }
    assert_eq!(found(&index, "hypertenison"), ["d.md"]);
    assert!(found(&index, "mtefromin").is_empty(), "two errors are too many");
}

#[test]
fn coverage_is_the_share_of_what_the_words_tell() {
    let index = index();
    let (matches, scratch) = search(&index, "dose of insulin");
    assert_eq!(matches.coverage(&scratch, 1), 1.0);
    assert_eq!(matches.coverage(&scratch, 2), 0.0);
    let (matches, scratch) = search(&index, "metformin zebra");
    let coverage = matches.coverage(&scratch, 0);
    assert!(coverage > 0.0 && coverage < 0.5, "the index lacks the rarer word: {coverage}");
    // However a number and its unit are written.
    for query in ["5 mg", "5mg"] {
        let (matches, scratch) = search(&index, query);
        assert_eq!(matches.coverage(&scratch, 3), 1.0);
    }
    // The scratch has gone on to another query.
    let (old, mut scratch) = search(&index, "insulin");
    let all = index.allowed(None).unwrap();
    index.lexical("glucose", 10, &all, &mut scratch).unwrap();
    assert_eq!((old.score_of(&scratch, 1), old.coverage(&scratch, 1)), (0.0, 0.0));
    assert_eq!(old.score_of(&scratch, u32::MAX), 0.0);
}

#[test]
fn limits_may_be_anything() {
    let index = index();
    for (limit, count) in [(0, 0), (1, 1), (10_000_000, 2), (usize::MAX, 2)] {
        let count_of = |text| {
            let all = index.allowed(None).unwrap();
            index.lexical(text, limit, &all, &mut LexicalScratch::new()).unwrap().candidates.len()
        };
        for text in ["metformin", "\"metformin\"", "\"of metformin\""] {
            assert_eq!(count_of(text), count, "{text}");
        }
    }
}

#[test]
fn what_is_removed_or_not_allowed_is_not_found() {
    let mut index = index();
    let sources = |index: &Index| found(index, "metformin");
    assert!(index.remove("a").unwrap());
    assert_eq!(sources(&index), ["b.md"]);
    let filter = serde_json::json!({ "must_not": [{ "key": "title", "match": { "value": "Insulin" } }] });
    if let Ok(filter) = crate::Filter::from_json(&filter)
        && let Ok(allowed) = index.allowed(Some(&filter))
    {
        let mut scratch = LexicalScratch::new();
        let matches = index.lexical("metformin", 10, &allowed, &mut scratch).unwrap();
        assert!(matches.candidates.is_empty());
    }
    let compact = Index::open(index.compact().unwrap().finish(Calibration::default()).unwrap()).unwrap();
    assert_eq!(sources(&compact), ["b.md"]);
}

#[test]
fn all_files_agree_on_how_rare_a_word_is() {
    let whole = index();
    let mut grown = Index::open(build(&DOCUMENTS[..2], LexicalOptions::default())).unwrap();
    grown.attach(Index::open(build(&DOCUMENTS[2..], LexicalOptions::default())).unwrap()).unwrap();
    for query in ["metformin", "what is it", "year adults 500 mg", "\"older patients\""] {
        let (expected, _) = search(&whole, query);
        let (matches, _) = search(&grown, query);
        assert_eq!(matches.terms(), expected.terms(), "{query}");
        // The mean length of chunks is that of each file.
        let chunks = |found: &LexicalMatches| {
            let mut chunks: Vec<u32> = found.candidates.iter().map(|found| found.chunk).collect();
            chunks.sort_unstable();
            chunks
        };
        assert_eq!(chunks(&matches), chunks(&expected), "{query}");
    }
}

#[test]
fn parts_of_other_languages_do_not_mix() {
    let mut index = index();
    let german = LexicalOptions { language: Some(Language::German), ..LexicalOptions::default() };
    let documents = [("z.md", "# Behandlung\n\nDie Behandlungen mit Ärzten.")];
    let other = Index::open(build(&documents, german)).unwrap();
    assert_eq!(found(&other, "behandlung arzt"), ["z.md"]);
    assert_eq!(index.attach(other).unwrap_err().code(), ibid_platform::ErrorCode::InvalidOption);
    assert_eq!(index.manifest().documents, 5);
}

#[test]
fn words_are_stemmed_in_the_language_of_the_texts() {
    let documents = [(
        "z.md",
        "# Behandlung\n\nDie Behandlungen mit Ärzten sind nicht für alle, und das ist auch gut so.",
    )];
    let usual = LexicalOptions::default();
    let index = Index::open(build(&documents, usual)).unwrap();
    let manifest = index.manifest();
    assert_eq!(manifest.build.lexical.language, Some(Language::German));
    assert_eq!(manifest.language.as_deref(), Some("de"));
    assert_eq!(found(&index, "behandlung arzt"), ["z.md"]);
    // Built anew from its parts it is the same file, and what is added to it is stemmed likewise.
    let again = index.compact().unwrap().finish(manifest.calibration).unwrap();
    assert!(again == build(&documents, usual));
    let english = [("a.md", "# Treatment\n\nThis is what the doctors do in the morning.")];
    let added = Index::open(build(&english, manifest.build.lexical.of_parts())).unwrap();
    let mut grown = Index::open(again).unwrap();
    grown.attach(added).unwrap();
    assert_eq!(grown.manifest().language.as_deref(), Some("de"));
    // An option is stronger than what is found, and a file in English says nothing of it, as before.
    let none = LexicalOptions { language: Some(Language::None), ..usual };
    let index = Index::open(build(&documents, none)).unwrap();
    assert_eq!(index.manifest().build.lexical.analyzed(), Language::None);
    let index = Index::open(build(&english, usual)).unwrap();
    assert_eq!((index.manifest().build.lexical, index.manifest().language.as_deref()), (usual, Some("en")));
}

mod pieces {
    use super::*;
    use crate::FileLayout;
    use ibid_platform::ErrorCode;

    /// An index of many terms and texts, of which only what is needed has been fetched.
    fn file() -> Vec<u8> {
        let text = |at: usize| {
            let words: Vec<String> =
                (0..120).map(|word| format!("w{}q", (at * 7919 + word * word * 31) % 6000)).collect();
            format!("# Part {at}\n\nThe number {at} of hypertension. {}", words.join(" "))
        };
        let texts: Vec<(String, String)> = (0..400).map(|at| (format!("d{at}.md"), text(at))).collect();
        let documents: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (&**name, &**text)).collect();
        build(&documents, LexicalOptions::default())
    }

    fn open(file: &[u8]) -> Index {
        let layout = FileLayout::parse(file).unwrap();
        let cut = |range: &std::ops::Range<u64>| {
            (range.start, file[range.start as usize..range.end as usize].to_vec())
        };
        let pieces = layout.needed().iter().map(cut).collect();
        Index::open_pieces(layout, pieces).unwrap()
    }

    #[test]
    fn what_is_missing_is_named_until_nothing_is() {
        let file = file();
        let whole = Index::open(file.clone()).unwrap();
        for query in ["w31q", "\"number 17\"", "hypertens", "hypretension w12"] {
            let index = open(&file);
            let all = index.allowed(None).unwrap();
            let mut scratch = LexicalScratch::new();
            let error = index.lexical(query, 10, &all, &mut scratch).unwrap_err();
            assert_eq!(error.code(), ErrorCode::IndexIncomplete);
            let (mut rounds, mut bytes) = (0, 0);
            loop {
                let missing = index.lexical_missing(query, 10, &all, &mut scratch).unwrap();
                if missing.is_empty() {
                    break;
                }
                for range in missing {
                    bytes += range.end - range.start;
                    let piece = file[range.start as usize..range.end as usize].to_vec();
                    index.provide(range.start, piece).unwrap();
                }
                rounds += 1;
                assert!(rounds < 20, "{query} does not end");
            }
            let matches = index.lexical(query, 10, &all, &mut scratch).unwrap();
            assert_eq!(matches.candidates, search(&whole, query).0.candidates, "{query}");
            assert!(!matches.candidates.is_empty(), "{query}");
            assert!(bytes < file.len() as u64 / 2, "{query} fetched {bytes} of {}", file.len());
        }
    }

    #[test]
    fn a_damaged_block_is_noticed_when_it_comes() {
        let file = file();
        let index = open(&file);
        let all = index.allowed(None).unwrap();
        let missing = index.lexical_missing("w31q", 10, &all, &mut LexicalScratch::new()).unwrap();
        let mut piece = file[missing[0].start as usize..missing[0].end as usize].to_vec();
        piece[100] ^= 1;
        assert_eq!(index.provide(missing[0].start, piece).unwrap_err().code(), ErrorCode::IndexCorrupt);
        assert_eq!(index.compact().err().unwrap().code(), ErrorCode::IndexIncomplete);
    }
}

fn built(documents: &[(&str, &str)]) -> Index {
    Index::open(build(documents, LexicalOptions::default())).unwrap()
}

#[test]
fn a_name_with_signs_is_found_before_the_letter() {
    let index = built(&[
        ("f.md", "# F\n\nThe grade F is bad. F again, and F once more: F."),
        ("fsharp.md", "# F#\n\nA language with types and functions."),
        ("rpp.md", "# R++\n\nStatistics with a plus."),
        ("dotenv.md", "# .env\n\nA file of settings."),
        ("env.md", "# Settings\n\nThe env of a process. Its env is copied, and env goes on."),
    ]);
    for (query, first) in [("F#", "fsharp.md"), ("F", "f.md"), ("R++", "rpp.md"), (".env", "dotenv.md")] {
        assert_eq!(found(&index, query)[0], first, "{query}");
    }
}

#[test]
fn parts_of_a_name_find_it_and_the_whole_tells_more() {
    let index = built(&[
        ("a.md", "# Doors\n\nCall `openGardenGate()` from outside."),
        (
            "b.md",
            "# Gates\n\nThe open garden has a gate. Open the gate, then the garden, then the next gate.",
        ),
        ("c.md", "# Pumps\n\nThe option re-start applies."),
        ("d.md", "# Start\n\nStart here. To start re sets, start re again; re is a start, and start is re."),
    ]);
    assert!(found(&index, "garden gate").contains(&"a.md".to_owned()));
    assert_eq!(found(&index, "opengardengate"), ["a.md"]);
    assert_eq!(found(&index, "openGardenGate")[0], "a.md");
    assert_eq!(found(&index, "re-start")[0], "c.md");
    assert_eq!(found(&index, "re start")[0], "d.md");
}

#[test]
fn every_beginning_of_a_word_finds_it() {
    let words = "nursing organization responsibilities running studies happiness generalized operational \
        celebrating caches introduction classes easily movement";
    let index = built(&[("a.md", &format!("# Words\n\n{words}.")), ("b.md", "# Other\n\nUnrelated.")]);
    for word in words.split_whitespace() {
        for end in 3..=word.len() {
            let found = found(&index, &word[..end]);
            assert!(found.contains(&"a.md".to_owned()), "{}: {found:?}", &word[..end]);
        }
    }
}

#[test]
fn what_no_text_has_is_not_known_but_for_an_error() {
    let index = index();
    let known = |text: &str| search(&index, text).0.known() > 0.0;
    assert!(!known("zyqqx blorpt") && !known("what is the zyqqx") && !known("?!"));
    assert!(known("zyqqx insulin") && known("insuln") && known("isnulin"));
}
