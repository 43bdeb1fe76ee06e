use super::*;
use proptest::prelude::*;

fn document(markdown: &str) -> Document {
    Document::parse("a.md", markdown.as_bytes()).unwrap()
}

fn texts(markdown: &str, budget: usize) -> Vec<String> {
    chunk(&document(markdown), &ChunkOptions { budget }).into_iter().map(|chunk| chunk.text).collect()
}

#[test]
fn a_section_that_fits_is_one_chunk() {
    let document = document("# T\n\none\n\n- a\n- b\n\n## Sub\n\n    code\n\n## Empty\n");
    let chunks = chunk(&document, &ChunkOptions::default());
    let seen: Vec<_> = chunks.iter().map(|c| (c.section, c.text.as_str(), c.line)).collect();
    assert_eq!(seen, [(0, "one\n\n- a\n- b", 3), (1, "    code", 10)]);
}

#[test]
fn paragraphs_are_gathered_up_to_the_budget() {
    let paragraph = "word ".repeat(19) + "end.";
    let markdown = format!("# T\n\n{paragraph}\n\n{paragraph}\n\n{paragraph}\n");
    let chunks = texts(&markdown, 52);
    assert_eq!(chunks, [format!("{paragraph}\n\n{paragraph}"), paragraph]);
}

#[test]
fn a_block_too_large_is_split_at_lines_then_words_then_graphemes() {
    let lines = "- a line of a list\n".repeat(30);
    assert!(texts(&lines, 32).iter().all(|text| text.starts_with("- a") && text.ends_with("list")));
    let words = "wort ".repeat(100);
    assert!(texts(&words, 32).iter().all(|text| text.split(' ').all(|word| word == "wort")));
    let family = "👨‍👩‍👧‍👦".repeat(60);
    assert!(texts(&family, 32).iter().all(|text| text.replace("👨‍👩‍👧‍👦", "").is_empty()));
}

#[test]
fn the_prefix_names_all_headings() {
    assert_eq!(prefix(&["A".into(), "B".into()]), "[A > B] ");
    assert_eq!(token_count("12345"), 2);
}

proptest! {
    #[test]
    fn chunks_fit_point_at_their_text_and_lose_no_word(
        markdown in "([-#a `>|*\\[\\]é。1.]{0,30}(\n|\n\n| )|[a-z]{60} ){0,40}",
        budget in 24usize..80,
    ) {
        // An empty file is no document.
        prop_assume!(!markdown.trim().is_empty());
        let document = document(&markdown);
        let options = ChunkOptions { budget };
        let chunks = chunk(&document, &options);
        prop_assert_eq!(&chunks, &chunk(&document, &options));
        let mut end = 0;
        for chunk in &chunks {
            let section = &document.sections[chunk.section];
            prop_assert_eq!(&document.text[chunk.span.clone()], &chunk.text);
            prop_assert!(chunk.span.start >= end && !chunk.text.trim().is_empty());
            prop_assert_eq!(chunk.line as usize, document.text[..chunk.span.start].matches('\n').count() + 1);
            end = chunk.span.end;
            prop_assert!(token_count(&chunk.text) <= body_budget(section, &options));
        }
        let of = |text: String| text.split_whitespace().collect::<String>();
        let blocks = document.sections.iter().flat_map(|section| &section.blocks);
        let all = of(blocks.map(|block| document.text[block.range.clone()].to_owned() + " ").collect());
        let kept = of(chunks.iter().map(|chunk| chunk.text.clone() + " ").collect());
        prop_assert_eq!(kept, all);
    }
}
