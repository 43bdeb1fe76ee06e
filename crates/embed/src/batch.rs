//! Embedding more texts than an embedder takes at once.

use super::{Embedder, Embedding, Task};
use ibid_platform::{Error, ErrorCode, Result};

/// Embeds any number of texts, in batches of at most [`Embedder::batch_size`], and checks that there is one vector of the
/// space's dimensions for each. `done` is told after each batch how many texts it had.
///
/// # Errors
/// The embedder's; [`ErrorCode::EmbedderFailed`] when what it gives is not as its space says.
pub fn embed_all(
    embedder: &dyn Embedder,
    texts: &[&str],
    task: Task,
    done: &mut dyn FnMut(usize),
) -> Result<Vec<Embedding>> {
    let space = embedder.space();
    let mut embeddings = Vec::with_capacity(texts.len());
    for batch in texts.chunks(embedder.batch_size().max(1)) {
        let made = embedder.embed(batch, task)?;
        let fits = |embedding: &Embedding| embedding.as_slice().len() == space.dimensions as usize;
        if made.len() != batch.len() || !made.iter().all(fits) {
            let message = format!(
                "The embedder {} did not give one vector of {} components for each of {} texts.",
                space.name,
                space.dimensions,
                batch.len()
            );
            return Err(Error::new(ErrorCode::EmbedderFailed, message));
        }
        embeddings.extend(made);
        done(batch.len());
    }
    Ok(embeddings)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::Space;

    /// An embedder that takes three texts at once, as a remote one has its limit, and may answer wrongly.
    struct Three {
        space: Space,
        asked: RefCell<Vec<usize>>,
        leaves_out: usize,
        dimensions: usize,
    }

    impl Three {
        fn new(leaves_out: usize, dimensions: usize) -> Self {
            let space = Space::foreign("three", 2, None).unwrap();
            Self { space, asked: RefCell::default(), leaves_out, dimensions }
        }
    }

    impl Embedder for Three {
        fn space(&self) -> &Space {
            &self.space
        }

        fn batch_size(&self) -> usize {
            3
        }

        fn embed(&self, texts: &[&str], _task: Task) -> Result<Vec<Embedding>> {
            self.asked.borrow_mut().push(texts.len());
            let vector = Embedding::normalized(vec![1.0; self.dimensions]);
            Ok(vec![vector; texts.len().saturating_sub(self.leaves_out)])
        }
    }

    #[test]
    fn texts_go_in_batches_of_what_the_embedder_takes() {
        let three = Three::new(0, 2);
        let mut told = Vec::new();
        let made = embed_all(&three, &["a"; 7], Task::Document, &mut |count| told.push(count)).unwrap();
        assert_eq!(made.len(), 7);
        assert_eq!(*three.asked.borrow(), [3, 3, 1]);
        assert_eq!(told, [3, 3, 1]);
        assert!(embed_all(&three, &[], Task::Query, &mut |_| {}).unwrap().is_empty());
    }

    #[test]
    fn answers_of_another_number_or_length_are_refused() {
        for wrong in [Three::new(1, 2), Three::new(3, 2), Three::new(0, 3)] {
            let error = embed_all(&wrong, &["a"; 4], Task::Query, &mut |_| {}).unwrap_err();
            assert_eq!(error.code(), ErrorCode::EmbedderFailed);
        }
    }
}
