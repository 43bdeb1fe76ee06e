//! Rows that an index brings along for the embedder of its queries.

use super::container::SharedBytes;
use super::manifest::AdaptationInfo;
use super::open::Index;

impl Index {
    /// Rows of the query table that suit this index better than the table's own, as
    /// [`ibid_embed::adapt::TableDelta::to_bytes`] gives them.
    pub fn adaptation(&self) -> Option<&[u8]> {
        self.adaptation.as_deref()
    }

    /// Puts rows of the query table into the index, or takes out those that it has. They are written with it by
    /// [`Index::to_bytes`]; what [`Index::attach`] adds does not change them.
    pub fn set_adaptation(&mut self, adaptation: Option<(AdaptationInfo, Vec<u8>)>) {
        let (info, rows) = adaptation.unzip();
        self.manifest.adaptation = info;
        self.adaptation = rows.map(SharedBytes::from);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Calibration, IndexDraft};
    use super::*;
    use crate::{BuildOptions, IndexBuilder};
    use ibid_document::Document;
    use ibid_document::chunk::{ChunkOptions, chunk};
    use ibid_embed::{Embedding, Space};
    use ibid_platform::ErrorCode;

    fn draft(name: &str) -> IndexDraft {
        let document = Document::parse(name, b"# Tea\n\nGreen tea.").unwrap();
        let space = Space { name: "s".into(), dimensions: 2, fingerprint: "0".into() };
        let mut builder = IndexBuilder::new(space, ChunkOptions::default(), BuildOptions::default());
        builder.add(&document, &chunk(&document, &ChunkOptions::default())).unwrap();
        builder.embedded(&[Embedding::normalized(vec![1.0, 0.0])]).unwrap();
        builder.assemble().unwrap()
    }

    fn built(name: &str) -> Index {
        Index::open(draft(name).finish(Calibration::default()).unwrap()).unwrap()
    }

    #[test]
    fn rows_stay_with_the_index() {
        let mut index = built("a.md");
        let plain = index.to_bytes().unwrap();
        assert_eq!(index.adaptation(), None);
        let info = AdaptationInfo { rows: 3, before: 0.5, after: 0.75 };
        index.set_adaptation(Some((info, vec![1, 2, 3])));
        let mut again = Index::open(index.to_bytes().unwrap()).unwrap();
        assert_eq!((again.adaptation(), again.manifest().adaptation), (Some(&[1, 2, 3][..]), Some(info)));
        again.attach(built("b.md")).unwrap();
        let mut again = Index::open(again.to_bytes().unwrap()).unwrap();
        assert_eq!(again.adaptation(), Some(&[1, 2, 3][..]));
        again.remove("b.md").unwrap();
        index.set_adaptation(None);
        assert_eq!(index.to_bytes().unwrap(), plain);
    }

    #[test]
    fn announced_rows_must_be_there() {
        let mut index = built("a.md");
        index.manifest.adaptation = Some(AdaptationInfo { rows: 1, before: 0.0, after: 0.0 });
        let error = Index::open(index.to_bytes().unwrap()).unwrap_err();
        assert_eq!(error.code(), ErrorCode::IndexCorrupt);
    }
}
