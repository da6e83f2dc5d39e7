//! Rows that a program keeps from one statement for another, as an application does.

use dbdyno_engine::{sql::SqlValue, suite::Parameter};

/// The rows that were kept last, by their names.
#[derive(Debug, Clone, Default)]
pub(super) struct KeptRows<'e>(Vec<(&'e str, Vec<SqlValue>)>);

impl<'e> KeptRows<'e> {
    /// Returns the row of a name, without the values of the one that was kept before.
    pub(super) fn emptied(&mut self, name: &'e str) -> &mut Vec<SqlValue> {
        let at = self.0.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            self.0.push((name, Vec::new()));
            self.0.len() - 1
        });
        let (_, row) = &mut self.0[at];
        row.clear();
        row
    }

    /// Puts the values of kept rows into their places among those of a statement; NULL if there is none.
    pub(super) fn bind(&self, parameters: &[Parameter], values: &mut [SqlValue]) {
        for (value, parameter) in values.iter_mut().zip(parameters) {
            if let Parameter::Kept { kept, column } = parameter {
                let row = self.0.iter().find(|(known, _)| known == kept).map(|(_, row)| row);
                *value = row.and_then(|row| row.get(*column)).cloned().unwrap_or(SqlValue::Null);
            }
        }
    }
}
