//! Makes a module's files of what the compiler gives: `ibid-bind IN FOLDER NAME [FLAG...]`.
//!
//! IN is linked with `--emit-relocs`. FOLDER gets its bindings, `NAME.js` with `NAME_bg.wasm`, and with `--parts` each
//! of its lazy parts as `NAME_PART.wasm`. Without that flag the module is whole: it calls the functions of its parts
//! directly. With `--script`, there are no types.
//!
//! Lazy parts are what `ibid_platform::lazily` declares. `wasm_split_cli_support` takes them apart, with the code and the
//! data that nothing else needs. `wasm-bindgen` sees what is left.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::disallowed_methods, reason = "a tool of the build reads and writes files")]

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;
use std::{env, fs};

use eyre::{Context, ContextCompat, Result, bail, eyre};
use walrus::{ExportItem, ImportKind, Module};
use wasm_bindgen_cli_support::Bindgen;
use wasm_encoder::{ExportSection, RawSection};
use wasm_split_cli_support::{Options, transform};
use wasmparser::{Export, Parser, Payload};

/// The beginning of the names of functions at a boundary; `import` there is what calls, `export` what is called.
const BOUNDARY: &str = "__wasm_split_00";
/// The table by which parts call each other.
const TABLE: &str = "__indirect_function_table";

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [from, folder, name, flags @ ..] = arguments.as_slice() else {
        bail!("usage: ibid-bind IN FOLDER NAME [--parts] [--script]");
    };
    let has = |flag: &str| flags.iter().any(|given| given == flag);
    let folder = Path::new(folder);
    let linked = called(&fs::read(from).wrap_err_with(|| format!("{from} cannot be read"))?)?;
    fs::create_dir_all(folder)?;
    let module = if has("--parts") { taken_apart(&linked, folder, name)? } else { whole(&linked)? };
    let mut bindgen = Bindgen::new();
    bindgen.web(true).map_err(bindings)?.omit_default_module_path(!has("--script"));
    bindgen.typescript(!has("--script")).input_module(name, module);
    bindgen.generate(folder).map_err(bindings)
}

fn bindings(error: impl std::fmt::Display) -> eyre::Report {
    eyre!("wasm-bindgen: {error:#}")
}

fn parsed(bytes: &[u8]) -> Result<Module> {
    Module::from_buffer(bytes).map_err(bindings)
}

/// Returns the module without boundaries that nothing calls. The linker keeps them, since they are exported.
fn called(linked: &[u8]) -> Result<Vec<u8>> {
    let mut imported = HashSet::new();
    let mut out = wasm_encoder::Module::new();
    for payload in Parser::new(0).parse_all(linked) {
        let payload = payload?;
        if let Payload::ImportSection(imports) = &payload {
            for import in imports.clone().into_imports() {
                imported.insert(import?.name);
            }
        }
        if let Payload::ExportSection(exports) = payload {
            let mut kept = ExportSection::new();
            for export in exports {
                let Export { name, kind, index } = export?;
                if !name.starts_with(BOUNDARY) || imported.contains(caller(name).as_str()) {
                    kept.export(name, kind.into(), index);
                }
            }
            out.section(&kept);
        } else if let Some((id, range)) = payload.as_section() {
            out.section(&RawSection { id, data: &linked[range.start as usize..range.end as usize] });
        }
    }
    Ok(out.finish())
}

/// Returns the name of the import that calls an exported boundary.
fn caller(exported: &str) -> String {
    exported.replacen("00_export_", "00_import_", 1)
}

/// Returns the first part, and writes the others next to where its bindings will be.
fn taken_apart(linked: &[u8], folder: &Path, name: &str) -> Result<Module> {
    let work = folder.join("parts");
    let first = work.join("first.wasm");
    let mut options = Options::new(linked);
    (options.output_dir, options.main_out_path) = (&work, &first);
    let made = transform(options)?;
    // Two files of different builds must not come together, so the table has the name of the build.
    let mut hasher = DefaultHasher::new();
    hasher.write(linked);
    let version = format!("version-{:016x}", hasher.finish());
    for path in &made.split_modules {
        let mut part = parsed(&fs::read(path)?)?;
        let tables = part.imports.iter_mut().filter(|import| import.name == TABLE);
        tables.for_each(|import| import.name.clone_from(&version));
        let stem = path.file_stem().context("a part has no name")?.to_string_lossy();
        part.emit_wasm_file(folder.join(format!("{name}_{}.wasm", stem.trim_start_matches("split_"))))
            .map_err(bindings)?;
    }
    let mut module = parsed(&fs::read(&first)?)?;
    let tables = module.exports.iter_mut().filter(|export| export.name == TABLE);
    tables.for_each(|export| export.name.clone_from(&version));
    fs::remove_dir_all(&work)?;
    Ok(module)
}

/// Returns the module with each call of a boundary as a call of the function behind it.
fn whole(linked: &[u8]) -> Result<Module> {
    let mut module = parsed(linked)?;
    let exported: HashMap<String, _> = module
        .exports
        .iter()
        .filter_map(|export| match export.item {
            ExportItem::Function(function) if export.name.starts_with(BOUNDARY) => {
                Some((caller(&export.name), (export.id(), function)))
            }
            _ => None,
        })
        .collect();
    let imported: Vec<_> = module
        .imports
        .iter()
        .filter_map(|import| match import.kind {
            ImportKind::Function(function) => Some((exported.get(&import.name)?.1, function)),
            _ => None,
        })
        .collect();
    for (behind, boundary) in imported {
        let replaced = module.replace_imported_func(boundary, |(body, given)| {
            for &local in given {
                body.local_get(local);
            }
            body.call(behind);
        });
        replaced.map_err(bindings)?;
    }
    for note in ["linking", "reloc.CODE", "reloc.DATA"] {
        module.customs.remove_raw(note);
    }
    exported.into_values().for_each(|(export, _)| module.exports.delete(export));
    Ok(module)
}
