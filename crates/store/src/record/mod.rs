//! The rows of the store's tables. Each struct is one table of schema.sql, and its fields are the columns (a test's figures are several
//! columns, as in the list of metrics). So a record can be stored, journaled as a line of JSON, imported and read again without a second
//! list of columns.

mod run;
mod session;
mod status;
mod test;

pub use run::{KeyRecord, OptionRecord, RunRecord};
pub use session::{HostRecord, SessionRecord, WarningRecord};
pub use status::{FailureKind, Status};
pub use test::{
    ActorRecord, ActorSlotRecord, CounterRecord, ExplainedRecord, HarnessRecord, QueryPlanRecord, ReadingRecord,
    SliceRecord, SpentRecord, TestRecord, TimelineRecord,
};

use super::{choices::ChoiceRecord, evidence::EvidenceRecord, trials::TrialRecord};
use duckdb::types::Value;
use serde::{Deserialize, Serialize};

/// A row that can be written.
pub(crate) trait Record {
    const TABLE: &'static str;

    /// Its columns, in the order of the values.
    fn columns() -> Vec<&'static str>;

    /// Returns the row's values.
    fn values(&self) -> Vec<Value>;
}

macro_rules! record {
    ($(#[$doc:meta])* $name:ident in $table:literal { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl Record for $name {
            const TABLE: &'static str = $table;

            fn columns() -> Vec<&'static str> {
                [$(<$type as StoredField>::columns(stringify!($field))),*].concat()
            }

            fn values(&self) -> Vec<Value> {
                [$(self.$field.to_values()),*].concat()
            }
        }
    };
}

pub(crate) use record;

/// Rows that are committed together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Batch {
    /// Machines.
    pub hosts: Vec<HostRecord>,
    pub sessions: Vec<SessionRecord>,
    pub runs: Vec<RunRecord>,
    pub options: Vec<OptionRecord>,
    pub keys: Vec<KeyRecord>,
    pub results: Vec<TestRecord>,
    pub actors: Vec<ActorRecord>,
    pub timelines: Vec<TimelineRecord>,
    pub slots: Vec<ActorSlotRecord>,
    pub readings: Vec<ReadingRecord>,
    pub slices: Vec<SliceRecord>,
    /// What engines counted.
    pub counters: Vec<CounterRecord>,
    pub plans: Vec<QueryPlanRecord>,
    /// Tests that were repeated to explain them.
    pub explained: Vec<ExplainedRecord>,
    pub spent: Vec<SpentRecord>,
    /// Harness costs.
    pub harness: Vec<HarnessRecord>,
    pub warnings: Vec<WarningRecord>,
    pub trials: Vec<TrialRecord>,
    /// Choices of engines.
    pub choices: Vec<ChoiceRecord>,
    /// Evidence of tiers.
    pub evidence: Vec<EvidenceRecord>,
}

impl Batch {
    /// Adds another batch, which was written later.
    pub(crate) fn extend(&mut self, other: Self) {
        let Self {
            hosts,
            sessions,
            runs,
            options,
            keys,
            results,
            actors,
            timelines,
            slots,
            readings,
            slices,
            counters,
            plans,
            explained,
            spent,
            harness,
            warnings,
            trials,
            choices,
            evidence,
        } = other;
        self.hosts.extend(hosts);
        self.sessions.extend(sessions);
        self.runs.extend(runs);
        self.options.extend(options);
        self.keys.extend(keys);
        self.results.extend(results);
        self.actors.extend(actors);
        self.timelines.extend(timelines);
        self.slots.extend(slots);
        self.readings.extend(readings);
        self.slices.extend(slices);
        self.counters.extend(counters);
        self.plans.extend(plans);
        self.explained.extend(explained);
        self.spent.extend(spent);
        self.harness.extend(harness);
        self.warnings.extend(warnings);
        self.trials.extend(trials);
        self.choices.extend(choices);
        self.evidence.extend(evidence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;
    use duckdb::Connection;

    #[test]
    fn a_record_has_every_column_of_its_table() {
        let mut connection = Connection::open_in_memory().unwrap();
        schema::create(&mut connection).unwrap();
        let columns = |table: &str| -> Vec<String> {
            let sql = "SELECT column_name FROM duckdb_columns() WHERE table_name = ? AND NOT internal ORDER BY 1";
            let mut statement = connection.prepare(sql).unwrap();
            statement.query_map([table], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
        };
        let check = |table: &str, mut of_record: Vec<&'static str>| {
            of_record.sort_unstable();
            assert_eq!(of_record, columns(table), "{table}");
        };
        check(HostRecord::TABLE, HostRecord::columns());
        check(SessionRecord::TABLE, SessionRecord::columns());
        check(RunRecord::TABLE, RunRecord::columns());
        check(OptionRecord::TABLE, OptionRecord::columns());
        check(TestRecord::TABLE, TestRecord::columns());
        check(ActorRecord::TABLE, ActorRecord::columns());
        check(TimelineRecord::TABLE, TimelineRecord::columns());
        check(ActorSlotRecord::TABLE, ActorSlotRecord::columns());
        check(ReadingRecord::TABLE, ReadingRecord::columns());
        check(SliceRecord::TABLE, SliceRecord::columns());
        check(CounterRecord::TABLE, CounterRecord::columns());
        check(QueryPlanRecord::TABLE, QueryPlanRecord::columns());
        check(ExplainedRecord::TABLE, ExplainedRecord::columns());
        check(SpentRecord::TABLE, SpentRecord::columns());
        check(HarnessRecord::TABLE, HarnessRecord::columns());
        check(KeyRecord::TABLE, KeyRecord::columns());
        check(WarningRecord::TABLE, WarningRecord::columns());
        check(TrialRecord::TABLE, TrialRecord::columns());
    }
}
