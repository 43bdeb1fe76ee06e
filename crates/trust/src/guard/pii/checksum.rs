//! Numbers that say by their digits whether they are one: cards, IBANs, numbers of the health service and social security.

use std::sync::LazyLock;

use super::lexicon::{entries, lexicon, range};

/// Reads the digits of a text, by value.
pub(super) fn digits(text: &str) -> Vec<u8> {
    text.bytes().filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect()
}

/// Says whether the digits hold by the Luhn algorithm (ISO/IEC 7812-1, annex B).
fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(i, &digit)| match (i % 2, u32::from(digit)) {
            (0, digit) => digit,
            (_, digit) if digit > 4 => digit * 2 - 9,
            (_, digit) => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10) && digits.iter().any(|&digit| digit != 0)
}

/// An issuer of payment cards: the range of the first digits, and the ranges of the lengths of its numbers.
struct Issuer {
    first: (u32, u32),
    lengths: Vec<(u32, u32)>,
}

static ISSUERS: LazyLock<Vec<Issuer>> = LazyLock::new(|| {
    let issuer = |(first, lengths): (&str, &str)| {
        Some(Issuer { first: range(first)?, lengths: lengths.split(',').filter_map(range).collect() })
    };
    entries("card-issuers").filter_map(issuer).collect()
});

/// Says whether the digits are the number of a payment card: issuer, length and checksum.
pub(super) fn card(digits: &[u8]) -> bool {
    let issued = |issuer: &Issuer| {
        let (from, to) = issuer.first;
        let width = from.to_string().len();
        let begins = digits.iter().take(width).fold(0, |number, &digit| number * 10 + u32::from(digit));
        let long = |&(least, most): &(u32, u32)| (least..=most).contains(&(digits.len() as u32));
        (from..=to).contains(&begins) && issuer.lengths.iter().any(long)
    };
    (12..=19).contains(&digits.len()) && luhn(digits) && ISSUERS.iter().any(issued)
}

/// Says whether ten digits are an NHS number: the last is a checksum modulo 11 (NHS Data Dictionary), and the first begins a
/// range that is given out or, with a nine, for tests and examples.
pub(super) fn nhs(digits: &[u8]) -> bool {
    let [body @ .., check] = digits else { return false };
    let sum: u32 = body.iter().zip((2..=10).rev()).map(|(&digit, weight)| u32::from(digit) * weight).sum();
    let wanted = (11 - sum % 11) % 11;
    let same = digits.iter().all(|digit| digit == check);
    digits.len() == 10 && wanted == u32::from(*check) && !same && !matches!(digits[0], 0 | 1 | 2 | 5 | 8)
}

/// Says whether nine digits can be a social security number of the United States: no part is zero, and the first three are
/// neither 666 nor 900 and above, which are never given out.
pub(super) fn ssn(digits: &[u8]) -> bool {
    let number =
        |from: usize, to: usize| digits[from..to].iter().fold(0, |n, &digit| n * 10 + u32::from(digit));
    digits.len() == 9 && !matches!(number(0, 3), 0 | 666 | 900..) && number(3, 5) != 0 && number(5, 9) != 0
}

/// Says whether a text begins with a country's code and two digits, and is as long as an IBAN of that country.
pub(super) fn is_iban(text: &str) -> bool {
    let chars = text.chars().filter(|c| !matches!(c, ' ' | '-' | '.')).count();
    let is_country = |entry: &str| {
        entry.split_at_checked(2).is_some_and(|(country, length)| {
            text.get(..2).is_some_and(|code| code.eq_ignore_ascii_case(country))
                && length.parse() == Ok(chars)
        })
    };
    lexicon().list("ibans").any(is_country)
}

/// Says whether the letters and digits of an IBAN hold by ISO 7064, modulo 97.
pub(super) fn mod97(iban: &str) -> bool {
    let values: Vec<u32> = iban.chars().filter_map(|c| c.to_digit(36)).collect();
    let Some((first, rest)) = values.split_at_checked(4) else { return false };
    let append = |sum: u32, value: &u32| (sum * if *value < 10 { 10 } else { 100 } + value) % 97;
    rest.iter().chain(first).fold(0, append) == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_have_an_issuer_a_length_and_a_checksum() {
        for good in [
            "4111 1111 1111 1111",
            "5555555555554444",
            "378282246310005",
            "6011111111111117",
            "30569309025904",
            "3530111333300000",
            "2223003122003222",
        ] {
            assert!(card(&digits(good)), "{good}");
        }
        for bad in ["4111 1111 1111 1112", "1111111111111117", "0000000000000000", "411111111111111", "99999"]
        {
            assert!(!card(&digits(bad)), "{bad}");
        }
    }

    #[test]
    fn nhs_numbers_hold_modulo_eleven() {
        for good in ["999 000 0018", "9990000026", "943 476 5919"] {
            assert!(nhs(&digits(good)), "{good}");
        }
        assert!(nhs(&digits("401 023 2137")));
        for bad in ["999 000 0019", "4444444444", "999000001", "12"] {
            assert!(!nhs(&digits(bad)), "{bad}");
        }
        assert!(!nhs(&[]));
    }

    #[test]
    fn social_security_numbers_have_ranges() {
        assert!(ssn(&digits("123-45-6789")));
        for bad in ["000-12-3456", "666-12-3456", "900-12-3456", "123-00-4567", "123-45-0000", "12345678"] {
            assert!(!ssn(&digits(bad)), "{bad}");
        }
    }

    #[test]
    fn ibans_hold_modulo_ninety_seven() {
        for good in [
            "GB82WEST12345698765432",
            "DE89370400440532013000",
            "FR1420041010050500013M02606",
            "NO9386011117947",
        ] {
            assert!(is_iban(good) && mod97(good), "{good}");
            let wrong = good.replacen(&good[5..7], &good[5..7].chars().rev().collect::<String>(), 1);
            assert_eq!(mod97(&wrong), wrong == good);
        }
        assert!(!is_iban("XX82") && !mod97("G"));
        assert!(lexicon().list("ibans").all(|entry| entry.len() == 4));
    }
}
