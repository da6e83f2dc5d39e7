//! Requests under way. A key that is held down may request the same screen again and again. Such a screen reads once at a time, and only
//! its newest request waits. Otherwise threads and memory would grow with the key presses.

use crate::tui::{keys::ScreenId, subject::Subject, world};
use dbdyno_store::ReadWatch;
use std::collections::{BTreeMap, VecDeque, btree_map::Entry};

/// A part of the application that sends requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sender {
    World(world::Request),
    /// The writer of files that the user names.
    File,
    Palette,
    Filter,
    Screen(ScreenId),
}

/// The queue in which requests wait for each other. The changes of a sender never wait for its reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Lane {
    sender: Sender,
    changes: bool,
}

/// A request that is to be responded to now. Call [`Desk::ended`] after the response.
#[derive(Debug)]
pub(super) struct StartedRequest<R> {
    pub(super) lane: Lane,
    pub(super) request: R,
    /// The watch of the request, if it is a read.
    pub(super) watch: Option<ReadWatch>,
}

/// The next steps after a response.
#[derive(Debug)]
pub(super) struct NextSteps<R> {
    /// Whether the response is still wanted, because no newer request has made it obsolete.
    pub(super) is_wanted: bool,
    pub(super) next: Option<StartedRequest<R>>,
}

/// One lane: the running request and the waiting ones.
#[derive(Debug)]
struct Queue<R> {
    running: Subject,
    /// At most one read of each name, and all changes.
    waiting: VecDeque<(Subject, R)>,
}

/// All requests under way: one runs in each lane.
#[derive(Debug)]
pub(super) struct Desk<R> {
    lanes: BTreeMap<Lane, Queue<R>>,
}

impl<R> Default for Desk<R> {
    fn default() -> Self {
        Self { lanes: BTreeMap::new() }
    }
}

impl<R> Desk<R> {
    /// Adds a request, and returns it if it is to begin at once. Older requests for the same subject are dropped or interrupted.
    pub(super) fn post(&mut self, sender: Sender, subject: Subject, request: R) -> Option<StartedRequest<R>> {
        let lane = Lane { sender, changes: matches!(subject, Subject::Change) };
        match self.lanes.entry(lane) {
            Entry::Vacant(free) => {
                let watch = subject.watch().cloned();
                free.insert(Queue { running: subject, waiting: VecDeque::new() });
                Some(StartedRequest { lane, request, watch })
            }
            Entry::Occupied(mut taken) => {
                let queue = taken.get_mut();
                if subject.replaces(&queue.running) {
                    queue.running.watch().into_iter().for_each(ReadWatch::give_up);
                }
                queue.waiting.retain(|(older, _)| !subject.replaces(older));
                queue.waiting.push_back((subject, request));
                None
            }
        }
    }

    /// Interrupts the reads that run, and drops those that wait. Changes stay.
    pub(super) fn give_up_reads(&mut self) {
        for queue in self.lanes.values_mut() {
            queue.running.watch().into_iter().for_each(ReadWatch::give_up);
            queue.waiting.retain(|(waiting, _)| waiting.watch().is_none());
        }
    }

    /// Whether no request runs.
    pub(super) fn is_idle(&self) -> bool {
        self.lanes.is_empty()
    }

    /// Whether a change runs or waits.
    pub(super) fn has_changes(&self) -> bool {
        self.lanes.keys().any(|lane| lane.changes)
    }

