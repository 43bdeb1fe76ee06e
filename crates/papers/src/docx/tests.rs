//! Documents that the tests write themselves.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use proptest::prelude::*;
use rawzip::path::EntryPath;
use rawzip::{CompressionMethod, ZipArchiveWriter};

use crate::html;

fn docx(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = ZipArchiveWriter::new(&mut bytes);
    for (name, text) in parts {
        let (mut entry, config) = archive
            .new_file(EntryPath::verbatim(name.as_bytes()))
            .compression_method(CompressionMethod::DEFLATE)
            .start()
            .unwrap();
        let encoder = DeflateEncoder::new(&mut entry, Compression::default());
        let mut writer = config.wrap(encoder);
        writer.write_all(text.as_bytes()).unwrap();
        let (encoder, descriptor) = writer.finish().unwrap();
        encoder.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    bytes
}

const STYLES: &str = r#"<w:styles xmlns:w="w"><w:docDefaults><w:rPr><w:lang w:val="en-GB"/></w:rPr></w:docDefaults>
    <w:style w:styleId="T"><w:name w:val="Title"/></w:style>
    <w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
    <w:style w:styleId="Own"><w:name w:val="My head"/><w:basedOn w:val="berschrift1"/></w:style>
    <w:style w:styleId="H2"><w:name w:val="heading 2"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
    <w:style w:styleId="C"><w:name w:val="Source Code"/></w:style>
    <w:style w:styleId="toc1"><w:name w:val="toc 1"/></w:style></w:styles>"#;
const NUMBERING: &str = r#"<w:numbering xmlns:w="w">
    <w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl>
    <w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>
    <w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>"#;
const NOTES: &str = r#"<w:footnotes xmlns:w="w"><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>
    <w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t>As a rule.</w:t></w:r></w:p></w:footnote></w:footnotes>"#;

fn paragraph(style: &str, text: &str) -> String {
    format!(r#"<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#)
}

fn item(level: u8, text: &str) -> String {
    format!(
        r#"<w:p><w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="3"/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#
    )
}

fn with_body(body: &str) -> Vec<u8> {
    let document = format!(
        r#"<?xml version="1.0"?><w:document xmlns:w="w" xmlns:r="r"><w:body>{body}</w:body></w:document>"#
    );
    docx(&[
        ("[Content_Types].xml", "<Types/>"),
        ("word/document.xml", &document),
        ("word/styles.xml", STYLES),
        ("word/numbering.xml", NUMBERING),
        ("word/footnotes.xml", NOTES),
        (
            "word/_rels/document.xml.rels",
            r#"<Relationships><Relationship Id="r1" Target="https://example.org/?a&amp;b" TargetMode="External"/></Relationships>"#,
        ),
    ])
}

fn body(body: &str) -> String {
    let html = html("a/tea.docx", &with_body(body), &mut |_| ()).unwrap();
    html.split_once("<main>\n").unwrap().1.replace("</main>\n", "")
}

#[test]
fn styles_make_headings_and_code() {
    let text = [
        paragraph("T", "Tea &amp; more"),
        paragraph("toc1", "Green 3"),
        paragraph("berschrift1", "Green"),
        paragraph("H2", "Steeping"),
        paragraph("", "Two minutes."),
        paragraph("C", "steep --minutes 2"),
        paragraph("C", "  drink"),
        paragraph("Own", "Black"),
    ];
    assert_eq!(
        body(&text.concat()),
        "<h1>Tea &amp; more</h1>\n<h2>Green</h2>\n<h3>Steeping</h3>\n<p>Two minutes.</p>\n\
         <pre>steep --minutes 2\n  drink\n</pre>\n<h2>Black</h2>\n"
    );
    // An only heading of level 1 at the top is the title.
    let one = [paragraph("berschrift1", "Green"), paragraph("H2", "Steeping"), paragraph("", "x")].concat();
    assert_eq!(body(&one), "<h1>Green</h1>\n<h2>Steeping</h2>\n<p>x</p>\n");
}

#[test]
fn runs_links_notes_and_changes() {
    let text = r#"<w:p><w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>9</w:t></w:r>
        <w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t xml:space="preserve"> new</w:t></w:r></w:ins>
        <w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>
        <w:r><w:instrText>PAGE</w:instrText><w:br/></w:r>
        <w:hyperlink r:id="r1"><w:r><w:t>a link</w:t></w:r></w:hyperlink><w:r><w:footnoteReference w:id="2"/></w:r></w:p>"#;
    assert_eq!(
        body(text),
        "<p>10<sup>9</sup> new<br><a href=\"https://example.org/?a&amp;b\">a link</a></p><p>As a rule.</p>\n"
    );
}

#[test]
fn lists_nest_and_end() {
    let text =
        [item(0, "a"), item(1, "b"), item(1, "c"), item(0, "d"), paragraph("", "x"), item(1, "e")].concat();
    assert_eq!(
        body(&text).replace('\n', ""),
        "<ul><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ul><p>x</p><ol><li>e</li></ol>"
    );
}

#[test]
fn cells_that_reach_over_rows_are_repeated() {
    let cell = |properties: &str, text: &str| {
        format!("<w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>")
    };
    let text = format!(
        r#"<w:tbl><w:tblPr><w:tblLook w:val="04A0"/></w:tblPr><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl>"#,
        cell("", "Tea"),
        cell("", "Minutes"),
        cell(r#"<w:vMerge w:val="restart"/>"#, "Green"),
        cell("", "2"),
        cell("<w:vMerge/>", ""),
        cell(r#"<w:gridSpan w:val="2"/>"#, "3"),
    );
    assert_eq!(
        body(&text).replace("<p>", "").replace("</p>", ""),
        "<table><tr><th>Tea</th><th>Minutes</th></tr><tr><td>Green</td><td>2</td></tr>\
         <tr><td>Green</td><td colspan=\"2\">3</td></tr></table>\n"
    );
}

#[test]
fn what_is_no_document_is_said() {
    let why = |bytes: &[u8]| html("a.docx", bytes, &mut |_| ()).unwrap_err().to_string();
    assert!(why(b"words").contains("no DOCX"));
    assert!(why(&docx(&[("a.txt", "x")])).contains("no DOCX"));
    assert!(why(&with_body("<w:p/>")).contains("no text"));
    assert!(why(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1").contains("encrypted"));
    let bomb = "x".repeat(300 << 20);
    assert!(why(&docx(&[("word/document.xml", &bomb)])).contains("256 MiB"));
    // Up to where it breaks.
    let broken = docx(&[("word/document.xml", "<w:p><w:r><w:t>Tea</w:t></w:r></w:p><w:p <")]);
    assert!(html("a.docx", &broken, &mut |_| ()).unwrap().contains("<p>Tea</p>"));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let text = [paragraph("T", "Tea"), item(0, "a"), item(1, "b"), "<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>".into()];
        let mut bytes = with_body(&text.concat());
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = html("a.docx", &bytes, &mut |_| ());
    }

    #[test]
    fn any_elements_are_read(names in prop::collection::vec("/?(p|r|t|tbl|tr|tc|hyperlink|footnote|sdt|del|br/|tab/|vMerge/|numId/)", 0..60)) {
        let xml: String = names.iter().map(|name| format!("<w:{name}>x")).map(|tag| tag.replace("<w:/", "</w:")).collect();
        let _ = html("a.docx", &with_body(&xml), &mut |_| ());
    }
}
