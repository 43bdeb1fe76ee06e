//! Agreement among all documents of a build: ids that are unique, and one type for each field of the metadata.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{FieldType, Format, Metadata, MetadataValue, Told, Warning, stem};

const WIDENED: &str = "metadata fields with values of several types are read as the wider type";
const SAME_ID: &str = "documents with the same id get their paths as ids";
const WRONG_ADDRESS: &str =
    "canonical addresses are ignored if different pages share them, or if no other page has their host";
/// Fewer names may be those of one page: its version for the printer, and its own. Fewer pages confirm nothing.
const DIFFERENT_PAGES: usize = 3;

/// Makes documents agree, each given by its source and its metadata, and returns a warning for each that had to be
/// changed.
///
/// - Documents of the same id all go by their paths: without the ending, or with it where that is not enough.
/// - A field has one type in all documents, the narrowest that holds all values: whole numbers next to others are
///   floats, anything next to a list of keywords is such a list, and else the values are keywords. The numbers, and
///   keywords next to lists of them, lose nothing by that, so nobody is warned.
/// - Pages in HTML lose an address that cannot be their own, since three of different names have it, since it is one
///   of the machine that built them, or since none of the other pages is on its host.
///
/// The result depends neither on the order of the documents nor on whether this was done before.
pub fn settle(documents: &mut [(&str, &mut Metadata)]) -> Vec<Told> {
    let mut told = settle_ids(documents);
    told.extend(settle_addresses(documents));
    let mut schema = Schema::default();
    for (source, metadata) in &*documents {
        schema.add(source, metadata);
    }
    for (_, metadata) in documents {
        schema.convert(metadata);
    }
    told.extend(schema.warnings());
    told
}

/// Names by which a document may go, from what it says itself to what no other document has.
const NAMES: usize = 3;

fn settle_ids(documents: &mut [(&str, &mut Metadata)]) -> Vec<Told> {
    let said: Vec<String> = documents.iter().map(|(_, metadata)| metadata.document_id.clone()).collect();
    let mut levels = vec![0; documents.len()];
    loop {
        let mut holders: HashMap<&str, Vec<usize>> = HashMap::with_capacity(documents.len());
        for (at, (_, metadata)) in documents.iter().enumerate() {
            holders.entry(&metadata.document_id).or_default().push(at);
        }
        let clashing = holders.into_values().filter(|holders| holders.len() > 1);
        let raised: Vec<usize> = clashing.flat_map(|holders| raised(&holders, &levels)).collect();
        if raised.is_empty() {
            break;
        }
        for at in raised {
            levels[at] += 1;
            let (source, metadata) = &mut documents[at];
            metadata.document_id = match levels[at] {
                1 => stem(source).to_owned(),
                2 => (*source).to_owned(),
                // Several documents of one file of chunks.
                _ => format!("{source}/{}", said[at]),
            };
        }
    }
    let changed = documents.iter().zip(&said).filter(|((_, metadata), said)| metadata.document_id != **said);
    changed
        .map(|((source, _), said)| Told::warning(source, &Warning::new(SAME_ID, format!("`{said}`"))))
        .collect()
}

fn settle_addresses(documents: &mut [(&str, &mut Metadata)]) -> Vec<Told> {
    let pages = documents.iter_mut().filter(|(source, _)| Format::of_name(source) == Some(Format::Html));
    let mut pages: Vec<_> = pages.collect();
    let mut told = Vec::new();
    let mut ignore = |pages: &mut [&mut (&str, &mut Metadata)], is_wrong: &dyn Fn(&str) -> bool| {
        for (source, metadata) in pages {
            if let Some(url) = metadata.url.take_if(|url| is_wrong(url)) {
                told.push(Told::warning(source, &Warning::new(WRONG_ADDRESS, format!("`{url}`"))));
            }
        }
    };
    let mut names: HashMap<String, HashSet<&str>> = HashMap::new();
    for (source, metadata) in &pages {
        if let Some(url) = &metadata.url {
            names.entry(url.clone()).or_default().insert(page_name(source));
        }
    }
    ignore(&mut pages, &|url| is_local(url) || names[url].len() >= DIFFERENT_PAGES);
    // Only what is left confirms a host.
    let mut hosts: HashMap<String, usize> = HashMap::new();
    for url in pages.iter().filter_map(|(_, metadata)| metadata.url.as_deref()) {
        *hosts.entry(host(url).unwrap_or_default()).or_default() += 1;
    }
    if pages.len() >= DIFFERENT_PAGES {
        ignore(&mut pages, &|url| host(url).is_some_and(|host| hosts[&host] < 2));
    }
    told
}

