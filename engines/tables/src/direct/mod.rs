//! The layer `direct`: runs a suite's plans on the store as a program without SQL would.

mod average;
mod filter;
mod run;

use self::filter::Filter;
use super::{definition::TableDefinition, row::RowValues, tables::Tables};
use dbdyno_engine::{
    EngineError,
    names::one_of,
    ordered::OrderedStore,
    sql::{SqlRow, SqlValue, SqlValueRef},
    suite::{DirectPlan, StatementSpec, TableSpec},
};
use std::rc::Rc;

/// A plan, with the tables that it names after they were looked up.
pub(super) struct ResolvedPlan<'e> {
    plan: &'e DirectPlan,
    /// The catalog's version when the tables were looked up.
    version: Option<u64>,
    tables: Vec<Rc<TableDefinition>>,
}

impl<'e> ResolvedPlan<'e> {
    pub(super) fn new(statement: &'e StatementSpec) -> Result<Self, EngineError> {
        let plan = statement.direct.as_ref().ok_or_else(|| {
            EngineError::new(format!("`{}` has no direct plan: the suite needs layer=sql", statement.sql))
        })?;
        Ok(Self { plan, version: None, tables: Vec::new() })
    }

    #[inline]
    fn look_up<S: OrderedStore>(&mut self, tables: &Tables<S>) -> Result<(), EngineError> {
        let version = tables.catalog.version();
        if self.version != Some(version) {
            let found = self.plan.tables().into_iter().map(|name| tables.catalog.table(name).map(Rc::clone));
            self.tables = found.collect::<Result<_, _>>()?;
            self.version = Some(version);
        }
        Ok(())
    }

    /// Runs a plan that changes rows, and returns their number.
    #[inline]
    pub(super) fn execute<S: OrderedStore>(
        &mut self,
        tables: &mut Tables<S>,
        values: &[SqlValue],
    ) -> Result<u64, EngineError> {
        self.look_up(tables)?;
        let done = match self.plan {
            DirectPlan::Insert { .. } => run::insert(tables, &self.tables[0], values),
            DirectPlan::Copy { .. } => run::copy(tables, &self.tables[0], &self.tables[1]),
            DirectPlan::Update { set, condition, .. } => {
                let table = &self.tables[0];
                Filter::new(table, condition, values)
                    .and_then(|filter| run::update(tables, table, &filter, set, values))
            }
            DirectPlan::Delete { condition, .. } => {
                let table = &self.tables[0];
                Filter::new(table, condition, values).and_then(|filter| run::delete(tables, table, &filter))
            }
            DirectPlan::Read { .. }
            | DirectPlan::CountAverage { .. }
            | DirectPlan::CreateTable { .. }
            | DirectPlan::Begin
            | DirectPlan::Rollback => Err(EngineError::new("a write has a direct plan that changes no rows")),
        };
        if let Err(error) = &done {
            tables.spoil(error);
        }
        done
    }

    /// Runs a plan that reads.
    #[inline]
    pub(super) fn query<S: OrderedStore>(
        &mut self,
        tables: &mut Tables<S>,
        values: &[SqlValue],
        mut visit: impl FnMut(&DirectRow<'_>),
    ) -> Result<(), EngineError> {
        self.look_up(tables)?;
        let table = self.tables.first().map(Rc::clone);
        match (self.plan, table) {
            (DirectPlan::Read { condition, limit, .. }, Some(table)) => {
                let filter = Filter::new(&table, condition, values)?;
                run::read(tables, &table, &filter, limit.unwrap_or(u64::MAX), visit)
            }
            (DirectPlan::CountAverage { column, condition, .. }, Some(table)) => {
                let filter = Filter::new(&table, condition, values)?;
                let (count, average) = run::count_average(tables, &table, table.column(column)?, &filter)?;
                visit(&DirectRow::Values(&[
                    SqlValueRef::Integer(count),
                    average.map_or(SqlValueRef::Null, SqlValueRef::Real),
                ]));
                Ok(())
            }
            _ => Err(EngineError::new("a read has a direct plan that changes rows")),
        }
    }

    /// Returns how it finds its rows, in steps. Empty if it has none to find.
    pub(super) fn steps<S: OrderedStore>(
        &mut self,
        tables: &Tables<S>,
        values: &[SqlValue],
    ) -> Result<Vec<String>, EngineError> {
        self.look_up(tables)?;
        let Some(table) = self.tables.first() else { return Ok(Vec::new()) };
        let step = match self.plan {
            DirectPlan::Copy { .. } => run::step(tables, table, &Filter::All, false),
            DirectPlan::Read { condition, .. } => {
                run::step(tables, table, &Filter::new(table, condition, values)?, false)
            }
            DirectPlan::CountAverage { column, condition, .. } => {
                let filter = Filter::new(table, condition, values)?;
                run::step(tables, table, &filter, filter.column() == Some(table.column(column)?))
            }
            DirectPlan::Update { condition, .. } | DirectPlan::Delete { condition, .. } => {
                run::step(tables, table, &Filter::new(table, condition, values)?, true)
            }
            DirectPlan::Insert { .. } | DirectPlan::CreateTable { .. } | DirectPlan::Begin | DirectPlan::Rollback => {
                return Ok(Vec::new());
            }
        };
        Ok(vec![step])
    }
}

/// The first words of statements that have no effect without SQL.
const MEANINGLESS: [&str; 6] = ["PRAGMA", "VACUUM", "ANALYZE", "REINDEX", "ATTACH", "DETACH"];

/// Runs the plan of a statement that neither changes nor reads rows.
pub(super) fn run<S: OrderedStore>(
    tables: &mut Tables<S>,
    sql: &str,
    plan: Option<&DirectPlan>,
    declared: &[TableSpec],
) -> Result<(), EngineError> {
    let word = sql.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
    match plan {
        None if MEANINGLESS.contains(&word.as_str()) => Ok(()),
        None => {
            let expected = one_of(&MEANINGLESS);
            Err(EngineError::new(format!("`{sql}` has no direct plan: expected one, or a statement with {expected}")))
        }
        Some(DirectPlan::CreateTable { table }) => {
            let spec = declared.iter().find(|spec| spec.name == *table);
            tables.create_table(spec.ok_or_else(|| EngineError::new(format!("table `{table}` is not declared")))?)
        }
        Some(DirectPlan::Begin) => tables.begin(true),
        Some(DirectPlan::Rollback) => tables.rollback(),
        Some(_) => Err(EngineError::new("a `run` step has a direct plan about rows")),
    }
}

pub(super) enum DirectRow<'r> {
    /// The stored bytes, and the number of columns.
    Stored(&'r [u8], usize),
    /// Computed values.
    Values(&'r [SqlValueRef<'r>]),
}

impl SqlRow for DirectRow<'_> {
    #[inline]
    fn columns(&self) -> usize {
        match self {
            Self::Stored(_, columns) => *columns,
            Self::Values(values) => values.len(),
        }
    }

    #[inline]
    fn value(&self, column: usize) -> SqlValueRef<'_> {
        match self {
            Self::Stored(row, _) => RowValues(row).nth(column).flatten().unwrap_or(SqlValueRef::Null),
            Self::Values(values) => values[column],
        }
    }
}
