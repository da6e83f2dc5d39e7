//! Files that are written from the screens.

use crate::tune::Ledger;

/// What a file is to hold.
#[derive(Debug)]
pub enum Content {
    /// This text.
    Text(String),
    /// A comparison, in the format of the file's ending.
    Comparison(Box<crate::compare::Comparison>),
    /// A ledger, in the format of the file's ending, with the command that shows it.
    Ledger(Box<Ledger>, String),
    /// Results that a selection means, in the format of the file's ending.
    Results(String),
}
