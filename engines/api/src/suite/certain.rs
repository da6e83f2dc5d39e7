//! Properties of a job's answers that are known before any engine runs: which answers are the same in any order of threads, and which
//! reads must find a row.

use super::{
    KeyChoice, KvActor, KvActors, KvLoad, KvSuite, KvTest, KvWork, NumberSource, Operation, SqlTest, Step, Template,
    Variable,
};

impl KvSuite {
    /// Whether every engine must give the same answers in a test: its inputs are fixed, and nothing that its threads read depends on the
    /// order in which threads work.
    pub fn has_fixed_answers(&self, test: &KvTest) -> bool {
        let own = match &test.load {
            KvLoad::Actors(load) => load.has_fixed_answers(),
            KvLoad::Alone(_) | KvLoad::Compaction(_) => true,
        };
        own && self.before(test).all(|earlier| match &earlier.load {
            KvLoad::Actors(load) => load.leaves_fixed_content(),
            KvLoad::Alone(_) | KvLoad::Compaction(_) => true,
        })
    }

    /// Whether each read of a record finds it: an earlier test has put every record, and no test deletes any.
    pub fn holds_every_record(&self, test: &KvTest) -> bool {
        let is_certain =
            |work: &KvWork| !matches!(work.keys, KeyChoice::Latest | KeyChoice::Recorded) && !work.deletes();
        test.key.is_of_record()
            && self.before(test).any(|earlier| earlier.key == test.key && earlier.puts_every_record_of(test))
            && self.before(test).all(|earlier| !earlier.works().into_iter().any(KvWork::deletes))
            && test.works().into_iter().all(is_certain)
    }

    /// Iterates over the earlier tests that work on the database of a test.
    fn before<'s>(&'s self, test: &'s KvTest) -> impl Iterator<Item = &'s KvTest> {
        let earlier = self.tests.iter().take_while(|earlier| earlier.number != test.number);
        earlier.filter(|earlier| earlier.database == test.database)
    }
}

impl KvTest {
    /// Whether all its operations are reads.
    pub fn only_reads(&self) -> bool {
        let works = self.works();
        !works.is_empty() && !works.into_iter().any(KvWork::writes)
    }

    fn puts_every_record_of(&self, other: &Self) -> bool {
        let KvLoad::Alone(alone) = &self.load else { return false };
        let [only] = alone.work.work.as_slice() else { return false };
        matches!(only.operation, Operation::Put { .. })
            && matches!(alone.work.keys, KeyChoice::Ascending | KeyChoice::Shuffled)
            && alone.operations.min(self.records) >= other.records
    }
}

impl SqlTest {
    /// Whether all its steps are reads.
    pub fn only_reads(&self) -> bool {
        self.steps().all(Step::only_reads)
    }
}

impl Step {
    fn only_reads(&self) -> bool {
        match self {
            Self::Read(_) => true,
            Self::Repeat { .. } | Self::Transaction { .. } | Self::Mix(_) => {
                self.inner().into_iter().all(Self::only_reads)
            }
            _ => false,
        }
    }
}

impl KvActors {
    /// Whether the rows that threads read are certain: each thread does a number of operations, and none writes rows that another may
    /// read.
    fn has_fixed_answers(&self) -> bool {
        if self.is_recorded() {
            return true;
        }
        let writes = self.acting().any(|actor| actor.work.writes());
        let is_fixed = |operation: &Operation| match operation {
            Operation::Get | Operation::Miss | Operation::Exists | Operation::Insert { .. } => true,
            Operation::Scan | Operation::Range { .. } | Operation::Audit { .. } => !writes,
            Operation::Put { .. }
            | Operation::Delete
            | Operation::Remove
            | Operation::Modify { .. }
            | Operation::Transfer { .. }
            | Operation::Hold => false,
        };
        let operations = |actor: &KvActor| actor.work.work.iter().all(|work| is_fixed(&work.operation));
        self.is_counted(|_| true) && self.acting().all(operations)
    }

