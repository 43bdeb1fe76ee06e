//! Every format on damaged input: no panic, and whatever is read holds together.

use super::{Document, archive, parse};

const MARKDOWN: &str = "---\ntitle: Tea\ndrugs: [a, b]\nyear: 2026\n---\n# Tea\n\nWords, *and* more[^1].\n\n- a\n  - b\n\n\
    ## Doses\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\n# no heading\n```\n\n> quoted\n\nSetext\n---\n\n<div>\nx\n</div>\n\n[^1]: Note.\n";
const TOML_MARKDOWN: &str = "+++\ntitle = 'Tea'\ndate = 2026-03-01\n[extra]\na = [1, 2]\n+++\n\nWords.\n";
const JSONL: &str = "{\"source\":\"a.md\",\"document_id\":\"a\",\"title\":\"T\",\"section\":[\"T\",\"S\"],\"content\":\"ab é\",\
    \"repeated\":1,\"span\":{\"start\":3,\"end\":9},\"line\":2,\"metadata\":{\"year\":2026}}\n{\"source\":\"a.md\",\"section\":\"T > U\",\"text\":\"x\"}\n";
const TEXT: &str = "One\ntwo é\r\n\r\nthree\n\n\nfour";

const RST: &str = "Tea\n===\n\n.. |x| replace:: y\n\nSteep ``green`` :ref:`tea <t>` |x| [1]_::\n\n  code é\n\n- one\n\n  - two\n\n.. note:: Hot\n   :class: a\n\n   ===== ==\n   a     b\n   ===== ==\n   c     d\n   ===== ==\n\n\
    .. list-table::\n\n   * - a\n     - b\n\n+--+--+\n|a |b |\n+--+--+\n\nterm\n   :f: x\n\n.. [1] Note.\n";
const NOTEBOOK: &str = "{\"cells\": [{\"cell_type\": \"markdown\", \"source\": [\"# Tea\\n\", \"``` é\"]}, {\"cell_type\": \"code\", \"source\": \"x\"}],\
    \"metadata\": {\"title\": \"T\", \"kernelspec\": {\"language\": \"r\"}}, \"nbformat\": 4}";

fn samples() -> [(&'static str, &'static str); 8] {
    [
        ("a.md", MARKDOWN),
        ("b.md", TOML_MARKDOWN),
        ("a.nxml", include_str!("nxml/article.nxml")),
        ("a.html", include_str!("html/page.html")),
        ("a.jsonl", JSONL),
        ("a.txt", TEXT),
        ("a.rst", RST),
        ("a.ipynb", NOTEBOOK),
    ]
}

/// Whatever was read can be chunked and cited: blocks in order, on character boundaries, within the text; parents
/// before their children; places within the file.
fn check(document: &Document, length: Option<usize>) {
    let mut end = 0;
    for (number, section) in document.sections.iter().enumerate() {
        assert!(section.parent.is_none_or(|parent| parent < number));
        assert!(
            !section.heading_path.is_empty()
                && section.heading_path.iter().skip(1).all(|heading| !heading.is_empty())
        );
        assert!(document.text.get(section.heading.clone()).is_some());
        for block in &section.blocks {
            assert!(block.range.start >= end && document.text.get(block.range.clone()).is_some());
            end = block.range.end;
            if let super::BlockKind::Table { header } = &block.kind {
                assert!(header.start == block.range.start && header.end <= block.range.end);
                assert!(document.text.get(header.clone()).is_some());
            }
            let place = document.origin.place(&block.range);
            assert!(place.span.start <= place.span.end && place.line >= 1);
            assert!(length.is_none_or(|length| place.span.end <= length));
        }
    }
}

fn read(name: &str, bytes: &[u8]) {
    if let Ok(documents) = parse(name, bytes) {
        // A file of chunks tells places in other files.
        let length = (name != "a.jsonl").then_some(bytes.len());
        documents.iter().for_each(|document| check(document, length));
    }
}

/// xorshift64*, seeded, so that a failure comes again.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit.max(1)
    }
}

#[test]
fn what_is_whole_is_read() {
    for (name, text) in samples() {
        let documents = parse(name, text.as_bytes()).unwrap();
        assert!(documents.iter().all(|document| document.warnings.len() <= 1), "{name}");
        read(name, text.as_bytes());
    }
}

#[test]
fn a_title_that_is_set_later_stands_in_every_path() {
    let mut document = Document::parse("a.md", MARKDOWN.as_bytes()).unwrap();
    document.apply_sidecar("a.md.meta.json", br#"{"title": "Herbs", "bad name": 1}"#).unwrap();
    assert!(document.sections.iter().all(|section| section.heading_path[0] == "Herbs"));
    assert_eq!(document.warnings.len(), 1);
    document.set_metadata("title", "Tea again").unwrap();
    assert_eq!(document.sections[0].heading_path, ["Tea again"]);
    assert!(document.set_metadata("year", "soon").is_err());
}

#[test]
fn a_hundred_thousand_levels_are_read_in_linear_time() {
    const HTML: &str = "div ul li table section span blockquote sup h2 a pre dl main";
    const NXML: &str = "sec list table p sup italic book-part caption msup def fig title code";
    for (name, start, tags) in [("a.html", "<body>", HTML), ("a.nxml", "<article><body>", NXML)] {
        for tag in tags.split(' ') {
            let deep = format!("{start}{}x", format!("<{tag}>").repeat(100_000));
            let document = Document::parse(name, deep.as_bytes());
            assert!(document.map_or(0, |document| document.text.len()) < 2_000_000, "{name} {tag}");
        }
    }
}

#[test]
fn every_truncation() {
    for (name, text) in samples() {
        for end in 0..text.len() {
            read(name, &text.as_bytes()[..end]);
        }
    }
}

#[test]
fn bytes_changed_removed_and_repeated() {
    const BYTES: &[u8] = b"<>/&;\"'[]{}|#-`\n\r\t \0\xFF\xC2\xE2\x80aZ0=!";
    let mut random = Random(0x6962_6964);
    for (name, text) in samples() {
        for _ in 0..1500 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=random.below(4) {
                let at = random.below(bytes.len());
                let end = (at + random.below(200)).min(bytes.len());
                match random.below(4) {
                    0 => bytes[at] = BYTES[random.below(BYTES.len())],
                    1 => bytes[at] ^= 1 << random.below(8),
                    2 => drop(bytes.drain(at..end)),
                    _ => {
                        let copy = bytes[at..end].to_vec();
                        let to = random.below(bytes.len());
                        bytes.splice(to..to, copy);
                    }
                }
                if bytes.is_empty() {
                    bytes.push(b' ');
                }
            }
            read(name, &bytes);
        }
    }
}

#[test]
fn a_format_given_as_another() {
    for (_, text) in samples() {
        for (name, _) in samples() {
            read(name, text.as_bytes());
        }
        read("unknown", text.as_bytes());
        assert!(archive::parse("a.tgz", text.as_bytes()).is_err());
    }
}

#[test]
fn markdown_nested_a_hundred_thousand_deep() {
    for open in
        [">", "- ", "* a\n", "1. ", "[", "![", "**a", "`", "<div>", "|", "# ", "[^a]: ", "\\", "&", "<!--"]
    {
        read("a.md", open.repeat(100_000).as_bytes());
    }
}
