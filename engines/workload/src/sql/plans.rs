//! How an engine finds the rows of a test's statements. It is asked after the test, outside the timer.

use super::{
    inputs,
    program::{BoundStatement, Node, TestProgram},
};
use crate::rng::SplitMix64;
use dbdyno_engine::{
    EngineError,
    protocol::{MOST_PLANS, PlannedQuery},
    sql::{SqlSession, SqlValue},
    suite::{SqlLoad, SqlSuite, SqlTest, Step, THREAD, Variables},
};
use std::collections::{BTreeMap, BTreeSet};

/// The plans of a test's statements. Statements whose plan the engine does not tell are not in it.
#[derive(Debug, Default)]
pub(super) struct TestPlans<'e> {
    /// The plan of the first statement under each name.
    pub(super) named: BTreeMap<&'e str, Vec<String>>,
    /// The plans of statements without a name, in the order of the steps.
    pub(super) others: Vec<PlannedQuery>,
}

impl<'e> TestPlans<'e> {
    /// Asks the session of a test that has ended. Tests that are not measured have no plans.
    ///
    /// # Errors
    /// A step names something that the suite does not declare.
    pub(super) fn ask<'s, S: SqlSession<'s>>(
        session: &mut S,
        suite: &'e SqlSuite,
        test: &'e SqlTest,
    ) -> Result<Self, EngineError> {
        if !test.measured {
            return Ok(Self::default());
        }
        let parts: Vec<(&[Step], Variables<'e>)> = match &test.load {
            SqlLoad::Alone { steps } => vec![(steps, Variables::new())],
            SqlLoad::Actors { actors } => {
                let first_thread = |steps| (steps, Variables::from([(THREAD, 0)]));
                actors.iter().map(|actor| first_thread(actor.steps.as_slice())).collect()
            }
            SqlLoad::Replay { .. } => Vec::new(),
        };
        let mut walk = PlanWalk { session, seen: BTreeSet::new(), values: Vec::new(), plans: TestPlans::default() };
        for (steps, mut variables) in parts {
            let program = TestProgram::compile(suite, steps)?;
            walk.nodes(&program, &program.nodes, &mut variables);
        }
        Ok(walk.plans)
    }
}

/// A walk through the statements of a test.
struct PlanWalk<'a, 'e, S> {
    session: &'a mut S,
    /// The texts without a name that were asked for.
    seen: BTreeSet<&'e str>,
    values: Vec<SqlValue>,
    plans: TestPlans<'e>,
}