    /// Whether the database has the same rows afterwards, in any order of its threads.
    fn leaves_fixed_content(&self) -> bool {
        if self.is_recorded() {
            return true;
        }
        let only_inserts = |actor: &KvActor| {
            let mut writes = actor.work.work.iter().map(|work| &work.operation).filter(|operation| operation.writes());
            writes.all(|operation| matches!(operation, Operation::Insert { .. }))
        };
        self.is_counted(|actor| actor.work.writes()) && self.acting().all(only_inserts)
    }

    /// Whether actors of a kind do as many operations as they are asked for, starting with their first input.
    fn is_counted(&self, is_of_kind: impl Fn(&KvActor) -> bool) -> bool {
        let is_counted = |actor: &KvActor| {
            actor.operations.is_some() && actor.during.is_none() && self.time_ms.is_none() && self.warm_up_ms == 0
        };
        self.acting().filter(|actor| is_of_kind(actor)).all(is_counted)
    }

    /// Whether it has operations, and all of them are recorded. Each key has one thread, and operations that read several keys run in the
    /// only thread.
    pub(super) fn is_recorded(&self) -> bool {
        self.acting().next().is_some() && self.acting().all(|actor| actor.work.keys == KeyChoice::Recorded)
    }

    pub(super) fn acting(&self) -> impl Iterator<Item = &KvActor> {
        self.actors.iter().filter(|actor| actor.threads > 0)
    }
}

impl KvWork {
    fn deletes(&self) -> bool {
        self.work.iter().any(|work| matches!(work.operation, Operation::Delete | Operation::Remove))
    }

    /// Returns the most rows that one of its operations reads, finds, writes or removes. `None` if that depends on the stored data.
    pub fn most_rows(&self) -> Option<u64> {
        self.work.iter().try_fold(0, |most, work| Some(work.operation.most_rows()?.max(most)))
    }
}

impl Operation {
    fn most_rows(&self) -> Option<u64> {
        match self {
            Self::Get
            | Self::Miss
            | Self::Put { .. }
            | Self::Delete
            | Self::Remove
            | Self::Exists
            | Self::Insert { .. }
            | Self::Modify { .. }
            // Each row of a scan is an operation.
            | Self::Scan => Some(1),
            Self::Transfer { .. } => Some(2),
            Self::Range { most, .. } => Some(*most),
            Self::Audit { accounts } => *accounts,
            Self::Hold => None,
        }
    }
}

