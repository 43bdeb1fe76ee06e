use super::file::TableHeader;
use super::vocabulary::ScoreScale;
use super::*;
use crate::packed::PackedKind;
use crate::packed::tests::{Random, seal_head, write_head};
use twox_hash::XxHash64;

const VOCAB: [&str; 3] = ["[UNK]", "fever", "##ish"];

fn space() -> Space {
    Space { name: "tiny".into(), dimensions: 64, fingerprint: "0".repeat(16) }
}

/// Two groups a row: the first of `id` everywhere, the second of -1 in its low and 2 in its high half.
fn row(id: u8) -> Vec<u8> {
    let mut row = vec![0x00, 0x3c];
    row.extend([(8 + id % 8) * 17; 16]);
    row.extend([0x00, 0x38]);
    row.extend([0x7 + 0xa * 16; 16]);
    row
}

/// Three tokens and fifty more, of which `fever` and `t3` are common.
fn file() -> Vec<u8> {
    // Nothing is shared with the token before.
    let vocab: String = VOCAB
        .map(str::to_owned)
        .into_iter()
        .chain((0..50).map(|at| format!("t{at}")))
        .fold(String::new(), |vocab, token| vocab + "\x01" + &token);
    let vocab_packed = miniz_oxide::deflate::compress_to_vec(vocab.as_bytes(), 9);
    let header = TableHeader {
        space: space(),
        tokens: 53,
        vocab_bytes: vocab.len(),
        vocab_packed: vocab_packed.len(),
        common: 2,
        seed: "2a".into(),
        scores: None,
        scripts: 0,
        letters: 0,
    };
    let ids: Vec<u8> = [1u32, 6].iter().flat_map(|id| id.to_le_bytes()).collect();
    let sections = [&*vocab_packed, &ids, &[row(1), row(6)].concat()];
    let mut file = write_head(PackedKind::TokenTable, &header, &sections).unwrap();
    for row in (0..53).filter(|id| ![1, 6].contains(id)).map(row) {
        file.extend(XxHash64::oneshot(0x2a, &row).to_le_bytes());
        file.extend(row);
    }
    seal_head(&mut file);
    file
}

fn head(file: &[u8]) -> Vec<u8> {
    file[..TokenTable::head_length(&file[..40]).unwrap() as usize].to_vec()
}

fn table_of_head(file: &[u8]) -> TokenTable {
    TokenTable::open_head(head(file)).unwrap()
}

fn provide(table: &TokenTable, file: &[u8], range: &Range<u64>) -> Result<()> {
    table.provide(range.start, &file[range.start as usize..range.end as usize])
}

#[test]
fn a_query_is_the_sum_of_its_rows() {
    let table = TokenTable::from_bytes(file()).unwrap();
    // The exclamation mark is unknown and adds row 0.
    let mut expected = vec![3.0; 32];
    expected.extend([-1.5; 16]);
    expected.extend([3.0; 16]);
    assert_eq!(table.embed_query("Feverish!").unwrap(), Embedding::normalized(expected.clone()));
    expected[..32].fill(1.0);
    expected[32..48].fill(-0.5);
    expected[48..].fill(1.0);
    assert_eq!(table.embed_query("fever").unwrap(), Embedding::normalized(expected));
    assert!(table.embed_query(" \u{200b}").unwrap().is_zero());
    assert!(table.missing("feverish t49").is_empty() && table.missing_all().is_empty());
}

/// A hash of the vectors of texts.
fn vectors_of(table: &TokenTable, texts: &[String]) -> u64 {
    let numbers = texts.iter().flat_map(|text| table.embed_query(text).unwrap().as_slice().to_vec());
    XxHash64::oneshot(0, &numbers.flat_map(f32::to_le_bytes).collect::<Vec<u8>>())
}

/// However the files are packed, vectors stay the same to the bit: the numbers are of the first packings.
#[test]
fn packing_changes_no_vector() {
    let texts: Vec<String> =
        serde_json::from_str(include_str!("../../../../tests/fixtures/embed/texts.json")).unwrap();
    let table = TokenTable::from_bytes(&include_bytes!("../../../../models/query-table.bin")[..]).unwrap();
    assert_eq!(vectors_of(&table, &texts), 0xa7b6_8db3_859f_506c);
    assert_eq!(
        vectors_of(&TokenTable::from_bytes(multilingual()).unwrap(), &texts_of_scripts()),
        0x6248_4aa1_d653_658e
    );
}

fn multilingual() -> &'static [u8] {
    include_bytes!("../../../../models/multilingual-table.bin")
}

