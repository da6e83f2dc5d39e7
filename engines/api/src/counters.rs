//! Costs of a test other than time, as named counters.

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, Visitor},
};
use std::{borrow::Cow, collections::BTreeMap, fmt};

/// Counters by the names of their figures: `user_ns`, `syncs`. Unknown counters are absent. A worker may send any counter; dbdyno keeps
/// those that it has a figure for.
///
/// ```
/// use dbdyno_engine::counters::Counters;
///
/// let reading = |syncs| {
///     let mut counters = Counters::default();
///     counters.set("syncs", syncs);
///     counters
/// };
/// assert_eq!(reading(Some(9)).since(&reading(Some(2))).get("syncs"), Some(7));
/// assert_eq!(reading(Some(9)).since(&reading(None)).get("syncs"), None, "what was not known then has no difference");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counters(BTreeMap<Cow<'static, str>, u64>);

impl Counters {
    /// Returns a counter if it is known.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.0.get(name).copied()
    }

    /// Sets a counter, if there is a value.
    pub fn set(&mut self, name: &'static str, value: Option<u64>) {
        if let Some(value) = value {
            self.0.insert(Cow::Borrowed(name), value);
        }
    }

    /// Adds the counters of an engine's own, whose names begin with [`OF_ENGINE`].
    pub fn add_own(&mut self, own: &EngineCounters) {
        self.0.extend(own.values().map(|(name, value)| (Cow::Owned(format!("{OF_ENGINE}{name}")), value)));
    }

    /// Returns the counters of an engine's own, without what their names begin with.
    pub fn own(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().filter_map(|(name, value)| Some((name.strip_prefix(OF_ENGINE)?, *value)))
    }

    /// Returns how far each counter has advanced since `earlier`. Counters that are unknown in either reading are left out.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let difference = |(name, now): (&Cow<'static, str>, &u64)| {
            earlier.0.get(name).map(|then| (name.clone(), now.saturating_sub(*then)))
        };
        Self(self.0.iter().filter_map(difference).collect())
    }
}

/// What the names of an engine's own counters begin with.
pub const OF_ENGINE: &str = "counter:";

/// What an engine itself counted, by name, since its session's connection was opened: cache misses, steps of a virtual machine. The
/// engine's [description](crate::describe::Description::counters) says what each is.
///
/// Some engines count for each session, others for the database that all sessions share. Of threads that share a database, each reads the
/// same counters, so [adding](Self::add) theirs takes the time from the first reading to the last one.
///
/// ```
/// use dbdyno_engine::counters::{Counters, EngineCounters};
///
/// let (before, after) = (EngineCounters::from([("cache_misses", 2)]), EngineCounters::from([("cache_misses", 9)]));
/// let mut of_test = Counters::default();
/// of_test.add_own(&after.since(&before));
/// assert_eq!(of_test.get("counter:cache_misses"), Some(7));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineCounters {
    of_session: BTreeMap<&'static str, u64>,
    of_database: BTreeMap<&'static str, SharedCounter>,
}

/// A counter of a database at the beginning and at the end of what is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SharedCounter {
    from: u64,
    to: u64,
}