impl<'s, 'e, S: SqlSession<'s>> PlanWalk<'_, 'e, S> {
    fn nodes(&mut self, program: &TestProgram<'e>, nodes: &[Node<'e>], variables: &mut Variables<'e>) {
        for node in nodes {
            match node {
                Node::Statement(statement) => self.statement(program, statement, variables),
                // The values of the first repetition.
                Node::Repeat { count: 1.., variable, from, nodes } => {
                    let start = from.value(variables);
                    variables.push((variable, start));
                    self.nodes(program, nodes, variables);
                    variables.pop();
                }
                Node::Transaction { nodes, .. } => self.nodes(program, nodes, variables),
                Node::Mix { choices, .. } => {
                    choices.iter().for_each(|(_, nodes)| self.nodes(program, nodes, variables));
                }
                Node::Do(..) | Node::Repeat { .. } => {}
            }
        }
    }

    fn statement(&mut self, program: &TestProgram<'e>, statement: &BoundStatement<'e>, variables: &mut Variables<'e>) {
        let spec = statement.spec;
        let is_known = match spec.name.as_deref() {
            Some(name) => self.plans.named.contains_key(name),
            None => self.plans.others.len() >= MOST_PLANS || !self.seen.insert(&spec.sql),
        };
        if is_known {
            return;
        }
        self.values.clear();
        self.values.resize(spec.bind.len(), SqlValue::Null);
        // The same values in every run, so that plans that depend on them are too.
        let mut rng = SplitMix64::new(0);
        inputs::fill(&mut self.values, spec, &program.draws[statement.slot], variables, &mut rng);
        // A test may have dropped the statement's tables.
        let plan = self.session.plan(spec, &self.values).unwrap_or_default();
        match spec.name.as_deref() {
            Some(name) => {
                self.plans.named.insert(name, plan);
            }
            None if plan.is_empty() => {}
            None => self.plans.others.push(PlannedQuery { statement: spec.sql.clone(), plan }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::{
        sql::{SqlRow, SqlValueRef, TableSchema},
        suite::{Begin, DirectPlan, IndexSpec, StatementSpec, TableSpec},
    };

    /// A session that has only plans: of statements that read, with their values.
    struct PlansOnly;

    struct NoRow;

    impl SqlRow for NoRow {
        fn columns(&self) -> usize {
            0
        }

        fn value(&self, _: usize) -> SqlValueRef<'_> {
            SqlValueRef::Null
        }
    }

    impl<'e> SqlSession<'e> for PlansOnly {
        type Statement = ();
        type Row<'r> = NoRow;

        fn plan(&mut self, statement: &StatementSpec, values: &[SqlValue]) -> Result<Vec<String>, EngineError> {
            match statement.sql.split(' ').next() {
                Some("SELECT") => Ok(vec![format!("finds {values:?}")]),
                Some("INSERT") => Ok(Vec::new()),
                _ => Err(EngineError::new("no such table")),
            }
        }

        fn create_table(&mut self, _: &'e TableSpec) -> Result<(), EngineError> {
            unreachable!()
        }

        fn create_index(&mut self, _: &'e IndexSpec) -> Result<(), EngineError> {
            unreachable!()
        }

        fn drop_table(&mut self, _: &'e TableSpec) -> Result<(), EngineError> {
            unreachable!()
        }

        fn schema(&mut self, _: &TableSpec) -> Result<Option<TableSchema>, EngineError> {
            unreachable!()
        }

        fn begin(&mut self, _: Begin) -> Result<(), EngineError> {
            unreachable!()
        }

        fn commit(&mut self) -> Result<(), EngineError> {
            unreachable!()
        }

        fn rollback(&mut self) -> Result<(), EngineError> {
            unreachable!()
        }

        fn run(&mut self, _: &'e str, _: Option<&'e DirectPlan>) -> Result<(), EngineError> {
            unreachable!()
        }

        fn prepare(&mut self, _: &'e StatementSpec) -> Result<(), EngineError> {
            unreachable!()
        }

        fn execute(&mut self, (): &mut (), _: &[SqlValue]) -> Result<u64, EngineError> {
            unreachable!()
        }

        fn query(&mut self, (): &mut (), _: &[SqlValue], _: impl FnMut(&NoRow)) -> Result<(), EngineError> {
            unreachable!()
        }
    }

    /// Asks for the plans of a test with these steps.
    fn asked(steps: &str, measured: bool) -> (BTreeMap<String, Vec<String>>, Vec<PlannedQuery>) {
        let test = format!(r#"{{"number": 1, "name": "t", "measured": {measured}, "steps": {steps}}}"#);
        let suite = format!(r#"{{"name": "s", "data_bytes": 1, "tables": [], "indexes": [], "tests": [{test}]}}"#);
        let suite: SqlSuite = serde_json::from_str(&suite).unwrap();
        let plans = TestPlans::ask(&mut PlansOnly, &suite, &suite.tests[0]).unwrap();
        (plans.named.into_iter().map(|(name, plan)| (name.to_owned(), plan)).collect(), plans.others)
    }

    #[test]
    fn each_statement_is_asked_about_once_with_the_values_of_its_first_execution() {
        let steps = r#"[
            {"write": "INSERT INTO t VALUES (?1)", "bind": [1]},
            {"repeat": 3, "from": 5, "steps": [{"transaction": [
                {"read": "SELECT a WHERE a = ?1", "bind": [["*", 2, "i"]]},
                {"read": "SELECT b", "name": "by b"},
                {"read": "SELECT c", "name": "by b"}
            ]}]},
            {"repeat": 0, "steps": [{"read": "SELECT never"}]},
            {"write": "DELETE FROM dropped"},
            {"mix": [{"weight": 1, "steps": [{"read": "SELECT a WHERE a = ?1", "bind": [1]}, {"read": "SELECT d"}]}]}
        ]"#;
        let planned =
            |statement: &str, plan: &str| PlannedQuery { statement: statement.to_owned(), plan: vec![plan.to_owned()] };
        let (named, others) = asked(steps, true);
        assert_eq!(others, [planned("SELECT a WHERE a = ?1", "finds [Integer(10)]"), planned("SELECT d", "finds []")]);
        assert_eq!(named, BTreeMap::from([("by b".to_owned(), vec!["finds []".to_owned()])]));
        assert_eq!(asked(steps, false), (BTreeMap::new(), Vec::new()), "only measured tests have plans");
    }

    #[test]
    fn a_test_has_no_more_plans_than_are_sent() {
        let steps: Vec<String> = (0..100).map(|number| format!(r#"{{"read": "SELECT {number}"}}"#)).collect();
        let (_, others) = asked(&format!("[{}]", steps.join(",")), true);
        assert_eq!(others.len(), MOST_PLANS);
        assert_eq!(others[15].statement, "SELECT 15", "the first ones");
    }
}
