//! Addresses of services, checked before anything is sent there.

/// Returns the address up to the query, and the query; or what is wrong with it, as the end of a sentence that names
/// it.
pub fn split(url: &str) -> Result<(&str, Option<&str>), &'static str> {
    let url = url.trim();
    if url.is_empty() {
        return Err("is empty");
    }
    let (scheme, rest) = url.split_once("://").ok_or("does not start with http:// or https://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Err("does not start with http:// or https://");
    }
    if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("holds white space");
    }
    if url.contains('#') {
        return Err("holds a # part, which is never sent");
    }
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err("holds a user name, which pages may not send; use the API key or a header");
    }
    if authority.is_empty() || authority.starts_with(':') {
        return Err("names no host");
    }
    Ok(url.split_once('?').map_or((url, None), |(base, query)| (base, Some(query))))
}

/// Returns the host of an address in lower case, without its port.
pub fn host(url: &str) -> String {
    let after = url.split_once("://").map_or("", |(_, rest)| rest);
    let authority = after.split(['/', '?']).next().unwrap_or_default();
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    host.to_ascii_lowercase()
}

/// True if the address is of this machine itself.
pub fn is_loopback(url: &str) -> bool {
    let host = host(url);
    let numbers = host
        .strip_prefix("127.")
        .is_some_and(|rest| rest.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit()));
    numbers || host == "[::1]" || host == "localhost" || host.ends_with(".localhost")
}
