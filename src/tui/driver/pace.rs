//! When the next frame is painted.

use std::time::Duration;
use tokio::time::Instant;

/// Least time between two frames: twenty a second.
const FRAME: Duration = Duration::from_millis(50);

/// Least time between two pictures of a running job: painting takes time from a core that shares caches, or even its units, with the
/// measured one.
const MOVING: Duration = Duration::from_millis(200);

/// Bytes a second that pictures of a running job may take over SSH, so that a slow line does not fall behind them.
const REMOTE_BYTES: f64 = 8.0 * 1024.0;

/// The same on a terminal of this machine.
const LOCAL_BYTES: f64 = 64.0 * 1024.0;

/// Longest time that such a picture waits, however large the frame before it was.
const LONGEST: Duration = Duration::from_millis(500);

/// How soon a change is to be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Urgency {
    /// A job that goes on, or a clock: the line must be free for it.
    Moving,
    /// What the user did, and responses to it.
    Answer,
}

/// The time of the last frame, its bytes, and what changed since.
#[derive(Debug)]
pub(super) struct FramePace {
    bytes_per_second: f64,
    drawn: Instant,
    bytes: usize,
    change: Option<Urgency>,
}

impl FramePace {
    /// Returns a pace at which the first frame comes at once.
    pub(super) fn new(now: Instant, is_remote: bool) -> Self {
        let bytes_per_second = if is_remote { REMOTE_BYTES } else { LOCAL_BYTES };
        Self { bytes_per_second, drawn: now, bytes: 0, change: Some(Urgency::Answer) }
    }

    /// Notes that something changed.
    pub(super) fn changed(&mut self, urgency: Urgency) {
        self.change = self.change.max(Some(urgency));
    }

    /// Notes that a frame of `bytes` bytes was painted: nothing has changed since.
    pub(super) fn painted(&mut self, now: Instant, bytes: usize) {
        *self = Self { drawn: now, bytes, change: None, ..*self };
    }

    /// Returns when the next frame is due; none if nothing changed.
    pub(super) fn due(&self) -> Option<Instant> {
        let rest = match self.change? {
            Urgency::Moving => {
                Duration::from_secs_f64(self.bytes as f64 / self.bytes_per_second).clamp(MOVING, LONGEST)
            }
            Urgency::Answer => FRAME,
        };
        Some(self.drawn + rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_frame(bytes: usize, is_remote: bool) -> (FramePace, Instant) {
        let now = Instant::now();
        let mut pace = FramePace::new(now, is_remote);
        pace.painted(now, bytes);
        (pace, now)
    }

    #[test]
    fn nothing_is_painted_when_nothing_changed() {
        assert_eq!(after_frame(10, true).0.due(), None);
    }

    #[test]
    fn pictures_of_a_job_leave_the_line_free_and_an_answer_does_not_wait_for_it() {
        let (mut pace, now) = after_frame(2048, true);
        pace.changed(Urgency::Moving);
        assert_eq!(pace.due(), Some(now + Duration::from_millis(250)));
        pace.changed(Urgency::Answer);
        pace.changed(Urgency::Moving);
        assert_eq!(pace.due(), Some(now + FRAME));
    }

    #[test]
    fn small_frames_come_five_times_a_second_and_none_waits_longer_than_half_a_second() {
        for (bytes, is_remote, rest) in [(100, true, MOVING), (2048, false, MOVING), (1_000_000, true, LONGEST)] {
            let (mut pace, now) = after_frame(bytes, is_remote);
            pace.changed(Urgency::Moving);
            assert_eq!(pace.due(), Some(now + rest));
        }
    }
}
