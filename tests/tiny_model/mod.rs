//! A BERT model of pseudo-random weights, small enough to be made on the spot, and what the reference makes of it.
//!
//! It uses nothing of ibid, so that tests inside and outside the crate, native and in a browser, can all include it.
//! `reference.json` is by the `transformers` package: `tools/make_embed_fixtures.py tiny` makes the same weights.
#![allow(clippy::unwrap_used, reason = "a helper of tests")]

use serde::Deserialize;

/// The reference's vectors for some texts.
#[derive(Deserialize)]
pub(crate) struct Reference {
    /// A text may be longer than the model's window of 24 tokens.
    pub(crate) texts: Vec<String>,
    /// A vector of unit length for each text.
    pub(crate) vectors: Vec<Vec<f32>>,
}

/// Reads the reference.
pub(crate) fn reference() -> Reference {
    serde_json::from_str(include_str!("reference.json")).unwrap()
}

/// A text, and the bits of the first numbers of ibid's own vector for it, which are the same on every machine.
pub(crate) const BITS_OF: &str = "The dose is 5 mg, adults.";
pub(crate) const BITS: [u32; 4] = [3_195_572_493, 1_017_000_231, 1_032_909_393, 3_188_122_130];

/// `config.json`.
pub(crate) const CONFIG: &str = r#"{
    "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 2, "num_hidden_layers": 2,
    "max_position_embeddings": 24, "layer_norm_eps": 1e-12, "hidden_act": "gelu", "type_vocab_size": 2
}"#;

/// `vocab.txt`.
pub(crate) const VOCAB: &str =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\nfever\ncough\nand\n##s\n##ing\n.\n,\n5\nmg\nthe\ndose\nis\nadults\n";

/// `model.safetensors`.
pub(crate) fn weights() -> Vec<u8> {
    let mut tensors = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![VOCAB.lines().count(), 64]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![24, 64]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, 64]),
    ];
    let mut with_bias = |name: String, weight: Vec<usize>| {
        let outputs = weight[0];
        tensors.push((format!("{name}.weight"), weight));
        tensors.push((format!("{name}.bias"), vec![outputs]));
    };
    with_bias("embeddings.LayerNorm".to_owned(), vec![64]);
    for layer in 0..2 {
        for (part, shape) in [
            ("attention.self.query", vec![64, 64]),
            ("attention.self.key", vec![64, 64]),
            ("attention.self.value", vec![64, 64]),
            ("attention.output.dense", vec![64, 64]),
            ("attention.output.LayerNorm", vec![64]),
            ("intermediate.dense", vec![128, 64]),
            ("output.dense", vec![64, 128]),
            ("output.LayerNorm", vec![64]),
        ] {
            with_bias(format!("encoder.layer.{layer}.{part}"), shape);
        }
    }
    let mut state = 2026_u64;
    let mut data: Vec<u8> = Vec::new();
    let mut header = serde_json::Map::new();
    for (name, shape) in tensors {
        let start = data.len();
        for _ in 0..shape.iter().product() {
            let random = next(&mut state);
            let number = if name.ends_with("LayerNorm.weight") { 1.0 + random } else { random / 2.0 };
            data.extend(number.to_le_bytes());
        }
        let entry =
            serde_json::json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, data.len()] });
        header.insert(name, entry);
    }
    let header = serde_json::to_vec(&header).unwrap();
    [&(header.len() as u64).to_le_bytes(), header.as_slice(), &data].concat()
}

/// The next number from -0.5 to 0.5 (`SplitMix64`), exact in `f32`.
fn next(state: &mut u64) -> f32 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 40) as f32 / 16_777_216.0 - 0.5
}
