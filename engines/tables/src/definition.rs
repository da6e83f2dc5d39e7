//! Tables and indexes in the store's catalog: tree 0 has a JSON object for each table under its name.

use super::{
    affinity::Affinity,
    rowsum::{CHANGED, Rowsum},
};
use dbdyno_engine::{
    EngineError,
    ordered::{Direction, Keys, OrderedRead, OrderedWrite, Tree},
    suite::{ColumnSpec, IndexSpec, TableSpec},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, ops::ControlFlow, rc::Rc};

const CATALOG: Tree = Tree(0);
/// Constraints that a declared type may contain, and that this layer does not enforce.
const CONSTRAINTS: [&str; 8] = ["NOT", "NULL", "PRIMARY", "UNIQUE", "DEFAULT", "CHECK", "REFERENCES", "COLLATE"];

/// A table with its indexes.
#[derive(Debug, Clone)]
pub(super) struct TableDefinition {
    pub(super) name: String,
    /// The context that the checksums of its rows cover.
    pub(super) sealed_as: String,
    pub(super) tree: Tree,
    pub(super) columns: Vec<ColumnDefinition>,
    pub(super) indexes: Vec<IndexDefinition>,
}

#[derive(Debug, Clone)]
pub(super) struct ColumnDefinition {
    pub(super) name: String,
    pub(super) declared: String,
    pub(super) affinity: Affinity,
}

#[derive(Debug, Clone)]
pub(super) struct IndexDefinition {
    pub(super) name: String,
    /// The context that the checksums of its entries cover.
    pub(super) sealed_as: String,
    pub(super) tree: Tree,
    pub(super) column: usize,
}

impl IndexDefinition {
    fn new(table: &str, name: String, tree: Tree, column: usize) -> Self {
        // Names contain no zero byte, so no table's row can pass as another's index entry.
        Self { sealed_as: format!("entry\0{table}\0{name}\0"), name, tree, column }
    }
}

impl TableDefinition {
    fn new(name: String, tree: Tree, columns: Vec<ColumnDefinition>) -> Self {
        Self { sealed_as: format!("row\0{name}\0"), name, tree, columns, indexes: Vec::new() }
    }

    pub(super) fn column(&self, name: &str) -> Result<usize, EngineError> {
        let found = self.columns.iter().position(|column| column.name == name);
        found.ok_or_else(|| EngineError::new(format!("table `{}` has no column `{name}`", self.name)))
    }

    /// Returns the position of an index on a column.
    pub(super) fn index_on(&self, column: usize) -> Option<usize> {
        self.indexes.iter().position(|index| index.column == column)
    }

    fn trees(&self) -> impl Iterator<Item = Tree> {
        std::iter::once(self.tree).chain(self.indexes.iter().map(|index| index.tree))
    }
}

/// The context that the checksums of the catalog's own entries cover.
const SEALED_AS: &[u8] = b"table\0";

#[derive(Debug)]
pub(super) struct TableCatalog {
    rowsum: Rowsum,
    tables: BTreeMap<String, Rc<TableDefinition>>,
    /// Increases with every change of a table, so that earlier look-ups are repeated.
    version: u64,
}

/// Returns the number of trees for the tables, the indexes and the catalog of a suite.
pub(super) fn trees(tables: &[TableSpec], indexes: &[IndexSpec]) -> Result<u16, EngineError> {
    u16::try_from(1 + tables.len() + indexes.len())
        .map_err(|_| EngineError::new("a suite has at most 65534 tables and indexes on a key-value engine"))
}

impl TableCatalog {
    pub(super) fn new(rowsum: Rowsum) -> Self {
        Self { rowsum, tables: BTreeMap::new(), version: 0 }
    }

