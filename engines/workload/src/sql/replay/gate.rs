//! The order of transactions in different lanes.

use dbdyno_engine::{EngineError, replay::TransactionPlace, suite::ReplayOrder};
use std::sync::{Condvar, Mutex, PoisonError};

/// Lets a transaction begin when those that it has to follow have ended. It counts them: those that write, or in an order of one after the
/// other all. Each waits only for some that ended before it in the recording, so there is always one that need not wait.
#[derive(Debug)]
pub(super) struct ReplayGate {
    order: ReplayOrder,
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    ended: u64,
    /// Whether a lane failed, so that the others would wait in vain.
    is_broken: bool,
}

impl ReplayGate {
    pub(super) fn new(order: ReplayOrder) -> Self {
        Self { order, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits until a transaction may begin.
    ///
    /// # Errors
    /// Another lane failed.
    pub(super) fn wait(&self, place: &TransactionPlace) -> Result<(), EngineError> {
        let needed = match self.order {
            ReplayOrder::Concurrent if place.turn > 0 => place.turn - 1,
            ReplayOrder::Concurrent => place.after,
            ReplayOrder::Early => place.early,
            ReplayOrder::Late => place.late,
        };
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = |state: &mut GateState| !state.is_broken && state.ended < needed;
        let state = self.changed.wait_while(state, waits).unwrap_or_else(PoisonError::into_inner);
        if state.is_broken { Err(EngineError::new(OTHER_FAILED)) } else { Ok(()) }
    }

    /// Lets others follow a transaction that has ended.
    pub(super) fn pass(&self, place: &TransactionPlace) {
        if self.order != ReplayOrder::Concurrent || place.turn > 0 {
            self.state.lock().unwrap_or_else(PoisonError::into_inner).ended += 1;
            self.changed.notify_all();
        }
    }

    /// Returns what makes the other lanes stop, unless the lane ends well.
    pub(super) fn guard(&self) -> GateGuard<'_> {
        GateGuard { gate: self, has_ended: false }
    }
}

/// The error of a lane that stops because another one failed.
pub(in crate::sql) const OTHER_FAILED: &str = "another connection of the recording failed";

/// Stops the other lanes when it is dropped before the end.
pub(super) struct GateGuard<'g> {
    gate: &'g ReplayGate,
    has_ended: bool,
}

impl GateGuard<'_> {
    pub(super) fn end(mut self) {
        self.has_ended = true;
    }
}

impl Drop for GateGuard<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            self.gate.state.lock().unwrap_or_else(PoisonError::into_inner).is_broken = true;
            self.gate.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::mpsc, thread};

    fn place(after: u64, turn: u64) -> TransactionPlace {
        TransactionPlace { after, turn, ..TransactionPlace::default() }
    }

    #[test]
    fn writers_take_turns_and_readers_wait_for_those_before() {
        let gate = ReplayGate::new(ReplayOrder::Concurrent);
        let (said, heard) = mpsc::channel();
        thread::scope(|scope| {
            for (name, place) in [("second", place(0, 2)), ("reader", place(2, 0)), ("first", place(0, 1))] {
                let (gate, said) = (&gate, said.clone());
                scope.spawn(move || {
                    gate.wait(&place).unwrap();
                    said.send(name).unwrap();
                    gate.pass(&place);
                });
            }
        });
        assert_eq!(heard.try_iter().collect::<Vec<_>>(), ["first", "second", "reader"]);
    }

    #[test]
    fn a_lane_that_fails_stops_those_that_wait() {
        let gate = ReplayGate::new(ReplayOrder::Early);
        let waits = TransactionPlace { early: 1, ..TransactionPlace::default() };
        thread::scope(|scope| {
            let waiting = scope.spawn(|| gate.wait(&waits));
            drop(gate.guard());
            assert_eq!(waiting.join().unwrap().unwrap_err().message, OTHER_FAILED);
        });
        let other = ReplayGate::new(ReplayOrder::Early);
        other.guard().end();
        other.wait(&TransactionPlace::default()).unwrap();
    }
}
