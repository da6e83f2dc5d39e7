//! The rows of the open publication, narrowed by the filter.

use crate::tui::filter::ListFilter;
use dbdyno_comparing::claims::{ClaimsTable, JudgedClaim, JudgedComparison};
use dbdyno_store::SelectableRow;

/// The filter keys of a claim.
pub(super) const CLAIM_KEYS: &[&str] = &["test", "test_name"];

/// A row. The title of a comparison cannot be under the cursor.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ClaimRow<'c> {
    /// The first row of a comparison.
    Title(&'c JudgedComparison),
    /// A claim, with the comparison it belongs to.
    Claim(&'c JudgedComparison, &'c JudgedClaim),
}

/// `2 Random reads`, or only the name if it identifies the test.
pub(crate) fn claim_name(claim: &JudgedClaim) -> String {
    if claim.test == claim.name { claim.name.clone() } else { format!("{} {}", claim.test, claim.name) }
}

/// Returns the rows that match a filter; words are also searched in the comparison's title.
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
