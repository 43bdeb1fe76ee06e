mod properties;
mod scale;

use super::pieces::is_fence;
use super::prefix::prefix_within;
use super::*;
use crate::{Block, BlockKind, Metadata, Origin, Section};
use ibid_platform::ErrorCode;

fn parse(markdown: &str) -> Document {
    Document::parse("a.md", markdown.as_bytes()).unwrap()
}

/// Options under which nothing is merged.
fn budget(budget: usize) -> ChunkOptions {
    ChunkOptions { budget, min_size: 0, ..ChunkOptions::default() }
}

fn texts(markdown: &str, options: &ChunkOptions) -> Vec<String> {
    chunk(&parse(markdown), options).into_iter().map(|chunk| chunk.text).collect()
}

/// Each chunk's last heading and text.
fn outline(markdown: &str, options: &ChunkOptions) -> Vec<(String, String)> {
    let document = parse(markdown);
    let chunks = chunk(&document, options).into_iter();
    chunks.map(|c| (document.sections[c.section].heading_path.last().unwrap().clone(), c.text)).collect()
}

fn expect(seen: &[(String, String)], expected: &[(&str, &str)]) {
    let seen: Vec<_> = seen.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    assert_eq!(seen, expected);
}

/// A section's parent, heading and blocks.
type Draft<'a> = (Option<usize>, &'a str, &'a [(BlockKind, &'a str)]);

