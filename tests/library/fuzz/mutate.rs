//! Inputs made from seeds, the way fuzzers make them, but always the same.

/// The longest input that is made.
const LONGEST: usize = 16 * 1024;
/// What lengths and counts look like when they are wrong.
const NUMBERS: [&[u8]; 8] = [
    &[0; 4],
    &[0xFF; 4],
    &[0xFF; 8],
    &[0xFF, 0xFF, 0xFF, 0x7F],
    &[0, 0, 0, 0x80],
    b"4294967296",
    b"-1",
    b"99999999999",
];

/// Makes inputs.
pub struct Mutator<'a> {
    random: u64,
    seeds: &'a [Vec<u8>],
    tokens: Vec<Vec<u8>>,
}

impl<'a> Mutator<'a> {
    /// `dictionary` has the form that libFuzzer reads: a token in quotes on each line.
    pub fn new(dictionary: &str, seeds: &'a [Vec<u8>]) -> Self {
        let tokens = dictionary.lines().filter_map(token).chain(NUMBERS.map(<[u8]>::to_vec)).collect();
        Self { random: 0x6962_6964, seeds, tokens }
    }

    /// xorshift64*.
    fn below(&mut self, end: usize) -> usize {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        (self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 24) as usize % end.max(1)
    }

    /// The next input: a seed after one to eight changes.
    pub fn input(&mut self) -> Vec<u8> {
        let mut input = self.seeds[self.below(self.seeds.len())].clone();
        for _ in 0..=self.below(8) {
            self.change(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let at = self.below(input.len() + 1);
        let span = self.below(64) + 1;
        let end = (at + span).min(input.len());
        match self.below(10) {
            0 | 1 => {
                let bit = 1 << self.below(8);
                input.get_mut(at).into_iter().for_each(|byte| *byte ^= bit);
            }
            2 => {
                let value = self.below(256) as u8;
                input.get_mut(at).into_iter().for_each(|byte| *byte = value);
            }
            3 => drop(input.drain(at..end)),
            4 if self.below(4) == 0 => input.truncate(at),
            // A part of the same input once more, or very often.
            4 | 5 => {
                let times = if self.below(8) == 0 { 100 } else { 1 };
                let copy = input[at..end].repeat(times);
                let to = self.below(input.len() + 1);
                input.splice(to..to, copy);
            }
            // A part of another seed.
            6 => {
                let seeds = self.seeds;
                let other = &seeds[self.below(seeds.len())];
                let from = self.below(other.len());
                let part = &other[from..(from + span * 4).min(other.len())];
                input.splice(at..end, part.iter().copied());
            }
            choice => {
                let picked = self.below(self.tokens.len());
                let token = self.tokens[picked].clone();
                let replaced = if choice == 9 { (at + token.len()).min(input.len()) } else { at };
                input.splice(at..replaced, token);
            }
        }
    }
}

/// What a line of a dictionary stands for: the text in its quotes, in which `\\` and `\"` stand for the second of their
/// characters and `\x` leads in two hexadecimal digits. Comments, and what is written otherwise, are none.
fn token(line: &str) -> Option<Vec<u8>> {
    let line = line.trim();
    if line.starts_with('#') {
        return None;
    }
    let quoted = line.split_once('"')?.1.strip_suffix('"')?;
    let mut token = Vec::new();
    let mut rest = quoted.bytes();
    while let Some(byte) = rest.next() {
        token.push(match byte {
            b'\\' => match rest.next()? {
                escaped @ (b'\\' | b'"') => escaped,
                b'x' => {
                    let digit = |digit: u8| char::from(digit).to_digit(16);
                    (digit(rest.next()?)? * 16 + digit(rest.next()?)?) as u8
                }
                _ => return None,
            },
            b'"' => return None,
            byte => byte,
        });
    }
    Some(token)
}

#[test]
fn tokens_are_read_as_libfuzzer_reads_them() {
    for (line, expected) in [
        (r#""must""#, Some("must")),
        (r#""\"must\"""#, Some(r#""must""#)),
        (r#"name="a\\b\x0a""#, Some("a\\b\n")),
        (r#"  "\x22 > \x22" "#, Some(r#"" > ""#)),
        ("", None),
        (r#"# "comment""#, None),
        (r#""open"#, None),
        (r#""ends with\""#, None),
        (r#""a"b""#, None),
        (r#""\n""#, None),
        (r#""\xg0""#, None),
    ] {
        assert_eq!(token(line).as_deref(), expected.map(str::as_bytes), "{line}");
    }
}

#[test]
fn every_line_of_the_dictionaries_is_a_token() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/dictionaries");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let says = !line.trim().is_empty() && !line.starts_with('#');
            assert!(!says || token(line).is_some(), "{}: {line}", path.display());
        }
    }
}
