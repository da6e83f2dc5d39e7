//! A queue of bytes from one thread of the program to the recorder's writing thread, without locks.

use std::{
    cell::{Cell, UnsafeCell},
    ptr,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

/// Bytes of a ring: small, so that it stays in the processor's caches. A power of two.
pub(crate) const RING_BYTES: usize = 1 << 18;
/// Room that a single event may take in a ring.
pub(crate) const EVENT_BYTES: usize = RING_BYTES / 4;
/// Events begin at multiples of it.
const ALIGNMENT: usize = 8;
/// The length of an event, and its kind.
const HEAD_BYTES: usize = 8;
/// The kind of what fills the end of the ring, where an event would not fit in one piece.
const PADDING: u32 = 0;

/// Keeps what the two threads write in different cache lines.
#[repr(align(128))]
struct Apart<T>(T);

/// A ring of events. One thread pushes, one takes.
pub(crate) struct CallRing {
    bytes: Box<[UnsafeCell<u64>]>,
    /// Bytes that were pushed since the start.
    head: Apart<AtomicU64>,
    /// Bytes that were taken since the start.
    tail: Apart<AtomicU64>,
    /// What the pushing thread last saw of `tail`.
    seen_tail: Apart<Cell<u64>>,
    closed: AtomicBool,
    /// The thread's identifier for the system.
    pub(crate) thread: u32,
}

// SAFETY: the bytes between tail and head belong to the taking thread, the others to the pushing one. `seen_tail` is
// used by the pushing thread alone.
unsafe impl Send for CallRing {}
// SAFETY: as above.
unsafe impl Sync for CallRing {}

impl CallRing {
    pub(crate) fn new(thread: u32) -> Self {
        let words = (0..RING_BYTES / 8).map(|_| UnsafeCell::new(0)).collect();
        Self {
            bytes: words,
            head: Apart(AtomicU64::new(0)),
            tail: Apart(AtomicU64::new(0)),
            seen_tail: Apart(Cell::new(0)),
            closed: AtomicBool::new(false),
            thread,
        }
    }

    fn at(&self, position: u64) -> *mut u8 {
        self.bytes.as_ptr().cast::<u8>().wrapping_add(position as usize & (RING_BYTES - 1)).cast_mut()
    }

    /// Pushes an event of `length` bytes, which `fill` writes. Returns false if it does not fit now. Only the ring's
    /// thread calls it.
    pub(crate) fn push(&self, kind: u32, length: usize, fill: impl FnOnce(&mut [u8])) -> bool {
        debug_assert!(kind != PADDING && length <= EVENT_BYTES);
        let size = (HEAD_BYTES + length).next_multiple_of(ALIGNMENT);
        let head = self.head.0.load(Ordering::Relaxed);
        let to_end = RING_BYTES - (head as usize & (RING_BYTES - 1));
        let padding = if size > to_end { to_end } else { 0 };
        if !self.has_room(head, size + padding) {
            return false;
        }
        if padding > 0 {
            self.write_head(head, padding, PADDING);
        }
        let start = head + padding as u64;
        self.write_head(start, length, kind);
        // SAFETY: the bytes are free, in one piece, and only this thread uses them until `head` is stored.
        fill(unsafe { std::slice::from_raw_parts_mut(self.at(start + HEAD_BYTES as u64), length) });
        self.head.0.store(start + size as u64, Ordering::Release);
        true
    }

    fn has_room(&self, head: u64, size: usize) -> bool {
        let fits = |tail: u64| head + size as u64 - tail <= RING_BYTES as u64;
        if !fits(self.seen_tail.0.get()) {
            self.seen_tail.0.set(self.tail.0.load(Ordering::Acquire));
        }
        fits(self.seen_tail.0.get())
    }

    fn write_head(&self, position: u64, length: usize, kind: u32) {
        let word = u64::from(kind) << 32 | length as u64;
        // SAFETY: positions are multiples of eight within the ring, and the bytes are free.
        unsafe { ptr::write(self.at(position).cast(), word) };
    }

    /// Returns whether more than half of the ring is used. Only the ring's thread calls it.
    pub(crate) fn is_half_full(&self) -> bool {
        !self.has_room(self.head.0.load(Ordering::Relaxed), RING_BYTES / 2)
    }

    /// Returns the position up to which events can be taken.
    pub(crate) fn head(&self) -> u64 {
        self.head.0.load(Ordering::Acquire)
    }

    /// Passes the events up to a position to `take`, with their kinds. Only the writing thread calls it.
    pub(crate) fn take(&self, until: u64, mut take: impl FnMut(u32, &[u8])) {
        let mut tail = self.tail.0.load(Ordering::Relaxed);
        while tail < until {
            // SAFETY: the bytes between tail and head were written before `head` was stored.
            let word = unsafe { ptr::read(self.at(tail).cast::<u64>()) };
            let (kind, length) = ((word >> 32) as u32, word as u32 as usize);
            if kind == PADDING {
                tail += length as u64;
            } else {
                // SAFETY: as above. An event is in one piece.
                take(kind, unsafe { std::slice::from_raw_parts(self.at(tail + HEAD_BYTES as u64), length) });
                tail += (HEAD_BYTES + length).next_multiple_of(ALIGNMENT) as u64;
            }
            self.tail.0.store(tail, Ordering::Release);
        }
    }

    /// Notes that the thread pushes nothing more.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Returns whether the thread has ended and everything was taken.
    pub(crate) fn is_finished(&self) -> bool {
        self.closed.load(Ordering::Acquire) && self.head() == self.tail.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::Arc, thread};

    #[test]
    fn events_arrive_in_order_and_whole() {
        const EVENTS: u64 = 200_000;
        let ring = Arc::new(CallRing::new(1));
        let pushing = Arc::clone(&ring);
        let pusher = thread::spawn(move || {
            for n in 0..EVENTS {
                let length = 8 + (n % 900) as usize;
                while !pushing.push(1, length, |room| {
                    room.fill(n as u8);
                    room[..8].copy_from_slice(&n.to_le_bytes());
                }) {
                    thread::yield_now();
                }
            }
            pushing.close();
        });
        let mut next: u64 = 0;
        while !ring.is_finished() {
            ring.take(ring.head(), |kind, bytes| {
                assert_eq!((kind, bytes.len()), (1, 8 + (next % 900) as usize));
                assert_eq!(bytes[..8], next.to_le_bytes());
                assert!(bytes[8..].iter().all(|byte| *byte == next as u8));
                next += 1;
            });
        }
        pusher.join().unwrap();
        assert_eq!(next, EVENTS);
    }

    #[test]
    fn a_full_ring_refuses_and_goes_on_after_the_taking() {
        let ring = CallRing::new(1);
        let mut pushed = 0;
        while ring.push(1, 1000, |room| room.fill(1)) {
            pushed += 1;
        }
        assert_eq!(pushed, RING_BYTES / 1008);
        assert!(ring.is_half_full());
        let mut taken = 0;
        ring.take(ring.head(), |_, _| taken += 1);
        assert_eq!(taken, pushed);
        assert!(ring.push(1, EVENT_BYTES, |_| {}));
    }
}