    /// Ends the request of a lane after its response.
    pub(super) fn ended(&mut self, lane: Lane) -> NextSteps<R> {
        let Entry::Occupied(mut taken) = self.lanes.entry(lane) else {
            return NextSteps { is_wanted: false, next: None };
        };
        let queue = taken.get_mut();
        let is_wanted = !queue.waiting.iter().any(|(newer, _)| newer.replaces(&queue.running));
        let next = match queue.waiting.pop_front() {
            Some((subject, request)) => {
                let watch = subject.watch().cloned();
                queue.running = subject;
                Some(StartedRequest { lane, request, watch })
            }
            None => {
                taken.remove();
                None
            }
        };
        NextSteps { is_wanted, next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULTS: Sender = Sender::Screen(ScreenId::Results);

    fn page(desk: &mut Desk<usize>, number: usize) -> (ReadWatch, Option<StartedRequest<usize>>) {
        let watch = ReadWatch::default();
        let begun = desk.post(RESULTS, Subject::watched("page", &watch), number);
        (watch, begun)
    }

    #[test]
    fn of_hundreds_of_readings_the_first_is_interrupted_and_the_newest_follows() {
        let mut desk = Desk::default();
        let (first, begun) = page(&mut desk, 0);
        let lane = begun.unwrap().lane;
        assert!(!first.is_given_up(), "nothing came after it yet");
        let later: Vec<ReadWatch> = (1..=500)
            .map(|number| {
                let (watch, begun) = page(&mut desk, number);
                assert!(begun.is_none(), "request {number} began beside another");
                watch
            })
            .collect();
        assert!(first.is_given_up());
        assert_eq!(desk.lanes[&lane].waiting.len(), 1);
        let NextSteps { is_wanted, next } = desk.ended(lane);
        assert!(!is_wanted, "the response of the first comes too late");
        assert_eq!(next.unwrap().request, 500);
        assert!(!later.last().unwrap().is_given_up());
        let NextSteps { is_wanted, next } = desk.ended(lane);
        assert!(is_wanted && next.is_none() && desk.lanes.is_empty());
    }

    #[test]
    fn what_is_read_for_something_else_waits_its_turn_and_is_not_dropped() {
        let mut desk = Desk::default();
        let lane = page(&mut desk, 0).1.unwrap().lane;
        assert!(desk.post(RESULTS, Subject::read("names"), 1).is_none());
        assert!(desk.post(RESULTS, Subject::read("run"), 2).is_none());
        assert!(desk.post(RESULTS, Subject::read("names"), 3).is_none());
        let order = std::iter::from_fn(|| desk.ended(lane).next).map(|next| next.request);
        assert_eq!(order.collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn changes_happen_all_of_them_in_their_order_and_wait_for_no_reading() {
        let mut desk = Desk::default();
        let (watch, _) = page(&mut desk, 0);
        let begun = desk.post(RESULTS, Subject::Change, 1).unwrap();
        assert_eq!((begun.request, begun.watch.is_none()), (1, true));
        (2..=300).for_each(|number| assert!(desk.post(RESULTS, Subject::Change, number).is_none()));
        assert!(!watch.is_given_up());
        for number in 2..=300 {
            let NextSteps { is_wanted, next } = desk.ended(begun.lane);
            assert!(is_wanted && next.unwrap().request == number);
        }
    }

    #[test]
    fn who_leaves_gives_up_what_is_read_and_keeps_what_is_changed() {
        let mut desk = Desk::default();
        let (running, begun) = page(&mut desk, 0);
        let (waiting, _) = page(&mut desk, 1);
        let reading = begun.unwrap().lane;
        let changing = desk.post(RESULTS, Subject::Change, 2).unwrap().lane;
        assert!(desk.post(RESULTS, Subject::Change, 3).is_none());
        desk.give_up_reads();
        assert!(running.is_given_up(), "nobody sees its response");
        assert!(desk.ended(reading).next.is_none() && !waiting.is_given_up(), "it never began");
        assert!(desk.has_changes());
        assert_eq!(desk.ended(changing).next.unwrap().request, 3);
        assert!(desk.ended(changing).next.is_none() && desk.is_idle() && !desk.has_changes());
    }

    #[test]
    fn screens_do_not_wait_for_each_other() {
        let mut desk = Desk::default();
        for screen in ScreenId::ALL {
            assert!(desk.post(Sender::Screen(screen), Subject::read("page"), 0).is_some(), "{screen:?}");
        }
    }
}
