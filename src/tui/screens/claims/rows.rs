//! The rows of a publication that is open, narrowed by the filter.

use crate::claims::{ClaimsTable, JudgedClaim, JudgedComparison};

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

/// The rows whose claim or comparison contains a text.
pub(crate) fn claim_rows<'c>(table: &'c ClaimsTable, filter: &str) -> Vec<ClaimRow<'c>> {
    let filter = filter.to_lowercase();
    let matches = |text: &str| text.to_lowercase().contains(&filter);
    let mut rows = Vec::new();
    for comparison in &table.comparisons {
        let whole = matches(&comparison.title);
        let mut claims = comparison.rows.iter().filter(|claim| whole || matches(&claim_name(claim))).peekable();
        if claims.peek().is_some() {
            rows.push(ClaimRow::Title(comparison));
        }
        rows.extend(claims.map(|claim| ClaimRow::Claim(comparison, claim)));
    }
    rows
}
