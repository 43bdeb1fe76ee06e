//! What numbers say about themselves: checksums, issuers and ranges.

/// Whether the digits hold by the Luhn algorithm (ISO/IEC 7812-1, annex B).
pub(super) fn luhn(digits: &[u8]) -> bool {
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

/// The issuers of payment cards: the range of the first digits, and the lengths of their numbers.
const ISSUERS: &[(u32, u32, &[usize])] = &[
    // Visa.
    (4, 4, &[13, 16, 19]),
    // Mastercard.
    (51, 55, &[16]),
    (2221, 2720, &[16]),
    // American Express.
    (34, 34, &[15]),
    (37, 37, &[15]),
    // Diners Club.
    (300, 305, &[14, 16, 19]),
    (36, 36, &[14, 16, 19]),
    (38, 39, &[14, 16, 19]),
    // Discover.
    (6011, 6011, &[16, 19]),
    (644, 649, &[16, 19]),
    (65, 65, &[16, 19]),
    // UnionPay.
    (62, 62, &[16, 17, 18, 19]),
    // JCB.
    (3528, 3589, &[16, 17, 18, 19]),
    // Maestro.
    (5018, 5018, &[12, 13, 14, 15, 16, 17, 18, 19]),
    (5020, 5020, &[12, 13, 14, 15, 16, 17, 18, 19]),
    (5038, 5038, &[12, 13, 14, 15, 16, 17, 18, 19]),
    (6304, 6304, &[12, 13, 14, 15, 16, 17, 18, 19]),
    (6759, 6763, &[12, 13, 14, 15, 16, 17, 18, 19]),
    // Mir.
    (2200, 2204, &[16, 17, 18, 19]),
    // RuPay.
    (508, 508, &[16]),
    (81, 82, &[16]),
];

/// Whether the digits are the number of a payment card: issuer, length and checksum.
pub(super) fn card(digits: &[u8]) -> bool {
    let begins = |from: u32, to: u32| {
        let width = from.to_string().len();
        (from..=to)
            .contains(&digits.iter().take(width).fold(0, |number, &digit| number * 10 + u32::from(digit)))
    };
    (12..=19).contains(&digits.len())
        && ISSUERS.iter().any(|(from, to, lengths)| lengths.contains(&digits.len()) && begins(*from, *to))
        && luhn(digits)
}

/// Whether ten digits are an NHS number: the last is a checksum modulo 11 (NHS Data Dictionary), and the first begins a
/// range that is given out or, with a nine, for tests and examples.
pub(super) fn nhs(digits: &[u8]) -> bool {
    let [body @ .., check] = digits else { return false };
    let sum: u32 = body.iter().zip((2..=10).rev()).map(|(&digit, weight)| u32::from(digit) * weight).sum();
    let wanted = (11 - sum % 11) % 11;
    let same = digits.iter().all(|digit| digit == check);
    digits.len() == 10 && wanted == u32::from(*check) && !same && !matches!(digits[0], 0 | 1 | 2 | 5 | 8)
}

/// Whether nine digits can be a social security number of the United States: no part is zero, and the first three are
/// neither 666 nor 900 and above, which are never given out.
pub(super) fn ssn(digits: &[u8]) -> bool {
    let number =
        |from: usize, to: usize| digits[from..to].iter().fold(0, |n, &digit| n * 10 + u32::from(digit));
    digits.len() == 9 && !matches!(number(0, 3), 0 | 666 | 900..) && number(3, 5) != 0 && number(5, 9) != 0
}

/// The countries that have an IBAN, each with the length of theirs (SWIFT, IBAN Registry).
const IBANS: &str = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24FI18FK18\
    FO18FR27GB22GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22\
    MK19MN20MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24\
    TR26UA29VA22VG24XK20YE30";

/// The length of a country's IBAN; the code is two capital letters.
pub(super) fn iban_length(code: [char; 2]) -> Option<usize> {
    let mut known = IBANS.as_bytes().chunks_exact(4);
    let entry = known.find(|entry| entry[..2].iter().map(|&b| char::from(b)).eq(code))?;
    Some(usize::from(entry[2] - b'0') * 10 + usize::from(entry[3] - b'0'))
}

/// Whether the letters and digits of an IBAN hold by ISO 7064, modulo 97.
pub(super) fn mod97(iban: &[char]) -> bool {
    if iban.len() < 5 {
        return false;
    }
    let turned = iban[4..].iter().chain(&iban[..4]);
    turned
        .map(|c| c.to_digit(36))
        .try_fold(0u32, |rest, value| {
            let value = value?;
            Some((rest * if value < 10 { 10 } else { 100 } + value) % 97)
        })
        .is_some_and(|rest| rest == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(text: &str) -> Vec<u8> {
        text.bytes().filter(u8::is_ascii_digit).map(|b| b - b'0').collect()
    }

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
            let chars: Vec<char> = good.chars().collect();
            assert_eq!(iban_length([chars[0], chars[1]]), Some(chars.len()), "{good}");
            assert!(mod97(&chars));
            let mut wrong = chars.clone();
            wrong.swap(5, 6);
            assert_eq!(mod97(&wrong), wrong == chars);
        }
        assert_eq!(iban_length(['X', 'X']), None);
        assert!(!mod97(&['G']));
        assert!(IBANS.len().is_multiple_of(4));
    }
}