    /// Reloads the catalog, and increases its version.
    pub(super) fn load(&mut self, read: &impl OrderedRead) -> Result<(), EngineError> {
        let mut tables = BTreeMap::new();
        let mut wrong = None;
        read.range(CATALOG, Keys::ALL, Direction::Up, |key, value| {
            let name = String::from_utf8_lossy(key).into_owned();
            let found = self.rowsum.open(SEALED_AS, key, value).ok_or_else(|| CHANGED.to_owned());
            match found.and_then(|json| serde_json::from_slice::<CatalogEntry>(json).map_err(|error| error.to_string()))
            {
                Ok(stored) => {
                    tables.insert(name.clone(), Rc::new(stored.into_table(name)));
                    ControlFlow::Continue(())
                }
                Err(what) => {
                    wrong = Some(format!("the catalog's entry `{name}` {what}"));
                    ControlFlow::Break(())
                }
            }
        })?;
        if let Some(message) = wrong {
            return Err(EngineError::fatal(message));
        }
        self.tables = tables;
        self.version += 1;
        Ok(())
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    pub(super) fn table(&self, name: &str) -> Result<&Rc<TableDefinition>, EngineError> {
        self.tables.get(name).ok_or_else(|| EngineError::new(format!("there is no table `{name}`")))
    }

    pub(super) fn tables(&self) -> impl Iterator<Item = &Rc<TableDefinition>> {
        self.tables.values()
    }

    /// Creates a table in a free tree of `trees`.
    pub(super) fn create_table(
        &mut self,
        write: &mut impl OrderedWrite,
        spec: &TableSpec,
        trees: u16,
    ) -> Result<(), EngineError> {
        if self.tables.contains_key(&spec.name) {
            return Err(EngineError::new(format!("table `{}` already exists", spec.name)));
        }
        let tree = self.free_tree(trees)?;
        let columns = spec.columns.iter().map(column).collect::<Result<_, _>>()?;
        self.put(write, TableDefinition::new(spec.name.clone(), tree, columns))
    }

    /// Adds an empty index to a table, and returns its position among the table's indexes.
    pub(super) fn create_index(
        &mut self,
        write: &mut impl OrderedWrite,
        spec: &IndexSpec,
        trees: u16,
    ) -> Result<usize, EngineError> {
        let tree = self.free_tree(trees)?;
        let mut table = TableDefinition::clone(self.table(&spec.table)?);
        if table.indexes.iter().any(|index| index.name == spec.name) {
            return Err(EngineError::new(format!("index `{}` already exists", spec.name)));
        }
        let column = table.column(&spec.column)?;
        table.indexes.push(IndexDefinition::new(&table.name, spec.name.clone(), tree, column));
        let place = table.indexes.len() - 1;
        self.put(write, table)?;
        Ok(place)
    }

    /// Drops a table with its indexes, which empties and frees their trees.
    pub(super) fn drop_table(&mut self, write: &mut impl OrderedWrite, name: &str) -> Result<(), EngineError> {
        let table = Rc::clone(self.table(name)?);
        for tree in table.trees() {
            write.clear(tree)?;
        }
        write.delete(CATALOG, name.as_bytes())?;
        self.tables.remove(name);
        self.version += 1;
        Ok(())
    }

    fn put(&mut self, write: &mut impl OrderedWrite, table: TableDefinition) -> Result<(), EngineError> {
        let mut entry =
            serde_json::to_vec(&CatalogEntry::from_table(&table)).map_err(EngineError::doing("writing the catalog"))?;
        self.rowsum.seal(SEALED_AS, table.name.as_bytes(), &mut entry);
        write.put(CATALOG, table.name.as_bytes(), &entry)?;
        self.tables.insert(table.name.clone(), Rc::new(table));
        self.version += 1;
        Ok(())
    }

    fn free_tree(&self, trees: u16) -> Result<Tree, EngineError> {
        let taken = |tree: &Tree| self.tables.values().any(|table| table.trees().any(|other| other == *tree));
        let free = (CATALOG.0 + 1..trees).map(Tree).find(|tree| !taken(tree));
        free.ok_or_else(|| EngineError::new(format!("all {trees} trees of the store are in use")))
    }
}

fn column(spec: &ColumnSpec) -> Result<ColumnDefinition, EngineError> {
    let words = spec.of_type.to_ascii_uppercase();
    if let Some(word) = words.split(|c: char| !c.is_alphanumeric()).find(|word| CONSTRAINTS.contains(word)) {
        return Err(EngineError::new(format!(
            "column `{}`: `{word}` in its type is a constraint, which tables on a key-value engine do not enforce",
            spec.name
        )));
    }
    Ok(ColumnDefinition {
        name: spec.name.clone(),
        declared: spec.of_type.clone(),
        affinity: Affinity::from_declared(&spec.of_type),
    })
}

/// A table in the form that the catalog stores.
#[derive(Serialize, Deserialize)]
struct CatalogEntry {
    tree: u16,
    /// Name and declared type.
    columns: Vec<(String, String)>,
    /// Name, tree and column.
    indexes: Vec<(String, u16, usize)>,
}

impl CatalogEntry {
    fn from_table(table: &TableDefinition) -> Self {
        Self {
            tree: table.tree.0,
            columns: table.columns.iter().map(|column| (column.name.clone(), column.declared.clone())).collect(),
            indexes: table.indexes.iter().map(|index| (index.name.clone(), index.tree.0, index.column)).collect(),
        }
    }

    fn into_table(self, name: String) -> TableDefinition {
        let columns = self.columns.into_iter().map(|(name, declared)| ColumnDefinition {
            name,
            affinity: Affinity::from_declared(&declared),
            declared,
        });
        let mut table = TableDefinition::new(name, Tree(self.tree), columns.collect());
        let indexes = self.indexes.into_iter();
        table.indexes =
            indexes.map(|(name, tree, column)| IndexDefinition::new(&table.name, name, Tree(tree), column)).collect();
        table
    }
}