impl Template {
    /// Whether the rendered text follows from the record's index.
    fn is_of_record(&self) -> bool {
        self.parts().0.iter().all(|(_, variable)| match variable {
            Variable::Number(NumberSource::Key | NumberSource::Hash, _)
            | Variable::Scattered(_)
            | Variable::Uuid(..) => true,
            Variable::Number(NumberSource::Operation, _) | Variable::Random(_) => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Builds a job of two tests on one database: a load of 100 records and a second test, each with the given fields.
    fn suite(load: Value, second: Value) -> KvSuite {
        let mut first = json!({"number": 1, "name": "load", "measured": true, "database": "main", "records": 100, "key": "k{key}",
            "operations": 100, "keys": "ascending", "work": [{"weight": 1, "op": "put", "value": "v{key}"}],
            "transaction": "one", "clock_every": 1, "verify_state": false, "sql": {}});
        let mut test = json!({"number": 2, "name": "second", "measured": true, "database": "main", "records": 100, "key": "k{key}",
            "warm_up_ms": 0, "time_ms": null, "verify_state": false, "sql": {}});
        for (of, with) in [(&mut first, load), (&mut test, second)] {
            let Value::Object(with) = with else { unreachable!() };
            with.into_iter().for_each(|(name, value)| of[name.as_str()] = value);
        }
        let suite = json!({"name": "s", "data_bytes": 1, "schema": [], "tests": [first, test]});
        serde_json::from_value(suite).unwrap()
    }

    fn actor(operations: Option<u64>, keys: &str, work: Value) -> Value {
        json!({"name": "a", "threads": 2, "keys": keys, "work": [work], "transaction": "each", "arrival": null,
            "operations": operations})
    }

    fn get() -> Value {
        json!({"weight": 1, "op": "get"})
    }

    fn insert() -> Value {
        json!({"weight": 1, "op": "insert", "value": "v{key}"})
    }

    fn fixed(second: Value) -> bool {
        let suite = suite(json!({}), second);
        suite.has_fixed_answers(&suite.tests[1])
    }

    #[test]
    fn threads_that_read_what_nobody_changes_have_fixed_answers() {
        let reads = |operations| actor(operations, "uniform", get());
        assert!(fixed(json!({"actors": [reads(Some(10))]})));
        assert!(!fixed(json!({"actors": [reads(None)], "time_ms": 100})), "how many depends on the engine");
        assert!(!fixed(json!({"actors": [reads(Some(10))], "warm_up_ms": 5})), "the warm-up takes inputs");
        assert!(fixed(json!({"actors": [reads(Some(10)), actor(Some(5), "uniform", insert())]})));
        let put = json!({"weight": 1, "op": "put", "value": "v"});
        assert!(!fixed(json!({"actors": [reads(Some(10)), actor(Some(5), "uniform", put.clone())]})));
        let range = json!({"weight": 1, "op": "range", "least": 1, "most": 9});
        assert!(fixed(json!({"actors": [actor(Some(10), "uniform", range.clone())]})));
        assert!(!fixed(json!({"actors": [actor(Some(10), "uniform", range), actor(Some(5), "uniform", insert())]})));
    }

    #[test]
    fn what_threads_wrote_in_any_order_is_fixed_for_no_later_test() {
        let after = |earlier: Value| {
            let mut suite = suite(json!({}), json!({"actors": [earlier]}));
            let mut third = suite.tests[0].clone();
            third.number = 3;
            suite.tests.push(third);
            suite.has_fixed_answers(&suite.tests[2])
        };
        assert!(after(actor(None, "uniform", get())) && after(actor(Some(10), "uniform", insert())));
        assert!(!after(actor(None, "uniform", insert())));
        assert!(!after(actor(Some(10), "uniform", json!({"weight": 1, "op": "transfer", "least": 1, "most": 2}))));
    }

    #[test]
    fn records_are_there_that_were_all_put_and_never_deleted() {
        let there = |load: Value, second: Value| {
            let suite = suite(load, second);
            suite.holds_every_record(&suite.tests[1])
        };
        let reads = json!({"actors": [actor(None, "uniform", get())]});
        assert!(there(json!({}), reads.clone()));
        assert!(!there(json!({"operations": 99}), reads.clone()), "one is missing");
        assert!(!there(json!({"keys": "uniform"}), reads.clone()), "some are drawn twice");
        assert!(!there(json!({"key": "session{key}"}), reads.clone()), "reads look for others");
        assert!(!there(json!({"database": "other"}), reads.clone()));
        let deletes = json!({"actors": [actor(None, "uniform", json!({"weight": 1, "op": "delete"}))]});
        assert!(!there(json!({}), deletes));
        let random = json!({"key": "{random:8}"});
        assert!(!there(random.clone(), json!({"actors": [actor(None, "uniform", get())], "key": "{random:8}"})));
    }

    #[test]
    fn operations_have_a_number_of_rows_at_most() {
        let most = |work: Value| {
            let suite = suite(json!({}), json!({"actors": [actor(None, "uniform", work)]}));
            suite.tests[1].works()[0].most_rows()
        };
        assert_eq!(most(get()), Some(1));
        assert_eq!(most(json!({"weight": 1, "op": "range", "least": 1, "most": 9})), Some(9));
        assert_eq!(most(json!({"weight": 1, "op": "transfer", "least": 1, "most": 9})), Some(2));
        assert_eq!(most(json!({"weight": 1, "op": "audit"})), None, "as many as there are accounts");
    }
}
