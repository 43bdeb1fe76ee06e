//! Every path that a source file names: in `use`, in expressions and types, inside macros and attributes.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// A path as seen from the crate's root, or from outside when it names another crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Inside the crate, without the leading `crate`: `["index", "Index"]`. A glob ends in `*`.
    Own(Vec<String>),
    /// In another crate, whose name comes first: `["std", "fs", "read"]`.
    Foreign(Vec<String>),
}

/// A path with the line on which it stands, from 1.
pub(crate) struct Named {
    pub(crate) target: Target,
    pub(crate) line: usize,
}

/// Collects the paths of a file. `module` is where the file stands in the crate: `["index", "hnsw"]`.
pub(crate) fn paths(source: &str, module: &[String]) -> syn::Result<Vec<Named>> {
    let file = syn::parse_file(source)?;
    let mut collector = Collector { module: module.to_vec(), found: Vec::new() };
    collector.visit_file(&file);
    Ok(collector.found)
}

/// The items that a file re-exports, as pairs of the public name and the path behind it.
pub(crate) fn reexports(source: &str) -> syn::Result<Vec<(String, Vec<String>)>> {
    let mut found = Vec::new();
    for item in syn::parse_file(source)?.items {
        if let syn::Item::Use(item) = item {
            let mut leaves = Vec::new();
            expand(&item.tree, &mut Vec::new(), &mut leaves);
            found.extend(leaves.into_iter().map(|leaf| (leaf.name, leaf.path)));
        }
    }
    Ok(found)
}

struct Collector {
    module: Vec<String>,
    found: Vec<Named>,
}

impl Collector {
    fn record(&mut self, segments: &[String], span: Span) {
        let Some(first) = segments.first() else { return };
        let target = match first.as_str() {
            "crate" | "ibid" => Target::Own(segments[1..].to_vec()),
            "self" if segments.len() == 1 => return,
            "self" => Target::Own([&self.module, &segments[1..]].concat()),
            "super" => {
                let ups = segments.iter().take_while(|segment| *segment == "super").count();
                let kept = self.module.len().saturating_sub(ups);
                Target::Own([&self.module[..kept], &segments[ups..]].concat())
            }
            _ => Target::Foreign(segments.to_vec()),
        };
        self.found.push(Named { target, line: span.start().line });
    }

    /// Paths in tokens that have no syntax of their own, such as a macro's arguments.
    fn tokens(&mut self, stream: TokenStream) {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while at < trees.len() {
            match &trees[at] {
                TokenTree::Ident(first) => {
                    let mut segments = vec![first.to_string()];
                    while let Some(next) = segment_after(&trees, at) {
                        segments.push(next);
                        at += 3;
                    }
                    if segments.len() > 1 {
                        self.record(&segments, first.span());
                    }
                }
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    // Attributes such as `#[serde(with = "crate::room::module")]` hold paths in strings.
                    let text = literal.to_string();
                    if let Ok(path) = syn::parse_str::<syn::Path>(text.trim_matches('"'))
                        && path.segments.len() > 1
                    {
                        self.record(&segments_of(&path), literal.span());
                    }
                }
                TokenTree::Punct(_) => {}
            }
            at += 1;
        }
    }
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut leaves = Vec::new();
        expand(&item.tree, &mut Vec::new(), &mut leaves);
        for leaf in leaves {
            self.record(&leaf.path, leaf.span);
        }
    }

    fn visit_item_extern_crate(&mut self, item: &'ast syn::ItemExternCrate) {
        // `extern crate self as x` would give the crate a second name.
        let name = if item.ident == "self" { "crate".to_owned() } else { item.ident.to_string() };
        self.record(&[name], item.ident.span());
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if let Some(first) = path.segments.first() {
            self.record(&segments_of(path), first.ident.span());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.visit_path(&item.path);
        self.tokens(item.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            self.tokens(list.tokens.clone());
        }
    }

    /// `pub(crate)` and `pub(in crate::room)` say who may look in, not what is used.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

fn segments_of(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

/// The identifier after `::` that follows the token at this place.
fn segment_after(trees: &[TokenTree], at: usize) -> Option<String> {
    match (trees.get(at + 1)?, trees.get(at + 2)?, trees.get(at + 3)?) {
        (TokenTree::Punct(first), TokenTree::Punct(second), TokenTree::Ident(ident))
            if first.as_char() == ':' && second.as_char() == ':' =>
        {
            Some(ident.to_string())
        }
        _ => None,
    }
}

struct Leaf {
    name: String,
    path: Vec<String>,
    span: Span,
}

/// `a::{b, c as d, e::*}` becomes `a::b`, `a::c` and `a::e::*`.
fn expand(tree: &syn::UseTree, prefix: &mut Vec<String>, leaves: &mut Vec<Leaf>) {
    let mut leaf = |name: &syn::Ident, public: &syn::Ident| {
        let mut path = prefix.clone();
        // `a::{self}` imports `a`.
        if name != "self" || path.is_empty() {
            path.push(name.to_string());
        }
        leaves.push(Leaf { name: public.to_string(), path, span: name.span() });
    };
    match tree {
        syn::UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            expand(&path.tree, prefix, leaves);
            prefix.pop();
        }
        syn::UseTree::Name(name) => leaf(&name.ident, &name.ident),
        syn::UseTree::Rename(rename) => leaf(&rename.ident, &rename.rename),
        syn::UseTree::Glob(glob) => {
            let path = [prefix.as_slice(), &["*".to_owned()]].concat();
            leaves.push(Leaf { name: "*".to_owned(), path, span: glob.star_token.spans[0] });
        }
        syn::UseTree::Group(group) => {
            for item in &group.items {
                expand(item, prefix, leaves);
            }
        }
    }
}
