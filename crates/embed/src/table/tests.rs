use super::file::TableHeader;
use super::*;
use crate::packed::tests::Random;
use crate::packed::{PackedKind, seal_head, write_head};
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

/// However the file is packed, vectors stay the same to the bit: the number is of 100 texts by the first packing.
#[test]
fn packing_changes_no_vector() {
    let texts: Vec<String> =
        serde_json::from_str(include_str!("../../../../tests/fixtures/embed/texts.json")).unwrap();
    let table = TokenTable::from_bytes(&include_bytes!("../../../../models/query-table.bin")[..]).unwrap();
    let bytes: Vec<u8> = texts
        .iter()
        .flat_map(|text| table.embed_query(text).unwrap().as_slice().to_vec())
        .flat_map(f32::to_le_bytes)
        .collect();
    assert_eq!(XxHash64::oneshot(0, &bytes), 0xa7b6_8db3_859f_506c);
}

#[test]
fn rows_come_when_they_are_fetched() {
    let file = file();
    let whole = TokenTable::from_bytes(file.clone()).unwrap();
    let table = TokenTable::open_head(head(&file)).unwrap();
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

#[test]
fn a_row_of_another_version_is_told_from_its_own() {
    let file = file();
    let table = TokenTable::open_head(head(&file)).unwrap();
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
    let file = file();
    let refused = |bytes: &[u8]| TokenTable::from_bytes(bytes).unwrap_err().code() == ErrorCode::ModelInvalid;
    for at in 0..file.len() {
        assert!(refused(&file[..at]), "cut at {at}");
        let mut changed = file.clone();
        changed[at] ^= 0x10;
        assert!(refused(&changed), "byte {at}");
    }
    let mut random = Random(5);
    for _ in 0..4000 {
        let mut bytes = file.clone();
        for _ in 0..=random.below(4) {
            let at = 16 + random.below(head(&file).len() - 16);
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
                    let _ = table.embed_query("fever t20 t49");
                    let _ = (table.missing("t20"), table.missing_all());
                }
                Err(error) => assert_eq!(error.code(), ErrorCode::ModelInvalid),
            }
        }
    }
}
