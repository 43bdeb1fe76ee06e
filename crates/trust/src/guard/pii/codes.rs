//! Hardware addresses and the addresses of wallets, by their form.

use super::candidate::PiiCandidate;
use super::options::PiiKind;
use super::token::Scan;

/// The characters of a wallet's address; longer ones are none.
const WALLET: std::ops::RangeInclusive<usize> = 26..=95;

#[inline(never)]
pub(super) fn find(scan: &Scan, out: &mut Vec<PiiCandidate>) {
    let chars = &scan.view.chars;
    let mut at = 0;
    while at < chars.len() {
        let start = at;
        while at < chars.len() && joins(chars[at]) {
            at += 1;
        }
        if at == start {
            at += 1;
            continue;
        }
        let mut end = at;
        while end > start && !chars[end - 1].is_ascii_alphanumeric() {
            end -= 1;
        }
        // "MAC:00:1a:…" and "btc:1Bv…" have the word before it.
        let first = (start..end).rev().find(|&place| chars[place] == ':').map_or(start, |colon| colon + 1);
        let kind = if is_hardware(&chars[start..end]) {
            Some((start, PiiKind::Mac))
        } else if is_wallet(&chars[first..end]) {
            Some((first, PiiKind::Wallet))
        } else {
            None
        };
        out.extend(kind.map(|(from, kind)| PiiCandidate::new(kind, from..end)));
    }
}

fn joins(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '.' | '_' | '/')
}

/// Says whether this is the address of a network card: six pairs, or three groups of four, by one sign. Those that all
/// machines share, and those of one digit throughout, are nobody's.
fn is_hardware(text: &[char]) -> bool {
    let (width, sign) = match text {
        [_, _, sign @ (':' | '-'), ..] if text.len() == 17 => (2, *sign),
        [_, _, _, _, sign @ '.', ..] if text.len() == 14 => (4, *sign),
        _ => return false,
    };
    let groups = text.split(|c| *c == sign);
    let mut digits = text.iter().filter(|c| **c != sign);
    let same = digits.clone().all(|c| c.eq_ignore_ascii_case(&text[0]));
    // A date with a time, or a run of decimal pairs, has no letter.
    let letters = width == 4 || digits.clone().any(char::is_ascii_alphabetic) || sign == ':';
    groups.clone().count() == 12 / width
        && groups.clone().all(|group| group.len() == width)
        && digits.all(char::is_ascii_hexdigit)
        && letters
        && !same
}

/// Says whether this is an address of Bitcoin or its like, or of Ethereum.
fn is_wallet(text: &[char]) -> bool {
    if !WALLET.contains(&text.len()) {
        return false;
    }
    let begins = |prefix: &str| prefix.chars().eq(text.iter().take(prefix.len()).copied());
    if begins("0x") {
        let rest = &text[2..];
        return rest.len() == 40
            && rest.iter().all(char::is_ascii_hexdigit)
            && rest.iter().any(|c| *c != rest[0])
            && rest.iter().any(char::is_ascii_digit);
    }
    if begins("bc1") || begins("ltc1") || begins("tb1") {
        let rest = &text[3..];
        let known = |c: &char| c.is_ascii_digit() || c.is_ascii_lowercase() && !matches!(c, 'b' | 'i' | 'o');
        return text.len() >= 42 && rest.iter().all(known) && rest.iter().any(char::is_ascii_digit);
    }
    let known = |c: &char| c.is_ascii_alphanumeric() && !matches!(c, '0' | 'O' | 'I' | 'l');
    matches!(text[0], '1' | '3')
        && text.len() <= 35
        && text.iter().all(known)
        && text.iter().any(char::is_ascii_lowercase)
        && text.iter().any(char::is_ascii_uppercase)
        && text.iter().filter(|c| c.is_ascii_digit()).count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, usize)> {
        let scan = Scan::new(text);
        let mut out = Vec::new();
        find(&scan, &mut out);
        out.iter().map(|one| (scan.view.chars[one.range.clone()].iter().collect(), one.label)).collect()
    }

    #[test]
    fn hardware_addresses_are_found() {
        for address in ["00:1a:2b:3c:4d:5e", "00-1A-2B-3C-4D-5E", "001a.2b3c.4d5e", "00:11:22:33:44:55"] {
            let text = format!("The device ({address}) is offline, see {address}.");
            assert_eq!(found(&text), vec![(address.to_owned(), PiiKind::Mac as usize); 2], "{text}");
        }
        for text in [
            "ff:ff:ff:ff:ff:ff",
            "00:00:00:00:00:00",
            "10-20-30-40-50-60",
            "2024-01-15 10:30:00",
            "00:1a:2b:3c:4d",
            "00:1a:2b:3c:4d:5e:6f",
            "1.2345.6789.12",
            "aa:bb:cc:dd:ee:gg",
        ] {
            assert!(found(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn wallets_are_found() {
        for address in [
            "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
            "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
            "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
            "0x52908400098527886E0F7030069857D2E4169EE7",
        ] {
            for text in [format!("Send it to {address}."), format!("btc:{address}"), address.to_owned()] {
                assert_eq!(found(&text), [(address.to_owned(), PiiKind::Wallet as usize)], "{text}");
            }
        }
        for text in [
            "0x0000000000000000000000000000000000000000",
            "0x52908400098527886E0F7030069857D2E4169EE7AB",
            "da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "1234567890123456789012345678",
            "3.1 Requirements for the installation of components",
            "https://example.org/1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2O",
        ] {
            assert!(found(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn long_runs_are_read_once() {
        for unit in ["00:", "1a", "bc1q", "0x0", "a.", "::"] {
            find(&Scan::new(&unit.repeat(300_000 / unit.len())), &mut Vec::new());
        }
    }
}
