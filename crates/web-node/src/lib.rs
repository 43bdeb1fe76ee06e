//! The parts of `npx ibid` that no page needs: names of files, their site, warnings in few lines, and folders of parts.
#![cfg(target_arch = "wasm32")]

use js_sys::{Array, Object, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;

use ibid_document::{CONFIGURATIONS, Generator, Site, Told};
use ibid_index::cut;
use ibid_text::{Languages, languages};
use ibid_web::convert::thrown;

/// The names of files by the folders that were given: see [`document::source_names`].
#[wasm_bindgen(js_name = sourceNames)]
#[expect(clippy::needless_pass_by_value, reason = "JavaScript hands its arrays over")]
pub fn source_names(folders: Vec<String>, files: Vec<String>) -> Vec<String> {
    ibid_document::source_names(&folders, &files)
}

/// The files that stand next to the pages of a built site: see [`ibid_document::beside_pages`]. One byte for each, 1 for those.
#[wasm_bindgen(js_name = besidePages)]
#[expect(clippy::needless_pass_by_value, reason = "JavaScript hands its arrays over")]
pub fn beside_pages(folders: Vec<String>, files: Vec<String>) -> Vec<u8> {
    ibid_document::beside_pages(&folders, &files).into_iter().map(u8::from).collect()
}

/// The kinds of files that are no documents, by their names: see [`document::not_read`].
#[wasm_bindgen(js_name = notRead)]
#[expect(clippy::needless_pass_by_value, reason = "JavaScript hands its arrays over")]
pub fn not_read(names: Vec<String>) -> Option<String> {
    ibid_document::not_read(names.iter().map(String::as_str), true)
}

/// Sums a report up in one line for each kind: its warnings, each by source, kind and message one behind the other,
/// and the documents that were left out, by source, code and message.
#[wasm_bindgen(js_name = reportLines)]
#[expect(clippy::needless_pass_by_value, reason = "JavaScript hands its arrays over")]
pub fn report_lines(warnings: Vec<String>, skipped: Vec<String>) -> Vec<String> {
    let warning = |[source, kind, message]: &[String; 3]| Told {
        source: source.clone(),
        kind: kind.clone(),
        message: message.clone(),
    };
    let mut told: Vec<Told> = warnings.as_chunks().0.iter().map(warning).collect();
    let left_out = |[source, code, message]: &[String; 3]| Told::failure(source, code, message);
    told.extend(skipped.as_chunks().0.iter().map(left_out));
    ibid_document::lines(&told)
}

/// Returns true for texts of a collection in English, or that do not tell their language: see [`ibid_text::languages`].
#[wasm_bindgen(js_name = isEnglish)]
#[expect(clippy::needless_pass_by_value, reason = "JavaScript hands its arrays over")]
pub fn is_english(texts: Vec<String>) -> bool {
    languages(texts.len(), texts.iter().map(String::as_str)).is_none_or(Languages::is_english)
}

/// The configurations of site generators: the beginning of the file's path, the generator, and the folder of the content
/// next to it, by turns.
#[wasm_bindgen(js_name = siteConfigurations)]
pub fn site_configurations() -> Vec<String> {
    let each = |(start, generator, content): (&'static str, Generator, &'static str)| {
        [start, generator.name(), content]
    };
    CONFIGURATIONS.into_iter().flat_map(each).map(str::to_owned).collect()
}

/// A site in words for a person, by its generator, and by its configuration and address, each empty where there is none.
#[wasm_bindgen(js_name = siteLine)]
pub fn site_line(generator: &str, configuration: &str, base_url: &str) -> Option<String> {
    let base = Some(base_url).filter(|base| !base.is_empty());
    Site::new(Generator::from_name(generator), Some(configuration), base).line()
}

/// Cuts an index into the files of a folder, the head first: a list of objects with `name` and `bytes`.
#[wasm_bindgen(js_name = cutIndex)]
pub fn cut_index(index: &[u8], part_bytes: u32) -> Result<Array, JsValue> {
    let folder = cut(index, part_bytes).map_err(|error| thrown(&error))?;
    let file = |name: &str, bytes: &[u8]| {
        let object = Object::new();
        // Setting a property of a fresh object cannot fail.
        let _ = Reflect::set(&object, &"name".into(), &name.into());
        let _ = Reflect::set(&object, &"bytes".into(), &Uint8Array::from(bytes));
        object
    };
    let files = Array::of1(&file("head", &folder.head));
    for (part, bytes) in &folder.parts {
        files.push(&file(&part.name(), bytes));
    }
    Ok(files)
}
