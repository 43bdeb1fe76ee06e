//! Filters.

use ibid::index::Filter;

/// Reads bytes as the JSON of a filter. What can be read is written in Qdrant's form and means the same there.
pub fn filter(data: &[u8]) {
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(data) else { return };
    match Filter::from_json(&value) {
        Ok(filter) => {
            let written = filter.to_json();
            let again = Filter::from_json(&written).expect("what was written can be read");
            // An empty filter among conditions is read as it was written, and the form no longer changes.
            assert_eq!(again.to_json(), written);
        }
        Err(error) => {
            assert!(error.hint().is_some());
            // Keys are as long as they like, at each of a bounded number of levels.
            assert!(error.message().len() < 32 * 1024, "{}", error.message().len());
        }
    }
}
