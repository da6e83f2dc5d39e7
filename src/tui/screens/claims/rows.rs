//! The rows of a publication that is open, narrowed by the filter.

use crate::tui::filter::ListFilter;
use dbdyno_comparing::claims::{ClaimsTable, JudgedClaim, JudgedComparison};
use dbdyno_store::SelectableRow;

/// The keys that a claim has.
pub(super) const CLAIM_KEYS: &[&str] = &["test", "test_name"];

/// A row. The title of a comparison cannot be under the cursor.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ClaimRow<'c> {
    /// A comparison begins.
    Title(&'c JudgedComparison),
    /// A claim, with the comparison that it is part of.
    Claim(&'c JudgedComparison, &'c JudgedClaim),
}

/// `2 Random reads`, or the name where the test is told by it.
pub(crate) fn claim_name(claim: &JudgedClaim) -> String {
    if claim.test == claim.name { claim.name.clone() } else { format!("{} {}", claim.test, claim.name) }
}

/// The rows that a filter means; words are looked for in the title of the comparison too.
pub(crate) fn claim_rows<'c>(table: &'c ClaimsTable, filter: &ListFilter) -> Vec<ClaimRow<'c>> {
    let mut rows = Vec::new();
    for comparison in &table.comparisons {
        let row = |claim: &JudgedClaim| SelectableRow {
            text: format!("{} {}", comparison.title, claim_name(claim)),
            values: vec![("test", claim.test.clone()), ("test", claim.name.clone()), ("test_name", claim.name.clone())],
        };
        let mut claims = comparison.rows.iter().filter(|claim| filter.means(&row(claim))).peekable();
        if claims.peek().is_some() {
            rows.push(ClaimRow::Title(comparison));
        }
        rows.extend(claims.map(|claim| ClaimRow::Claim(comparison, claim)));
    }
    rows
}
