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

    /// Returns how far each counter has advanced since `earlier`. Counters that are unknown in either reading are left out.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let difference = |(name, now): (&Cow<'static, str>, &u64)| {
            earlier.0.get(name).map(|then| (name.clone(), now.saturating_sub(*then)))
        };
        Self(self.0.iter().filter_map(difference).collect())
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
}
