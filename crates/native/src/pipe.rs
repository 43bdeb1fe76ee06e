//! A channel from a thread that blocks to a future that waits.

use std::sync::mpsc::{Receiver as Items, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

/// Who waits for the next item.
type Waiting = Arc<Mutex<Option<Waker>>>;

/// A channel that holds at most `ahead` items; the thread that sends more waits.
pub fn pipe<T>(ahead: usize) -> (Sender<T>, Receiver<T>) {
    let (sender, items) = sync_channel(ahead);
    let waiting = Waiting::default();
    (Sender { items: Some(sender), waiting: Arc::clone(&waiting) }, Receiver { items, waiting })
}

/// The thread's end. Dropped, it ends the channel.
pub struct Sender<T> {
    items: Option<SyncSender<T>>,
    waiting: Waiting,
}

impl<T> Sender<T> {
    /// Sends an item; `false` when nobody takes items any more.
    pub fn send(&self, item: T) -> bool {
        let sent = self.items.as_ref().is_some_and(|items| items.send(item).is_ok());
        self.wake();
        sent
    }

    fn wake(&self) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        waiting.into_iter().for_each(Waker::wake);
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        drop(self.items.take());
        self.wake();
    }
}

/// The future's end.
pub struct Receiver<T> {
    items: Items<T>,
    waiting: Waiting,
}

impl<T> Receiver<T> {
    /// The next item, or `None` once the sender is gone and everything is taken. Dropped while it waits, it loses nothing.
    pub async fn next(&mut self) -> Option<T> {
        let Self { items, waiting } = self;
        std::future::poll_fn(move |context| {
            // Before the look into the channel: an item that comes after it wakes.
            *waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(context.waker().clone());
            match items.try_recv() {
                Ok(item) => Poll::Ready(Some(item)),
                Err(TryRecvError::Disconnected) => Poll::Ready(None),
                Err(TryRecvError::Empty) => Poll::Pending,
            }
        })
        .await
    }
}
