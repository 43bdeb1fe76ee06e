//! Files that the tests write themselves.

use std::fmt::Write;

use proptest::prelude::*;

use crate::{empty_pages, html, pages};

/// A page's content: pieces of text in a size at places, from the lower left corner.
type Content<'a> = &'a [(f64, f64, f64, &'a str)];

/// Writes a PDF in Helvetica, with bookmarks that lead to pages.
fn pdf(contents: &[Content<'_>], bookmarks: &[(&str, usize)], info: &str) -> Vec<u8> {
    let first = 10;
    let page = |number: usize| first + 2 * number;
    let kids: Vec<String> = (0..contents.len()).map(|number| format!("{} 0 R", page(number))).collect();
    let kids = kids.join(" ");
    let outline = 1000;
    let mut objects = vec![
        (1, format!("<</Type/Catalog/Pages 2 0 R/Outlines {outline} 0 R/Lang(en)>>")),
        (2, format!("<</Type/Pages/Count {}/Kids[{kids}]>>", contents.len())),
        (3, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned()),
        (4, format!("<<{info}>>")),
        (
            5,
            "<</Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray\
             /Length 1>>\nstream\n0\nendstream"
                .to_owned(),
        ),
    ];
    for (number, content) in contents.iter().enumerate() {
        let mut text = String::new();
        if content.is_empty() {
            text.push_str("q 600 0 0 800 0 0 cm /I Do Q");
        }
        for (x, y, size, words) in *content {
            let words = words.replace('(', "\\(").replace(')', "\\)");
            let _ = writeln!(text, "BT /F {size} Tf 1 0 0 1 {x} {y} Tm ({words}) Tj ET");
        }
        objects.push((
            page(number),
            format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents {} 0 R\
                 /Resources<</Font<</F 3 0 R>>/XObject<</I 5 0 R>>>>>>",
                page(number) + 1
            ),
        ));
        objects.push((page(number) + 1, format!("<</Length {}>>\nstream\n{text}\nendstream", text.len())));
    }
    if let Some(last) = bookmarks.len().checked_sub(1) {
        objects.push((outline, format!("<</First {} 0 R/Last {} 0 R>>", outline + 1, outline + 1 + last)));
        for (number, (title, to)) in bookmarks.iter().enumerate() {
            let next =
                if number < last { format!("/Next {} 0 R", outline + 2 + number) } else { String::new() };
            let item = format!("<</Title({title})/Dest[{} 0 R/Fit]{next}>>", page(*to));
            objects.push((outline + 1 + number, item));
        }
    }
    let mut out = String::from("%PDF-1.4\n");
    let mut places = String::new();
    for (number, object) in &objects {
        let _ = write!(places, "{number} 1\n{:010} 00000 n \n", out.len());
        let _ = write!(out, "{number} 0 obj\n{object}\nendobj\n");
    }
    let start = out.len();
    let _ = write!(
        out,
        "xref\n{places}trailer\n<</Size 2000/Root 1 0 R/Info 4 0 R>>\nstartxref\n{start}\n%%EOF\n"
    );
    out.into_bytes()
}

fn read(bytes: &[u8]) -> String {
    html("a/tea.pdf", bytes, &mut |_| ()).unwrap()
}

fn body(bytes: &[u8]) -> String {
    let html = read(bytes);
    html.split_once("<main>\n").unwrap().1.replace("</main>\n", "")
}

fn why(bytes: &[u8]) -> String {
    html("a/tea.pdf", bytes, &mut |_| ()).unwrap_err().to_string()
}

const COLUMNS: Content<'static> = &[
    (50.0, 740.0, 20.0, "On tea"),
    (50.0, 700.0, 10.0, "The left column begins with words that price-"),
    (50.0, 688.0, 10.0, "determining people read from the top to the"),
    (50.0, 676.0, 10.0, "bottom of the page before they go on to its capabili-"),
    (50.0, 664.0, 10.0, "ties, which are price-determining for the whole"),
    (50.0, 652.0, 10.0, "of the document that follows in the next one,"),
    (320.0, 700.0, 10.0, "as the right column shows with its own words"),
    (320.0, 688.0, 10.0, "about green tea and about black tea, so that no"),
    (320.0, 676.0, 10.0, "line of it is read together with one of the left"),
    (320.0, 664.0, 10.0, "column, whatever the order of drawing is here,"),
    (320.0, 652.0, 10.0, "and it ends here."),
];

#[test]
fn columns_are_read_in_order_and_words_are_joined() {
    let mut mixed: Vec<_> = COLUMNS.to_vec();
    mixed.sort_by(|one, other| other.1.total_cmp(&one.1));
    for content in [COLUMNS, &mixed] {
        assert_eq!(
            body(&pdf(&[content], &[], "")),
            "<!--page 1--><h1>On tea</h1>\n\
             <p>The left column begins with words that price-determining people read from the top to the bottom of \
             the page before they go on to its capabilities, which are price-determining for the whole of the \
             document that follows in the next one, as the right column shows with its own words about green tea \
             and about black tea, so that no line of it is read together with one of the left column, whatever the \
             order of drawing is here, and it ends here.</p>\n"
        );
    }
}

/// Three pages with a header and a number, two headings, and a paragraph over two pages.
fn book(bookmarks: &[(&str, usize)]) -> Vec<u8> {
    let contents: [Vec<(f64, f64, f64, &str)>; 4] = [
        vec![
            (50.0, 780.0, 8.0, "The book of tea"),
            (50.0, 700.0, 16.0, "1 Green tea"),
            (50.0, 670.0, 10.0, "Green tea is steeped for two minutes at most."),
            (50.0, 650.0, 10.0, "\u{2022} not boiling"),
            (50.0, 638.0, 10.0, "\u{2022} not long"),
            (50.0, 610.0, 10.0, "A sentence goes on over the end of the page and is com-"),
            (300.0, 20.0, 8.0, "1"),
        ],
        vec![
            (50.0, 780.0, 8.0, "The book of tea"),
            (50.0, 700.0, 10.0, "plete only there."),
            (50.0, 660.0, 16.0, "2 Black tea"),
            (50.0, 630.0, 10.0, "Black tea takes (at least) four minutes & more."),
            (300.0, 20.0, 8.0, "2"),
        ],
        vec![],
        vec![
            (50.0, 780.0, 8.0, "The book of tea"),
            (50.0, 700.0, 10.0, "The last page."),
            (300.0, 20.0, 8.0, "4"),
        ],
    ];
    // A bullet in the font's encoding.
    let bytes = pdf(&contents.each_ref().map(Vec::as_slice), bookmarks, "/Title(The book)");
    String::from_utf8(bytes).unwrap().replace('\u{2022}', "\\225").into_bytes()
}

const BOOK: &str = "<!--page 1--><h1>The book</h1>\n<h2>1 Green tea</h2>\n\
    <p>Green tea is steeped for two minutes at most.</p>\n<ul>\n<li>not boiling</li>\n<li>not long</li>\n</ul>\n\
    <p>A sentence goes on over the end of the page and is complete<!--page 2--> only there.</p>\n\
    <h2>2 Black tea</h2>\n<p>Black tea takes (at least) four minutes &amp; more.</p>\n\
    <!--page 4--><p>The last page.</p>\n<!--empty 3-->";

#[test]
fn headings_are_the_bookmarks_or_in_larger_type() {
    assert_eq!(body(&book(&[("Green tea", 0), ("2 Black tea", 1)])), BOOK);
    assert_eq!(body(&book(&[])), BOOK);
    let html = read(&book(&[]));
    assert!(html.starts_with("<!doctype html><html lang=\"en\"><title>The book</title>"));
    assert_eq!(pages(&html).iter().map(|page| page.1).collect::<Vec<_>>(), [1, 2, 4]);
    assert_eq!(empty_pages(&html), Some("3"));
}

#[test]
fn a_bookmark_that_no_row_shows_is_a_heading_too() {
    let html = body(&book(&[("Brewing", 0), ("The end", 3)]));
    assert!(html.contains("<h1>The book</h1>\n<h2>Brewing</h2>\n<p>1 Green tea</p>"), "{html}");
    assert!(html.contains("<h2>The end</h2>\n<p>The last page.</p>"), "{html}");
}

#[test]
fn the_title_is_said_or_largest_or_the_files_name() {
    let title = |info: &str, content: Content<'_>| {
        let html = read(&pdf(&[content], &[], info));
        html.split_once("<title>").unwrap().1.split_once("</title>").unwrap().0.to_owned()
    };
    assert_eq!(title("/Title(Microsoft Word - All of tea)", COLUMNS), "All of tea");
    for made_up in ["", "/Title(untitled)", "/Title(draft_3.docx)", "/Title( )"] {
        assert_eq!(title(made_up, COLUMNS), "On tea", "{made_up}");
    }
    assert_eq!(title("", &COLUMNS[1..]), "tea");
}

