//! The place where a collection is.

use super::{Remote, RemoteOptions};
use ibid_platform::{Endpoint, url};
use ibid_platform::{Error, ErrorCode, Result};

ibid_platform::named! {
    /// A search engine that an index can be loaded into.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum EngineKind {
        /// [Qdrant](https://qdrant.tech), which can be distributed over many machines.
        Qdrant = "Qdrant",
        /// [Chroma](https://www.trychroma.com).
        Chroma = "Chroma",
    }
}

impl EngineKind {
    const fn port(self) -> u16 {
        match self {
            Self::Qdrant => 6333,
            Self::Chroma => 8000,
        }
    }

    /// The schemes of addresses that name the engine, each with HTTP's.
    const fn schemes(self) -> [(&'static str, &'static str); 2] {
        match self {
            Self::Qdrant => [("qdrant://", "http://"), ("qdrants://", "https://")],
            Self::Chroma => [("chroma://", "http://"), ("chromas://", "https://")],
        }
    }

    pub(super) const fn key_header(self) -> &'static str {
        match self {
            Self::Qdrant => "api-key",
            Self::Chroma => "x-chroma-token",
        }
    }
}

/// Finds the collection that the options name, at an address to which paths can be appended.
pub(super) fn remote(options: &RemoteOptions) -> Result<Remote> {
    let engine = options.engine;
    let (address, is_own) = plain(engine, options.endpoint.base_url.trim());
    let (address, query) = url::split(&address).map_err(wrong)?;
    let (scheme, rest) = address.split_once("://").unwrap_or(("http", address));
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let collection = match &options.collection {
        Some(name) => name.trim(),
        None => parts.pop().ok_or_else(|| wrong("names no collection"))?,
    };
    // As the engines' own addresses of a collection have it; people paste those.
    if parts.last() == Some(&"collections") {
        parts.pop();
    }
    let (mut tenant, mut database) = (options.tenant.as_deref(), options.database.as_deref());
    for pair in query.into_iter().flat_map(|query| query.split('&')) {
        match (engine, pair.split_once('=')) {
            (EngineKind::Chroma, Some(("tenant", name))) => tenant = Some(name),
            (EngineKind::Chroma, Some(("database", name))) => database = Some(name),
            _ => return Err(wrong("has an unknown part after `?`")),
        }
    }
    let names = [Some(collection), tenant, database];
    if !names.into_iter().flatten().all(is_name) {
        return Err(wrong("has a name with characters other than letters, digits, `.`, `_` and `-`"));
    }
    // A path is a proxy's, which listens where its scheme has it.
    let is_direct = is_own && parts.is_empty() && !has_port(authority);
    let port = if is_direct { format!(":{}", engine.port()) } else { String::new() };
    let mut base = format!("{scheme}://{authority}{port}");
    for part in parts {
        base.push('/');
        base.push_str(part);
    }
    if engine == EngineKind::Chroma {
        let tenant = tenant.unwrap_or("default_tenant");
        let database = database.unwrap_or("default_database");
        base.push_str("/api/v2/tenants/");
        base.push_str(tenant);
        base.push_str("/databases/");
        base.push_str(database);
    }
    let endpoint = Endpoint { base_url: base, ..options.endpoint.clone() };
    Ok(Remote { engine, collection: collection.to_owned(), endpoint })
}

/// The address with a scheme of HTTP, and whether it had the engine's own, with which its port need not be said.
fn plain(engine: EngineKind, address: &str) -> (String, bool) {
    for (scheme, http) in engine.schemes() {
        if let Some(rest) = address.strip_prefix(scheme) {
            return (format!("{http}{rest}"), true);
        }
    }
    (address.to_owned(), false)
}

/// Returns true if an authority such as `[::1]:80` ends in a port.
fn has_port(authority: &str) -> bool {
    let port = authority.rsplit_once(':').map_or("", |(_, port)| port);
    !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Names that are the same in an address as they are, and that both engines take.
fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=255).contains(&name.len()) && name.bytes().all(is_plain) && !name.bytes().all(|byte| byte == b'.')
}

fn wrong(problem: &str) -> Error {
    Error::new(ErrorCode::InvalidOption, format!("The collection's address {problem}.")).with_hint(
        "Write qdrant://HOST:6333/COLLECTION, chroma://HOST:8000/COLLECTION, or https://HOST with `collection`.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(options: &RemoteOptions) -> Result<(String, String)> {
        remote(options).map(|remote| (remote.endpoint.base_url, remote.collection))
    }

    fn target(target: &str) -> Result<(String, String)> {
        place(&RemoteOptions::of_target(target)?)
    }

    #[test]
    fn targets_name_host_and_collection() {
        let chroma = "/api/v2/tenants/default_tenant/databases/default_database";
        for (address, base, collection) in [
            ("qdrant://localhost/big", "http://localhost:6333".to_owned(), "big"),
            ("qdrants://a.b.io:443/x/big", "https://a.b.io:443/x".to_owned(), "big"),
            ("qdrants://a.b.io/x/big", "https://a.b.io/x".to_owned(), "big"),
            ("qdrant://[::1]/big", "http://[::1]:6333".to_owned(), "big"),
            ("qdrant://h/collections/big/", "http://h:6333".to_owned(), "big"),
            (" chroma://localhost/big", format!("http://localhost:8000{chroma}"), "big"),
            (
                "chromas://h:443/big?tenant=t&database=d",
                "https://h:443/api/v2/tenants/t/databases/d".to_owned(),
                "big",
            ),
        ] {
            assert_eq!(target(address).unwrap(), (base, collection.to_owned()), "{address}");
        }
    }

    #[test]
    fn pages_give_addresses_of_the_web() {
        let of = |qdrant: &str, collection: Option<&str>| {
            let options = RemoteOptions::new(EngineKind::Qdrant, qdrant.to_owned());
            place(&RemoteOptions { collection: collection.map(str::to_owned), ..options })
        };
        let expected = ("https://h:6333".to_owned(), "big".to_owned());
        assert_eq!(of("https://h:6333", Some("big")).unwrap(), expected);
        assert_eq!(of("https://h:6333/", Some("big")).unwrap(), expected);
        assert_eq!(of("https://h:6333/collections/big", None).unwrap(), expected);
        assert_eq!(of("https://h/search", Some("big")).unwrap().0, "https://h/search");
        assert!(of("https://h", None).is_err());
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for address in [
            "qdrant://",
            "qdrant://h",
            "qdrant://h/a b",
            "qdrant://u:p@h/big",
            "qdrant://h/big?x=1",
            "chroma://h/big?x",
            "chroma://h/..",
            "chroma://h/b%20g",
            "http://h/big",
            "qdrant:/h/big",
            "",
        ] {
            let error = target(address).unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidOption, "{address}");
            assert!(error.hint().is_some());
        }
    }

    #[test]
    fn options_in_json_name_one_engine() {
        let read = |json: &str| serde_json::from_str::<RemoteOptions>(json);
        let options =
            read(r#"{"chroma":"https://h","collection":"big","apiKey":"k","timeoutMs":5}"#).unwrap();
        assert_eq!((options.engine, options.endpoint.timeouts.step_ms), (EngineKind::Chroma, 5));
        assert_eq!(options.remote().unwrap().collection(), "big");
        for wrong in
            ["{}", r#"{"qdrant":"http://h/a","chroma":"http://h/a"}"#, r#"{"qdrant":"http://h/a","x":1}"#]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