/// Counters of one session alone.
impl<const N: usize> From<[(&'static str, u64); N]> for EngineCounters {
    fn from(counters: [(&'static str, u64); N]) -> Self {
        counters.into_iter().collect()
    }
}

/// Counters of one session alone.
impl FromIterator<(&'static str, u64)> for EngineCounters {
    fn from_iter<I: IntoIterator<Item = (&'static str, u64)>>(counters: I) -> Self {
        Self { of_session: counters.into_iter().collect(), ..Self::default() }
    }
}

impl EngineCounters {
    /// Returns counters of a database, whichever of its sessions they count for.
    ///
    /// ```
    /// use dbdyno_engine::counters::{Counters, EngineCounters};
    ///
    /// let reading = |commits| EngineCounters::of_database([("commits", commits)]);
    /// let mut of_threads = reading(17).since(&reading(10));
    /// of_threads.add(&reading(19).since(&reading(11)));
    /// let mut of_test = Counters::default();
    /// of_test.add_own(&of_threads);
    /// assert_eq!(of_test.get("counter:commits"), Some(9), "from 10 to 19");
    /// ```
    pub fn of_database(counters: impl IntoIterator<Item = (&'static str, u64)>) -> Self {
        let shared = counters.into_iter().map(|(name, to)| (name, SharedCounter { from: 0, to }));
        Self { of_database: shared.collect(), ..Self::default() }
    }

    /// Returns how far each counter has advanced since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let of_session = |(name, now): (&&'static str, &u64)| {
            (*name, now.saturating_sub(earlier.of_session.get(name).copied().unwrap_or(0)))
        };
        let of_database = |(name, now): (&&'static str, &SharedCounter)| {
            let from = earlier.of_database.get(name).map_or(now.from, |earlier| earlier.to);
            (*name, SharedCounter { from, to: now.to })
        };
        Self {
            of_session: self.of_session.iter().map(of_session).collect(),
            of_database: self.of_database.iter().map(of_database).collect(),
        }
    }

    /// Adds the counters of another thread.
    pub fn add(&mut self, other: &Self) {
        for (name, value) in &other.of_session {
            *self.of_session.entry(name).or_default() += value;
        }
        for (name, other) in &other.of_database {
            let all = self.of_database.entry(name).or_insert(*other);
            *all = SharedCounter { from: all.from.min(other.from), to: all.to.max(other.to) };
        }
    }

    /// Returns each counter with its value.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let of_database =
            self.of_database.iter().map(|(name, counter)| (*name, counter.to.saturating_sub(counter.from)));
        self.of_session.iter().map(|(name, value)| (*name, *value)).chain(of_database)
    }
}

/// Reads the fields that no other field claims. A value that is not a whole number is not a counter.
impl<'de> Deserialize<'de> for Counters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountersVisitor;

        impl<'de> Visitor<'de> for CountersVisitor {
            type Value = Counters;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("counters by their names")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Counters, A::Error> {
                let mut counters = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, serde_json::Value>()? {
                    if let Some(value) = value.as_u64() {
                        counters.insert(Cow::Owned(name), value);
                    }
                }
                Ok(Counters(counters))
            }
        }

        deserializer.deserialize_map(CountersVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::TestDone;

    #[test]
    fn counters_are_fields_beside_the_others() {
        let mut counters = Counters::default();
        counters.set("syncs", Some(7));
        counters.set("minor", None);
        let done = TestDone { wall_ns: 5, counters, ..TestDone::default() };
        let text = serde_json::to_string(&done).unwrap();
        assert!(text.contains("\"syncs\":7") && !text.contains("minor"), "{text}");
        assert_eq!(serde_json::from_str::<TestDone>(&text).unwrap(), done);
        let other = text.replace("\"syncs\":7", "\"syncs\":7,\"note\":\"x\",\"share\":0.5");
        assert_eq!(serde_json::from_str::<TestDone>(&other).unwrap(), done);
    }

    #[test]
    fn only_what_is_known_at_both_ends_has_a_difference() {
        let counters = |pairs: &[(&'static str, u64)]| {
            let mut counters = Counters::default();
            pairs.iter().for_each(|(name, value)| counters.set(name, Some(*value)));
            counters
        };
        let difference = counters(&[("a", 5), ("b", 2)]).since(&counters(&[("a", 3), ("c", 1)]));
        assert_eq!(difference, counters(&[("a", 2)]));
    }

    #[test]
    fn threads_that_share_a_database_count_its_work_once() {
        let reading = |mine, all| {
            let mut reading = EngineCounters::from([("mine", mine)]);
            reading.add(&EngineCounters::of_database([("all", all)]));
            reading
        };
        let mut sum = EngineCounters::default();
        sum.add(&reading(5, 120).since(&reading(1, 100)));
        sum.add(&reading(3, 150).since(&reading(3, 130)));
        let values: Vec<_> = sum.values().collect();
        assert_eq!(values, [("mine", 4), ("all", 50)], "from the first reading to the last one");
        assert_eq!(reading(0, 90).since(&reading(0, 100)).values().last(), Some(("all", 0)), "never negative");
    }
}
