//! Writes the results of a session to the journal before anything else is done.

use super::RunningSession;
use crate::runner::RunnerEvent;
use dbdyno_store::{Batch, Settled, Store, StoreError};
use std::time::{Duration, Instant};

/// Time between two attempts to write to a journal that could not be written.
const RETRY: Duration = Duration::from_millis(250);

impl RunningSession<'_> {
    /// Writes a batch to the journal, synced, before anything else is done, and returns whether that succeeded. A batch that cannot be
    /// written stays in memory. It is tried again for a while now, and later together with the next batches.
    pub(in crate::runner) async fn keep(&mut self, batch: Batch) -> bool {
        let Err(reason) = self.blocking(move |store| store.append(&batch)).await else {
            self.unkept = None;
            return true;
        };
        if self.unkept.replace(reason.clone()).is_some() {
            return false;
        }
        self.tell(RunnerEvent::Note {
            text: format!("{reason}; results are only in memory for now; dbdyno tries again to write them"),
        });
        let until = Instant::now() + self.store.patience();
        while Instant::now() < until && !self.is_stopped() {
            tokio::time::sleep(RETRY).await;
            if self.blocking(|store| store.flush()).await.is_ok() {
                self.tell(RunnerEvent::Note { text: "results are in the journal again".to_owned() });
                self.unkept = None;
                return true;
            }
        }
        false
    }

    /// Returns the reason why nothing can be stored at the moment.
    pub(in crate::runner) fn unkept(&self) -> Option<&str> {
        self.unkept.as_deref()
    }

    /// Runs a store action on a thread that may block.
    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        action: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, String> {
        let store = self.store.clone();
        let done = tokio::task::spawn_blocking(move || action(&store)).await;
        done.map_err(|panicked| panicked.to_string())?.map_err(|error| error.to_string())
    }

    /// Merges the journal into the store.
    pub(super) async fn merge(&self) -> Result<(), String> {
        let Settled { cut, .. } = self.blocking(|store| store.settle()).await?;
        for text in (Settled { cut, ..Settled::default() }).notices() {
            self.tell(RunnerEvent::Note { text });
        }
        Ok(())
    }
}
