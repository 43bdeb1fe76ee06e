//! Holds the package, the demo and the guides to the table of providers, which they cannot read themselves.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test ends by panicking when something is amiss")]
#![allow(
    clippy::disallowed_methods,
    reason = "this test reads and writes the sources; the bans are for the library"
)]

use std::fs;
use std::path::{Path, PathBuf};

use ibid::platform::{EmbeddingApi, PROVIDERS, ProviderRow};

const HEAD: &str = "\
// Written by `IBID_WRITE=1 cargo test --test providers` from the table of providers in Rust.
import type { ServiceRow } from './service-row.js';

/**
 * The provider of a model, by whose interface and at whose address it is called. `openai` is Chat Completions, which
 * most other servers speak too; with a `baseURL` it reaches any of them.
 */
";

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(file(name)).unwrap()
}

fn chats(row: &ProviderRow) -> bool {
    row.api.is_some()
}

fn embeds(row: &ProviderRow) -> bool {
    row.embedding.is_some()
}

fn reranks(row: &ProviderRow) -> bool {
    row.reranking.is_some()
}

/// A union of names, as the package's formatter breaks it.
fn union(name: &str, which: fn(&ProviderRow) -> bool) -> String {
    let names: Vec<String> =
        PROVIDERS.iter().filter(|row| which(row)).map(|row| format!("'{}'", row.id)).collect();
    let line = format!("export type {name} = {};\n", names.join(" | "));
    let broken = format!("export type {name} =\n  | {};\n", names.join("\n  | "));
    if line.len() <= 120 { line } else { broken }
}

/// An object on one line.
fn object(fields: &[String]) -> String {
    format!("{{ {} }}", fields.join(", "))
}

/// A service as an entry of the package's table, without what is as usual.
fn entry(row: &ProviderRow) -> String {
    let mut fields = vec![format!("name: '{}'", row.name), format!("baseURL: '{}'", row.base_url)];
    if row.key_header != "authorization" {
        fields.push(format!("keyHeader: '{}'", row.key_header));
    }
    if let Some(way) = &row.embedding {
        if way.api != EmbeddingApi::OpenAi {
            fields.push(format!("api: '{}'", row.id));
        }
        if way.dimensions != "dimensions" {
            fields.push(format!("dimensions: '{}'", way.dimensions));
        }
        if way.batch_size != 100 {
            fields.push(format!("batchSize: {}", way.batch_size));
        }
        if let Some([field, document, query]) = way.task {
            fields.push(format!("task: ['{field}', '{document}', '{query}']"));
        }
    }
    if let Some(way) = &row.reranking {
        let mut inner = vec![format!("limit: '{}'", way.limit), format!("results: '{}'", way.results)];
        for (name, is) in [("omitsTexts", way.omits_texts), ("hasOneModel", way.has_one_model)] {
            inner.extend(is.then(|| format!("{name}: true")));
        }
        fields.push(format!("reranking: {}", object(&inner)));
    }
    let line = format!("  {}: {},\n", row.id, object(&fields));
    let broken = format!("  {}: {{\n    {},\n  }},\n", row.id, fields.join(",\n    "));
    if line.len() <= 121 { line } else { broken }
}

#[test]
fn the_package_has_the_same_table() {
    let entries: String = PROVIDERS.iter().filter(|row| embeds(row)).map(entry).collect();
    assert!(
        PROVIDERS.iter().all(|row| embeds(row) || !reranks(row)),
        "those that rerank are in the same table"
    );
    let expected = [
        HEAD,
        &union("ProviderName", chats),
        "\n/** A service that embeds. `openai` is also whatever speaks its format at another address. */\n",
        &union("EmbeddingProvider", embeds),
        "\n/** A service that reranks. */\n",
        &union("RerankProvider", reranks),
        "\n/** The services that embed and rerank. */\n",
        "export const SERVICES: Record<EmbeddingProvider, ServiceRow> = {\n",
        &entries,
        "};\n",
    ]
    .concat();
    let name = "pkg/src/remote/providers.ts";
    if std::env::var_os("IBID_WRITE").is_some() {
        fs::write(file(name), &expected).unwrap();
    }
    assert_eq!(read(name), expected, "{name} is older than the table; its first line says how to write it");
}

/// The row of the first table behind a heading that begins with the provider's name.
fn line<'a>(text: &'a str, heading: &str, id: &str) -> &'a str {
    let table = text.split_once(heading).unwrap().1;
    let start = format!("| `{id}`");
    let mut lines =
        table.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    lines.find(|line| line.starts_with(&start)).unwrap_or_default()
}

#[test]
fn the_guide_has_every_provider_with_what_it_says_of_it() {
    let guide = read("docs/providers.md");
    for row in &PROVIDERS {
        let base = format!("| `{}`", row.base_url);
        if let Some(api) = row.api {
            let line = line(&guide, "\n## Providers\n", row.id);
            let key = format!("`{}`{} |", row.key_header, if row.is_local { ", if any" } else { "" });
            assert!([api.as_str(), &base, &key].iter().all(|part| line.contains(part)), "{line}");
        }
        if let Some(way) = &row.embedding {
            let line = line(&guide, "\n## Embeddings from a service\n", row.id);
            let key = if row.is_local { "| no |" } else { "| yes |" };
            let told = way.task.map_or("| |".to_owned(), |[field, ..]| format!("| `{field}`"));
            let count = format!("| {} |", way.batch_size);
            assert!([&base, key, &count, &told].iter().all(|part| line.contains(part)), "{line}");
        }
        let reranking = guide.split_once("\n## Reranking by a service\n").unwrap().1;
        assert!(row.reranking.is_none() || reranking.contains(&format!("`{}`", row.id)), "{}", row.id);
    }
}

#[test]
fn the_demo_offers_every_provider_and_may_reach_it() {
    let offered: String = read("www/providers.js").split_whitespace().collect();
    let mut allowed = vec!["'self'"];
    for row in PROVIDERS.iter().filter(|row| chats(row)) {
        let entry = offered.split_once(&format!("{{id:'{}',", row.id)).unwrap().1;
        let entry = entry.split('}').next().unwrap();
        assert!(entry.contains(&format!("baseURL:'{}'", row.base_url)), "{entry}");
        assert!(entry.contains(if row.is_local { "group:LOCAL" } else { "group:HOSTED" }), "{entry}");
        let path = row.base_url.match_indices('/').nth(2).map_or(row.base_url.len(), |(at, _)| at);
        let origin = &row.base_url[..path];
        if !row.is_local && !allowed.contains(&origin) {
            allowed.push(origin);
        }
    }
    allowed.extend(["http://localhost:*", "http://127.0.0.1:*"]);
    let page = read("www/index.html");
    let policy = page.split_once("connect-src ").unwrap().1.split(';').next().unwrap();
    assert_eq!(policy.split(' ').collect::<Vec<_>>(), allowed);
}