/// Texts in many scripts.
fn texts_of_scripts() -> Vec<String> {
    let file = include_str!("../../../../tests/fixtures/embed/unigram.json");
    let file: serde_json::Value = serde_json::from_str(file).unwrap();
    let texts = file["texts"].as_array().unwrap().iter();
    texts.map(|case| case["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn rows_come_when_they_are_fetched() {
    let file = file();
    let whole = TokenTable::from_bytes(file.clone()).unwrap();
    let table = table_of_head(&file);
    assert!(table.missing("fever t3 t3").is_empty());
    assert_eq!(table.embed_query("fever t3").unwrap(), whole.embed_query("fever t3").unwrap());
    // A row in the middle, and the last.
    for query in ["fever t20", "t49"] {
        let missing = table.missing(query);
        assert_eq!(missing.len(), 1);
        let error = table.embed(&[query], Task::Query).unwrap_err();
        assert_eq!(error.code(), ErrorCode::ModelIncomplete);
        let mut damaged = file[missing[0].start as usize..missing[0].end as usize].to_vec();
        damaged[9] ^= 1;
        assert_eq!(table.provide(missing[0].start, &damaged).unwrap_err().code(), ErrorCode::ModelInvalid);
        provide(&table, &file, &missing[0]).unwrap();
        assert!(table.missing(query).is_empty());
        assert_eq!(table.embed_query(query).unwrap(), whole.embed_query(query).unwrap());
    }
    assert!(!table.missing("t19").is_empty() && !table.missing("t40").is_empty());
    for range in table.missing_all() {
        provide(&table, &file, &range).unwrap();
    }
    let all = (0..50).map(|at| format!("t{at} ")).collect::<Vec<_>>().concat();
    assert_eq!(table.embed_query(&all).unwrap(), whole.embed_query(&all).unwrap());
    // Bytes that nobody asked for do no harm.
    table.provide(u64::MAX, &[1, 2, 3]).unwrap();
    table.provide(1 << 40, &[1, 2, 3]).unwrap();
    table.provide(0, &file[..7]).unwrap();
}

/// Pieces of no script in the head, and those of Cyrillic and Latin letters behind it.
fn file_of_scripts() -> Vec<u8> {
    let head = b"\x01<unk>\x01\xe2\x96\x81\xff\x08";
    let cyrillic = "\x01жар\x01\u{2581}у\x04\x09".as_bytes();
    let latin = "\x01fever\x01\u{2581}fe\x06ver\x05\x05\x02".as_bytes();
    let pack = |pieces: &[u8]| miniz_oxide::deflate::compress_to_vec(pieces, 9);
    let header = TableHeader {
        space: space(),
        tokens: 7,
        vocab_bytes: head.len(),
        vocab_packed: pack(head).len(),
        common: 1,
        seed: "2a".into(),
        scores: Some(ScoreScale { top: -1.0, step: 0.5, least: -5.5 }),
        scripts: 2,
        letters: 3,
    };
    let of =
        |ranges: u32, tokens, pieces: &[u8]| [ranges, tokens, pieces.len() as u32, pack(pieces).len() as u32];
    let scripts = [of(1, 2, cyrillic), of(2, 3, latin)].map(|numbers| numbers.map(u32::to_le_bytes));
    let letters = ['а', 'я', 'a', 'z', 'A', 'Z'].map(|letter| u32::from(letter).to_le_bytes());
    let scripts = scripts.as_flattened().as_flattened();
    let sections = [&*pack(head), &2_u32.to_le_bytes(), &row(2), scripts, letters.as_flattened()];
    let mut file = write_head(PackedKind::TokenTable, &header, &sections).unwrap();
    for part in [pack(cyrillic), pack(latin)].into_iter().chain([0, 1, 3, 4, 5, 6].map(row)) {
        file.extend(XxHash64::oneshot(0x2a, &part).to_le_bytes());
        file.extend(part);
    }
    seal_head(&mut file);
    file
}

#[test]
fn pieces_of_a_script_come_when_a_text_has_its_letters() {
    let file = file_of_scripts();
    let whole = TokenTable::from_bytes(file.clone()).unwrap();
    assert_eq!((whole.tokenizer().vocab_size(), whole.token_ids("жар fever")), (7, vec![1, 2, 6]));
    assert_eq!((whole.tokenizer().id("fever"), whole.tokenizer().token(3)), (Some(4), Some("\u{2581}у")));
    assert!(whole.tokenizer().vocab().starts_with("<unk>\n\u{2581}\nжар\n"));

    let table = table_of_head(&file);
    assert_eq!(table.missing("…").len(), 1, "only a row");
    for query in ["жар", "fever, жар"] {
        let pieces = table.missing(query);
        assert_eq!(pieces.len(), 1, "{query}");
        assert_eq!(table.embed_query(query).unwrap_err().code(), ErrorCode::ModelIncomplete);
        let mut damaged = file[pieces[0].start as usize..pieces[0].end as usize].to_vec();
        damaged[10] ^= 1;
        assert_eq!(table.provide(pieces[0].start, &damaged).unwrap_err().code(), ErrorCode::ModelInvalid);
        provide(&table, &file, &pieces[0]).unwrap();
        for range in table.missing(query) {
            provide(&table, &file, &range).unwrap();
        }
        assert_eq!(table.embed_query(query).unwrap(), whole.embed_query(query).unwrap());
    }
    // A part with a checksum that holds may have anything in it.
    let range = &table_of_head(&file).missing("fever")[0];
    let part = &file[range.start as usize..range.end as usize];
    let mut random = Random(7);
    for _ in 0..2000 {
        let mut damaged = part.to_vec();
        for _ in 0..=random.below(2) {
            damaged[8 + random.below(part.len() - 8)] = random.next() as u8;
        }
        let sum = XxHash64::oneshot(0x2a, &damaged[8..]).to_le_bytes();
        damaged[..8].copy_from_slice(&sum);
        let table = table_of_head(&file);
        match table.provide(range.start, &damaged) {
            Ok(()) => drop((table.missing("fever"), table.embed_query("fever"))),
            Err(error) => assert_eq!(error.code(), ErrorCode::ModelInvalid),
        }
    }
    // Fetching what is missing again and again ends with all of it.
    let table = table_of_head(&file);
    while let Some(range) = table.missing_all().first() {
        provide(&table, &file, range).unwrap();
    }
    assert_eq!(table.embed_query("fever у").unwrap(), whole.embed_query("fever у").unwrap());
}

/// Else a text of other letters would be split in another way than by the whole vocabulary.
#[test]
fn pieces_of_a_script_have_its_letters() {
    let file = multilingual();
    let table = table_of_head(file);
    let mut seen = table.tokenizer().vocab_size();
    for (number, range) in table.scripts.missing(&table.tokenizer, None).into_iter().enumerate() {
        assert_eq!(number, 0, "side by side");
        provide(&table, file, &range).unwrap();
    }
    for part in &table.scripts.parts {
        for _ in 0..part.tokens {
            let piece = table.tokenizer().token(seen as u32).unwrap();
            let is_letter = |char| part.letters.iter().any(|range| range.contains(&u32::from(char)));
            assert!(piece.chars().any(is_letter), "{piece}");
            seen += 1;
        }
    }
    assert_eq!((seen, table.scripts.parts.len()), (76_000, 10));
}

/// Vectors are the same whether all pieces are here or only those of a text's letters.
#[test]
fn a_text_needs_the_pieces_of_its_letters_alone() {
    let file = multilingual();
    let whole = TokenTable::from_bytes(file).unwrap();
    let mut most = 0;
    for text in texts_of_scripts() {
        let table = table_of_head(file);
        for _ in 0..2 {
            for range in table.missing(&text) {
                most = most.max(range.end - range.start);
                provide(&table, file, &range).unwrap();
            }
        }
        assert_eq!(table.embed_query(&text).unwrap(), whole.embed_query(&text).unwrap(), "{text}");
    }
    assert!(most > 50_000, "{most}");
}

#[test]
fn a_row_of_another_version_is_told_from_its_own() {
    let file = file();
    let table = table_of_head(&file);
    let range = table.missing("t20").remove(0);
    let mut other = file[range.start as usize..range.end as usize].to_vec();
    let sum = XxHash64::oneshot(0x2b, &other[8..]).to_le_bytes();
    other[..8].copy_from_slice(&sum);
    assert_eq!(table.provide(range.start, &other).unwrap_err().code(), ErrorCode::ModelInvalid);
}

#[test]
fn only_queries_are_embedded() {
    let table = TokenTable::from_bytes(file()).unwrap();
    assert_eq!(table.embed(&["fever", ""], Task::Query).unwrap().len(), 2);
    assert_eq!(table.embed(&["fever"], Task::Document).unwrap_err().code(), ErrorCode::InvalidOption);
}

#[test]
fn any_bytes_are_answered() {
    for (file, query) in [(file(), "fever t20 t49"), (file_of_scripts(), "fever жар")] {
        answered(&file, query);
    }
}

fn answered(file: &[u8], query: &str) {
    let refused = |bytes: &[u8]| TokenTable::from_bytes(bytes).unwrap_err().code() == ErrorCode::ModelInvalid;
    for at in 0..file.len() {
        assert!(refused(&file[..at]), "cut at {at}");
        let mut changed = file.to_vec();
        changed[at] ^= 0x10;
        assert!(refused(&changed), "byte {at}");
    }
    let mut random = Random(5);
    for _ in 0..4000 {
        let mut bytes = file.to_vec();
        for _ in 0..=random.below(4) {
            let at = 16 + random.below(head(file).len() - 16);
            match random.below(3) {
                0 => bytes[at] = random.next() as u8,
                1 => bytes[at] = b"0919-]}\",eE.\xff"[random.below(13)],
                _ => drop(bytes.splice(at..at, *b"9")),
            }
        }
        seal_head(&mut bytes);
        for table in [TokenTable::from_bytes(bytes.clone()), TokenTable::open_head(bytes.clone())] {
            match table {
                Ok(table) => {
                    let _ = table.embed_query(query);
                    let _ = (table.missing(query), table.missing_all());
                }
                Err(error) => assert_eq!(error.code(), ErrorCode::ModelInvalid),
            }
        }
    }
}