#[test]
fn what_cannot_be_read_is_said() {
    assert!(why(b"words").contains("`a/tea.pdf` cannot be read: it is broken, or no PDF."));
    assert!(why(b"").contains("broken"));
    let scanned = why(&pdf(&[&[], &[]], &[], ""));
    assert!(scanned.contains("only images") && scanned.contains("ocrmypdf"), "{scanned}");
    let whole = book(&[]);
    let encryption = "/Filter/Standard/V 1/R 2/Length 40/P -4\
         /O<0000000000000000000000000000000000000000000000000000000000000000>\
         /U<1111111111111111111111111111111111111111111111111111111111111111>";
    let id = "/ID[<00112233445566778899aabbccddeeff><00112233445566778899aabbccddeeff>]/Encrypt 4 0 R";
    let locked = String::from_utf8(pdf(&[COLUMNS], &[], encryption)).unwrap().replace("/Info 4 0 R", id);
    let locked = why(locked.as_bytes());
    assert!(locked.contains("password") && locked.contains("qpdf"), "{locked}");
    // Without its end, which names the title, the objects are still there.
    let untitled = BOOK.replace("<h1>The book</h1>\n<h2>1 Green tea</h2>", "<h1>1 Green tea</h1>");
    assert_eq!(body(&whole[..whole.len() - 300]), untitled);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn any_bytes_are_read_or_refused(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12), end in any::<prop::sample::Index>()) {
        let mut bytes = book(&[("Green tea", 0), ("2 Black tea", 1)]);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let cut = bytes.len() / 2 + end.index(bytes.len() / 2);
        for bytes in [&bytes[..], &bytes[..cut]] {
            if let Ok(html) = html("a.pdf", bytes, &mut |_| ()) {
                prop_assert!(pages(&html).windows(2).all(|pair| pair[0].0 <= pair[1].0));
            }
        }
    }
}
