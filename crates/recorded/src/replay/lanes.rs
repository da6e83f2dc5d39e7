//! Connections in as few lanes as possible.

use super::spool::CallSpool;

/// Which connection is in which lane.
pub(super) struct Lanes {
    pub(super) count: usize,
    /// By connection.
    pub(super) lane: Vec<usize>,
}

impl Lanes {
    /// Puts each connection into the first lane whose connections have ended. Connections without calls are left out.
    pub(super) fn of(spool: &CallSpool) -> Self {
        let mut has_calls = vec![false; spool.connections.len()];
        spool.calls.iter().for_each(|call| has_calls[call.connection as usize] = true);
        let mut opened: Vec<usize> = (0..spool.connections.len()).filter(|number| has_calls[*number]).collect();
        opened.sort_by_key(|number| (spool.connections[*number].first, *number));
        let mut ends: Vec<u64> = Vec::new();
        let mut lane = vec![0; spool.connections.len()];
        for number in &opened {
            let connection = spool.connections[*number];
            let free = ends.iter().position(|end| *end < connection.first);
            let at = free.unwrap_or(ends.len());
            match ends.get_mut(at) {
                Some(end) => *end = connection.last,
                None => ends.push(connection.last),
            }
            lane[*number] = at;
        }
        Self { count: ends.len(), lane }
    }
}
