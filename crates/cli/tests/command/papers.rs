//! PDF in a folder and on a site: hits that lead to pages, and files that cannot be read.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::support::ibid;
use serde_json::Value;

/// A PDF with a line of text on each page, and without a table of its objects, which readers do without.
fn pdf(lines: &[&str]) -> String {
    let kids: Vec<String> = (0..lines.len()).map(|number| format!("{} 0 R", 10 + 2 * number)).collect();
    let kids = kids.join(" ");
    let mut out = format!(
        "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n\
         2 0 obj\n<</Type/Pages/Count {}/Kids[{kids}]>>\nendobj\n\
         3 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj\n",
        lines.len()
    );
    for (number, line) in lines.iter().enumerate() {
        let (page, content) = (10 + 2 * number, format!("BT /F 10 Tf 50 700 Td ({line}) Tj ET"));
        let _ = write!(
            out,
            "{page} 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents {} 0 R\
             /Resources<</Font<</F 3 0 R>>>>>>\nendobj\n\
             {} 0 obj\n<</Length {}>>\nstream\n{content}\nendstream\nendobj\n",
            page + 1,
            page + 1,
            content.len()
        );
    }
    out + "trailer\n<</Root 1 0 R>>\n%%EOF\n"
}

const GUIDE: [&str; 3] = [
    "Green tea is steeped for two minutes.",
    "Black tea is steeped for four minutes.",
    "Zanzibar grows cloves, which some people add.",
];

fn write(folder: &Path) {
    fs::create_dir_all(folder.join("site/files")).unwrap();
    fs::write(folder.join("site/index.html"), "<title>Start</title><main><h1>Start</h1><p>Welcome.").unwrap();
    fs::write(folder.join("site/files/guide.pdf"), pdf(&GUIDE)).unwrap();
    fs::write(folder.join("site/files/broken.pdf"), "%PDF-1.4\nnothing").unwrap();
    fs::write(folder.join("site/files/scan.pdf"), pdf(&["", ""])).unwrap();
}

#[test]
fn a_hit_in_a_pdf_leads_to_its_page() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder);
    let built = ibid(folder, &["build", "site", "-o", "site.ibid", "--encoder", "table", "--json"]);
    let told = String::from_utf8_lossy(&built.stderr).into_owned();
    assert_eq!(built.status.code(), Some(0), "{told}");
    let summary: Value = serde_json::from_slice(&built.stdout).unwrap();
    assert_eq!(summary["documents"], 2, "{told}");
    assert!(told.contains("broken, or no PDF [invalid-document]: `files/broken.pdf`"), "{told}");
    assert!(told.contains("it has no text") && told.contains("`files/scan.pdf`"), "{told}");
    for (query, page) in [("zanzibar cloves", "page=3"), ("black tea", "page=2"), ("green tea", "page=1")] {
        let found = ibid(folder, &["search", "site.ibid", query, "--json"]);
        let hits: Value = serde_json::from_slice(&found.stdout).unwrap();
        let hit = &hits[0];
        assert_eq!(hit["anchor"], page, "{query}: {hit}");
        assert_eq!(hit["source"], "files/guide.pdf");
        assert_eq!(hit["url"], "/files/guide.pdf");
    }
}