fn document(sections: &[Draft<'_>]) -> Document {
    let mut text = String::new();
    let mut made: Vec<Section> = Vec::new();
    for (parent, heading, blocks) in sections {
        let mut heading_path =
            parent.map_or_else(|| vec!["T".to_owned()], |parent| made[parent].heading_path.clone());
        let mut push = |part: &str| {
            let start = text.len();
            text += part;
            let range = start..text.len();
            text += "\n\n";
            range
        };
        let mut section = Section { parent: *parent, ..Section::default() };
        if !heading.is_empty() {
            heading_path.push((*heading).to_owned());
            section.heading = push(&format!("## {heading}"));
        }
        section.blocks =
            blocks.iter().map(|(kind, text)| Block { kind: kind.clone(), range: push(text) }).collect();
        made.push(Section { heading_path, ..section });
    }
    let mut origin = Origin::of(text.as_bytes());
    origin.push(0..text.len(), 0..text.len());
    let metadata = Metadata { title: "T".into(), ..Metadata::default() };
    Document { source: "a".into(), text, origin, metadata, sections: made, ..Document::default() }
}

const HANDBOOK: &str = "# T\n\none\n\n- a\n- b\n\n## Sub\n\n    code\n\n### Deep\n\nx\n\n## Empty\n";

#[test]
fn a_section_that_fits_is_one_chunk_with_all_that_it_contains() {
    let document = parse(HANDBOOK);
    let chunks = chunk(&document, &ChunkOptions::default());
    assert_eq!(chunks.len(), 1);
    assert_eq!(chunks[0].text, "one\n\n- a\n- b\n\n## Sub\n\n    code\n\n### Deep\n\nx\n\n## Empty");
    assert_eq!((chunks[0].section, chunks[0].line, chunks[0].repeated), (0, 3, 0));
}

#[test]
fn a_section_too_large_is_taken_apart() {
    let own = "word ".repeat(14) + "end.";
    let markdown = format!("# T\n\n{own}\n\n## A\n\n### B\n\nb\n\n### C\n\nc\n\n## D\n\nd\n");
    expect(
        &outline(&markdown, &budget(25)),
        &[("T", own.as_str()), ("A", "### B\n\nb\n\n### C\n\nc"), ("D", "d")],
    );
}

#[test]
fn tiny_neighbours_are_merged_under_their_parent() {
    let own = "word ".repeat(14) + "end.";
    let large = "Text of a section that is not tiny.";
    let markdown = format!(
        "# T\n\n{own}\n\n## A\n\na\n\n## B\n\nb\n\n## C\n\n{large}\n\n## D\n\nd\n\n## E\n\n## F\n\nf\n"
    );
    let options = ChunkOptions { min_size: 8, ..budget(25) };
    let d = "## D\n\nd\n\n## E\n\n## F\n\nf";
    expect(
        &outline(&markdown, &options),
        &[("T", own.as_str()), ("T", "## A\n\na\n\n## B\n\nb"), ("C", large), ("T", d)],
    );
}

#[test]
fn the_anchors_of_headings_in_a_chunk_are_told() {
    let own = "word ".repeat(14) + "end.";
    let large = "Text of a section that is not tiny.";
    let document = parse(&format!(
        "# T\n\n{own}\n\n## A\n\na\n\n## B {{#own}}\n\nb\n\n## C\n\n{large}\n\n## D\n\nd\n\n## E\n\ne\n"
    ));
    let chunks = chunk(&document, &ChunkOptions { min_size: 8, ..budget(25) });
    let told: Vec<Vec<_>> = chunks.iter().map(|chunk| chunk.anchors(&document)).collect();
    let two = |first: &str, second: &str| vec![(0, first.to_owned()), (9, second.to_owned())];
    assert_eq!(told, [vec![], two("a", "own"), vec![], two("d", "e")]);
    assert!(
        chunks
            .iter()
            .zip(told)
            .all(|(chunk, told)| { told.iter().all(|(at, _)| chunk.text[*at..].starts_with("## ")) })
    );
}

#[test]
fn at_the_top_only_what_the_first_can_stand_for_is_merged() {
    expect(&outline("above\n\n# T\n\ntext\n", &ChunkOptions::default()), &[("T", "above\n\n# T\n\ntext")]);
    expect(&outline("# A\n\na\n\n# B\n\nb\n", &ChunkOptions::default()), &[("A", "a\n\n# B\n\nb")]);
    expect(
        &outline("## X\n\nx\n\n# A\n\na\n\n# B\n\nb\n", &ChunkOptions::default()),
        &[("X", "x"), ("A", "a\n\n# B\n\nb")],
    );
}

#[test]
fn a_heading_that_no_text_shows_is_not_lost_in_a_merged_chunk() {
    let mut document = document(&[
        (None, "A", &[(BlockKind::Paragraph, "a")]),
        (Some(0), "B", &[(BlockKind::Paragraph, "b")]),
        (Some(0), "C", &[(BlockKind::Paragraph, "c")]),
    ]);
    document.sections[1].heading = 0..0;
    let sections: Vec<_> =
        chunk(&document, &ChunkOptions::default()).iter().map(|chunk| chunk.section).collect();
    assert_eq!(sections, [0, 1, 2]);
}

#[test]
fn code_in_an_item_is_cut_between_its_lines() {
    let code = "# set up\n  - one two\n      three four\n  # again";
    let markdown = format!("# T\n\n- Before it:\n\n  ```sh\n  {code}\n  ```\n\n- And then\n");
    let chunks = outline(&markdown, &budget(16));
    let text: Vec<&str> = chunks.iter().map(|(_, text)| text.as_str()).collect();
    assert!(text[0].contains("\n  - one two") && !text[0].contains("three"), "{text:?}");
    assert!(text[1].contains("      three four\n"), "{text:?}");
    // As a whole where there is room: lines of code begin no items.
    assert!(outline(&markdown, &budget(40))[0].1.contains(code));
}

#[test]
fn what_is_ready_stays_alone() {
    let ready = |text| (BlockKind::Ready { repeated: 0 }, text);
    let paragraph = |text| (BlockKind::Paragraph, text);
    let document = document(&[
        (None, "A", &[paragraph("a"), ready("One. Two."), ready("Three."), paragraph("b"), paragraph("c")]),
        (Some(0), "B", &[ready("d")]),
        (Some(0), "C", &[paragraph("e")]),
    ]);
    let options = ChunkOptions { overlap: 2, ..ChunkOptions::default() };
    let texts: Vec<String> = chunk(&document, &options).into_iter().map(|chunk| chunk.text).collect();
    assert_eq!(texts, ["a", "One. Two.", "Three.", "b\n\nc", "d", "e"]);
}

#[test]
fn paragraphs_are_gathered_up_to_the_budget() {
    let paragraph = "word ".repeat(19) + "end.";
    let markdown = format!("# T\n\n{paragraph}\n\n{paragraph}\n\n{paragraph}\n");
    assert_eq!(texts(&markdown, &budget(52)), [format!("{paragraph}\n\n{paragraph}"), paragraph]);
}

#[test]
fn a_paragraph_too_large_is_cut_between_sentences() {
    let text = "Give 0.5 mg of it, e.g. Brand. Dr. Bell said so. See Fig. 2 for more. That is all of it.";
    assert_eq!(
        texts(text, &budget(18)),
        ["Give 0.5 mg of it, e.g. Brand. Dr. Bell said so.", "See Fig. 2 for more. That is all of it."]
    );
}

#[test]
fn a_list_too_large_is_cut_between_items() {
    let list = "- an item that goes on\n  behind a line end\n".repeat(8);
    let expected = "- an item that goes on\n  behind a line end";
    assert!(texts(&list, &budget(20)).iter().all(|text| text == expected));
    let long = format!("- {}\n- next\n", "A sentence of it. ".repeat(8));
    assert!(texts(&long, &budget(20)).iter().all(|text| text.ends_with("of it.") || text.ends_with("next")));
}

#[test]
fn a_table_too_large_repeats_its_header() {
    let table = "| drug | dose |\n|---|---|\n".to_owned() + &"| a | 1 mg |\n".repeat(12);
    let document = parse(&format!("Intro.\n\n{table}\nOutro."));
    let chunks = chunk(&document, &budget(25));
    assert!(chunks.len() > 2);
    assert!(chunks[0].text.starts_with("Intro.\n\n| drug | dose |\n|---|---|\n| a | 1 mg |"));
    for chunk in &chunks[1..] {
        assert_eq!(&chunk.text[..chunk.repeated], "| drug | dose |\n|---|---|\n");
        assert!(chunk.text[chunk.repeated..].starts_with("| a | 1 mg |"));
        assert_eq!(chunk.text[chunk.repeated..], document.text[chunk.range.clone()]);
    }
    assert!(chunks.last().unwrap().text.ends_with("| a | 1 mg |\n\nOutro."));
}

#[test]
fn a_header_that_leaves_no_room_for_rows_is_a_row() {
    let table = format!("| {} |\n|---|\n| one |\n| two |\n", "name ".repeat(20));
    let document = parse(&table);
    let chunks = chunk(&document, &budget(16));
    assert!(chunks.iter().all(|chunk| chunk.repeated == 0));
    assert!(chunks.last().unwrap().text.ends_with("| one |\n| two |"));
}

#[test]
fn lines_and_brackets_alone_are_no_chunk() {
    let table = format!("| {} |\n|{}|\n| one |\n", "name ".repeat(20), "-".repeat(120));
    let texts = texts(&table, &budget(16));
    assert!(texts.iter().all(|text| text.contains(char::is_alphabetic)), "{texts:?}");
    assert!(texts.last().unwrap().ends_with("| one |"));
}

#[test]
fn code_is_cut_between_lines() {
    let code = "```\n".to_owned() + &"    let x = 1;\n".repeat(12) + "```\n";
    let chunks = texts(&code, &budget(16));
    assert!(chunks.len() > 2 && chunks[1..].iter().all(|text| text.starts_with("```\n    let x = 1;")));
}

#[test]
fn words_and_graphemes_are_the_last_resorts() {
    let words = "wort ".repeat(100);
    assert!(texts(&words, &budget(32)).iter().all(|text| text.split(' ').all(|word| word == "wort")));
    let family = "👨‍👩‍👧‍👦".repeat(60);
    assert!(texts(&family, &budget(32)).iter().all(|text| text.replace("👨‍👩‍👧‍👦", "").is_empty()));
    // A grapheme that is larger than any chunk may be.
    let marks = "a".to_owned() + &"\u{301}".repeat(200);
    assert!(texts(&marks, &budget(16)).len() > 3);
}

#[test]
fn sentences_overlap_as_far_as_there_is_room() {
    let text = (0..12).map(|at| format!("Sentence number {at:02} is here. ")).collect::<Vec<_>>().concat();
    let document = parse(&text);
    let options = ChunkOptions { overlap: 2, ..budget(60) };
    let chunks = chunk(&document, &options);
    assert!(chunks.len() > 1);
    for pair in chunks.windows(2) {
        let repeated = &pair[1].text[..pair[1].repeated];
        assert!(repeated.starts_with("Sentence") && repeated.matches("Sentence").count() == 2, "{repeated}");
        assert!(pair[0].text.ends_with(repeated.trim_end()));
    }
    // A quarter of a small chunk holds no sentence.
    assert!(
        chunk(&document, &ChunkOptions { overlap: 2, ..budget(24) }).iter().all(|chunk| chunk.repeated == 0)
    );
}

#[test]
fn the_prefix_names_all_headings_that_fit() {
    let path = |titles: &[&str]| titles.iter().map(|title| (*title).to_owned()).collect::<Vec<_>>();
    let within = |titles: &[&str], tokens: usize| prefix_within(&path(titles), &budget(tokens * 2));
    assert_eq!(prefix(&path(&["A", "B"])), "[A > B] ");
    assert_eq!(within(&["A", "B"], 8), "[A > B] ");
    let long = ["Malaria", "Treatment of adults", "Severe malaria", "Doses"];
    assert_eq!(within(&long, 100), "[Malaria > Treatment of adults > Severe malaria > Doses] ");
    assert_eq!(within(&long, 13), "[Malaria > … > Severe malaria > Doses] ");
    assert_eq!(within(&long, 8), "[Malaria > … > Doses] ");
    assert_eq!(
        within(&["Management of malaria", "x", "Dosage of artesunate"], 8),
        "[Management… > … > Dosage of…] "
    );
    assert_eq!(within(&["Management of severe malaria in adults"], 8), "[Management of severe malaria…] ");
    assert_eq!(
        within(&["Management of malaria", "Dosage of artesunate"], 8),
        "[Management o… > Dosage of ar…] "
    );
    assert_eq!(within(&[], 8), "[] ");
}

#[test]
fn options_out_of_range_are_refused() {
    assert!(ChunkOptions::default().validate().is_ok());
    let base = ChunkOptions::default();
    for (options, name) in [
        (ChunkOptions { budget: 15, ..base.clone() }, "budget"),
        (ChunkOptions { budget: 40_000, ..base.clone() }, "budget"),
        (ChunkOptions { min_size: 40_000, ..base.clone() }, "min_size"),
        (ChunkOptions { overlap: 17, ..base.clone() }, "overlap"),
    ] {
        let error = options.validate().unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidOption);
        assert!(error.message().contains(&format!("`{name}`")), "{error}");
        chunk(&parse(HANDBOOK), &options);
    }
    let json = serde_json::to_string(&base).unwrap();
    assert_eq!(json, r#"{"budget":180,"min_size":64,"overlap":0}"#);
    assert_eq!(serde_json::from_str::<ChunkOptions>(r#"{"budget":180}"#).unwrap(), base);
}

/// A link's definition is no part of any block, so a chunk after it repeats nothing rather than something new.
#[test]
fn nothing_is_repeated_over_what_no_chunk_has() {
    let words = "Nearly all of the room is taken by these words here. ".repeat(3);
    let options = ChunkOptions { overlap: 1, ..budget(60) };
    let repeated = |between: &str| -> Vec<usize> {
        let document = parse(&format!("{words}Short.\n\n{between}{words}\n"));
        chunk(&document, &options).iter().map(|chunk| chunk.repeated).collect()
    };
    assert_eq!(repeated(""), [0, "Short.\n\n".len()]);
    assert_eq!(repeated("[a]: b\n\n"), [0, 0]);
}

#[test]
fn ids_come_from_what_a_chunk_says() {
    // The hash of a single zero byte is XXH64's own.
    assert_eq!(chunk_id("", ""), 0xe934_a84a_db05_2768);
    assert_ne!(chunk_id("[A] ", "b"), chunk_id("[A] b", ""));
    assert_eq!(chunk_id("[A] ", "b"), chunk_id("[A] ", "b"));
}

#[test]
fn code_that_is_cut_stays_within_fences() {
    let lines: String = (0..40).map(|at| ["let line_", &at.to_string(), " = 1;\n"].concat()).collect();
    let quoted = lines.replace("let", "> let");
    let markdown = format!(
        "# T\n\nBefore.\n\n```rust title=x\n{lines}```\n\nBetween.\n\n> ~~~js\n{quoted}> ~~~\n\nAfter.\n"
    );
    let document = Document::parse("a.md", markdown.as_bytes()).unwrap();
    let chunks = chunk(&document, &budget(60));
    assert!(chunks.len() > 6);
    for chunk in &chunks {
        let fences: Vec<&str> = chunk.text.lines().filter(|line| is_fence(line)).collect();
        assert!(fences.len().is_multiple_of(2), "{}", chunk.text);
        assert!(!chunk.text.contains("rust\n```") && !chunk.text.contains("title=x\n```"), "{}", chunk.text);
    }
    let inner = &chunks[2];
    assert!(inner.text.starts_with("```rust\nlet line_") && inner.text.ends_with(";\n```"), "{}", inner.text);
    assert_eq!(inner.repeated, "```rust\n".len());
    assert!(chunks.iter().any(|chunk| chunk.text.starts_with("> ~~~js\n> let line_")));
}
