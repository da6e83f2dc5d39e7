//! Follows a test: reads the figures of the database, the process and the engine itself once a second.

use super::{KvActorsTest, course::Course};
use crate::resources::{counters, disk_bytes, rss_bytes};
use dbdyno_engine::{
    EngineError,
    kv::{KvHandle, KvThreads},
};
use std::{
    collections::BTreeMap,
    thread,
    time::{Duration, Instant},
};

/// Time between two readings.
const EVERY: Duration = Duration::from_secs(1);
/// Time between two checks of whether the test has ended.
const LOOK: Duration = Duration::from_millis(5);

/// Follows a test until it ends, with its own handle.
pub(super) fn follow<E: KvThreads>(engine: &E, course: &Course, of: &KvActorsTest<'_>) -> Result<(), EngineError> {
    let followed = look_again(engine, course, of);
    if followed.is_err() {
        course.end();
    }
    followed
}

fn look_again<E: KvThreads>(engine: &E, course: &Course, of: &KvActorsTest<'_>) -> Result<(), EngineError> {
    let (mut handle, before) = (engine.handle()?, counters());
    let (begun, mut next) = (Instant::now(), EVERY);
    while !course.is_over() {
        if begun.elapsed() < next {
            thread::sleep(LOOK);
            continue;
        }
        next += EVERY;
        let (database, side) =
            disk_bytes(of.folder, E::MAIN_FILE).map_err(EngineError::doing("measuring the database's size"))?;
        let mut readings = BTreeMap::from([
            ("database_bytes".to_owned(), database),
            ("side_bytes".to_owned(), side),
            ("rss_bytes".to_owned(), rss_bytes()),
            ("written_bytes".to_owned(), counters().since(&before).get("written_bytes").unwrap_or(0)),
        ]);
        match handle.readings() {
            Ok(of_engine) => readings.extend(of_engine.into_iter().map(|(name, value)| (name.to_owned(), value))),
            // The next reading tries again.
            Err(error) if error.is_busy => {}
            Err(error) => return Err(error),
        }
        of.shown.show(readings);
    }
    Ok(())
}