/// Finds the name that a page goes by, which its versions share: of its file, or else of the folder that it is the index
/// of.
fn page_name(source: &str) -> &str {
    let path = stem(source);
    let path = path.strip_suffix("index").unwrap_or(path).trim_end_matches('/');
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns true for an address that leads a reader to the reader's own machine.
fn is_local(url: &str) -> bool {
    let scheme = url.trim().get(.."file:".len()).unwrap_or_default();
    scheme.eq_ignore_ascii_case("file:")
        || host(url).is_some_and(|host| {
            host == "localhost"
                || host.ends_with(".localhost")
                || host.starts_with("127.")
                || matches!(&*host, "0.0.0.0" | "[:" | "[::1]")
        })
}

/// Reads the host of an address in small letters, without its port; `None` if it names none.
fn host(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("//").filter(|(scheme, _)| scheme.is_empty() || scheme.ends_with(':'))?;
    let host = rest.trim_end().split(['/', '?', '#']).next().unwrap_or_default();
    Some(host.rsplit_once(':').map_or(host, |(host, _)| host).to_ascii_lowercase())
}

/// Those of the documents of one name that have to go by another. One that said the name itself keeps it, where the others
/// only came to it.
fn raised(holders: &[usize], levels: &[usize]) -> Vec<usize> {
    let can_be: Vec<usize> = holders.iter().copied().filter(|&at| levels[at] < NAMES).collect();
    let others: Vec<usize> = can_be.iter().copied().filter(|&at| levels[at] > 0).collect();
    let is_said_once = holders.iter().filter(|&&at| levels[at] == 0).count() == 1;
    if is_said_once && !others.is_empty() { others } else { can_be }
}

/// The types of the fields of all documents.
#[derive(Default)]
struct Schema {
    fields: BTreeMap<String, Field>,
}

/// A field: the type that holds all of its values, and where each type was first met.
struct Field {
    wide: FieldType,
    met: Vec<(FieldType, String)>,
}

impl Schema {
    fn add(&mut self, source: &str, metadata: &Metadata) {
        for (name, value) in &metadata.fields {
            let found = value.field_type();
            let field = self
                .fields
                .entry(name.clone())
                .or_insert_with(|| Field { wide: FieldType::known(name).unwrap_or(found), met: Vec::new() });
            field.wide = wider(field.wide, found);
            match field.met.iter_mut().find(|(met, _)| *met == found) {
                // The first by its name, in whatever order they come.
                Some((_, first)) if source < first.as_str() => source.clone_into(first),
                Some(_) => {}
                None => field.met.push((found, source.to_owned())),
            }
        }
    }

    fn convert(&self, metadata: &mut Metadata) {
        for (name, value) in &mut metadata.fields {
            if let Some(field) = self.fields.get(name) {
                let held = std::mem::replace(value, MetadataValue::Boolean(false));
                *value = held.convert(field.wide).unwrap_or_else(|held| held);
            }
        }
    }

    /// Makes a warning for each field whose values lost something, in the document where they are of another type.
    fn warnings(&self) -> impl Iterator<Item = Told> {
        self.fields.iter().flat_map(|(name, field)| {
            let told = move |(met, source): &(FieldType, String)| {
                let about = format!("`{name}` as {}", field.wide);
                (!is_kept(*met, field.wide)).then(|| Told::warning(source, &Warning::new(WIDENED, about)))
            };
            field.met.iter().filter_map(told)
        })
    }
}

/// Finds the narrowest type that holds values of both.
fn wider(one: FieldType, other: FieldType) -> FieldType {
    use FieldType::{Float, Integer, Keyword, Keywords};
    match (one, other) {
        _ if one == other => one,
        (Integer, Float) | (Float, Integer) => Float,
        (Keywords, _) | (_, Keywords) => Keywords,
        _ => Keyword,
    }
}

/// Returns whether values of a type are found and compared as before when they are of the wider one.
fn is_kept(one: FieldType, wide: FieldType) -> bool {
    use FieldType::{Float, Integer, Keyword, Keywords};
    one == wide || matches!((one, wide), (Integer, Float) | (Keyword, Keywords))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field of documents a, b and so on: its values after they were settled, and what was told.
    fn settled(values: &[&str]) -> (Vec<MetadataValue>, Vec<String>) {
        let mut all: Vec<Metadata> = Vec::new();
        for (value, number) in values.iter().zip(0..) {
            let mut metadata = Metadata { document_id: format!("{number}"), ..Metadata::default() };
            metadata.fields = crate::front_matter::read_yaml(&format!("x: {value}"), &mut Vec::new())
                .unwrap()
                .into_iter()
                .collect();
            all.push(metadata);
        }
        let sources: Vec<String> = ('a'..).take(all.len()).map(|name| format!("{name}.md")).collect();
        let mut entries: Vec<_> = sources.iter().map(String::as_str).zip(all.iter_mut()).collect();
        let told = settle(&mut entries);
        assert_eq!(settle(&mut entries), [], "once is enough");
        (all.iter().map(|metadata| metadata.fields["x"].clone()).collect(), super::super::lines(&told))
    }

    #[test]
    fn addresses_that_cannot_be_a_pages_own_are_ignored() {
        let left = |pages: &[(&str, &str)]| {
            let of = |url: &&str| Metadata { url: Some((*url).to_owned()), ..Metadata::default() };
            let mut all: Vec<Metadata> = pages.iter().map(|(_, url)| of(url)).collect();
            for (metadata, (source, _)) in all.iter_mut().zip(pages) {
                metadata.document_id = (*source).to_owned();
            }
            let told = settle(&mut pages.iter().map(|(source, _)| *source).zip(&mut all).collect::<Vec<_>>());
            let left: Vec<_> = all.into_iter().map(|metadata| metadata.url.unwrap_or_default()).collect();
            (left, super::super::lines(&told).len())
        };
        let own = |host: &str| {
            let pages = ["figs.html", "dates.html", "plums.html"];
            let urls = ["https://a.example/figs", "HTTPS://A.example/dates", host];
            left(&pages.into_iter().zip(urls).collect::<Vec<_>>())
        };
        assert_eq!(own("https://a.example:443/plums").1, 0);
        let (left_urls, told) = own("https://b.example/plums");
        assert_eq!((&*left_urls[1], &*left_urls[2], told), ("HTTPS://A.example/dates", "", 1));
        assert_eq!(own("/plums").1, 0);
        // Two pages do not say which of them is right.
        assert_eq!(left(&[("a.html", "https://a.example/"), ("b.html", "https://b.example/")]).1, 0);
        let home = "https://orchard.example/";
        let fruits = [("index.html", home), ("figs/index.html", home), ("dates.htm", home)];
        assert_eq!(left(&fruits), (vec![String::new(); 3], 1));
        // Versions of a page, and its print, share an address that is one of theirs.
        let versions =
            [("v1/figs.html", home), ("v2/figs/index.html", home), ("figs.html", home), ("print.html", home)];
        assert_eq!(left(&versions), (vec![home.to_owned(); 4], 0));
        let sources = [("a.md", home), ("b.md", home), ("c.jsonl", home)];
        assert_eq!(left(&sources), (vec![home.to_owned(); 3], 0));
        for local in [
            "file:///usr/doc/a.html",
            "http://localhost:4000/a",
            "http://127.0.0.1/",
            "HTTP://[::1]:80",
            "//localhost",
        ] {
            assert_eq!(left(&[("a.html", local)]), (vec![String::new()], 1), "{local}");
        }
        for public in ["/a/", "https://localhost.example/", "https://profile.example//x"] {
            assert_eq!(left(&[("a.html", public)]), (vec![public.to_owned()], 0), "{public}");
        }
    }

    #[test]
    fn types_are_widened_where_nothing_is_lost() {
        let float = MetadataValue::Float;
        assert_eq!(settled(&["1", "0.5"]), (vec![float(1.0), float(0.5)], vec![]));
        let list = |word: &str| MetadataValue::Keywords(vec![word.to_owned()]);
        assert_eq!(settled(&["[a]", "b"]), (vec![list("a"), list("b")], vec![]));
    }

    #[test]
    fn fields_that_disagree_are_of_the_wider_type_with_one_warning() {
        for (values, wide) in [
            (&["deep", "false"][..], FieldType::Keyword),
            (&["2026-03-01", "soon"], FieldType::Keyword),
            (&["2026-03-01", "2026"], FieldType::Keyword),
            (&["1.16", "v1.9"], FieldType::Keyword),
            (&["true", "3"], FieldType::Keyword),
            (&["[2, 3]", "deep", "false"], FieldType::Keywords),
            (&["1", "0.5", "2026-03-01", "true"], FieldType::Keyword),
        ] {
            let (settled_values, lines) = settled(values);
            assert!(settled_values.iter().all(|value| value.field_type() == wide), "{settled_values:?}");
            assert_eq!(lines.len(), 1, "{lines:?}");
            assert!(lines[0].contains(&format!("`x` as {wide}")), "{lines:?}");
            let reversed: Vec<&str> = values.iter().rev().copied().collect();
            let mut back = settled(&reversed).0;
            back.reverse();
            assert_eq!(back, settled_values);
        }
    }

    #[test]
    fn a_known_field_is_widened_too() {
        let mut metadata = [Metadata::default(), Metadata::default()];
        metadata[0].document_id = "a".to_owned();
        metadata[0].put("year", MetadataValue::Keyword("soon".into()));
        metadata[1].put("year", MetadataValue::Integer(2026));
        let [one, other] = &mut metadata;
        let told = settle(&mut [("a.md", one), ("b.md", other)]);
        assert_eq!((told.len(), told[0].source.as_str()), (1, "b.md"));
        assert_eq!(metadata[1].fields["year"], MetadataValue::Keyword("2026".into()));
    }

    #[test]
    fn documents_of_one_id_go_by_their_paths() {
        let ids = |documents: &[(&str, &str)]| {
            let mut all: Vec<Metadata> = documents
                .iter()
                .map(|(_, id)| Metadata { document_id: (*id).to_owned(), ..Metadata::default() })
                .collect();
            let mut entries: Vec<_> =
                documents.iter().map(|(source, _)| *source).zip(all.iter_mut()).collect();
            let told = settle(&mut entries);
            let ids: Vec<String> = all.into_iter().map(|metadata| metadata.document_id).collect();
            (ids.join(" "), super::super::lines(&told).len())
        };
        assert_eq!(ids(&[("a/x.md", "x"), ("b/x.md", "x"), ("c.md", "c")]), ("a/x b/x c".into(), 1));
        assert_eq!(ids(&[("a.md", "a"), ("a.html", "a")]), ("a.md a.html".into(), 1));
        assert_eq!(ids(&[("x.md", "i"), ("y.md", "i"), ("z.md", "x")]), ("x.md y x".into(), 1));
        let of_one_file = [("c.jsonl", "x"), ("c.jsonl", "y"), ("a.md", "x"), ("b.md", "y")];
        assert_eq!(ids(&of_one_file), ("c.jsonl/x c.jsonl/y a b".into(), 1));
        assert_eq!(ids(&[("a.md", "a"), ("b.md", "b")]), ("a b".into(), 0));
    }
}
