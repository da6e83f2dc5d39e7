use super::error::{NoAnswer, at_least, finite};

/// If the part of a column that the previous columns do not explain is below this share of it, the column counts as a sum of them.
const DEPENDENT: f64 = 1e-9;

/// The result of a least-squares fit: the residual, and the number of independent columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// The sum of the squares of what the columns do not explain, in the unit of `y` squared.
    pub residual: f64,
    /// The number of columns that are independent of the previous ones.
    pub rank: usize,
}

/// Fits `y` by a sum of columns with least squares. A constant is a column of ones.
///
/// Uses Gram-Schmidt, each column twice against loss of digits. Skips columns that are sums of earlier ones. Source: Golub and Van Loan,
/// "Matrix Computations", section 5.2.
///
/// # Errors
/// [`NoAnswer::TooFew`] without a value, [`NoAnswer::UnequalLengths`] for a column of another length,
/// [`NoAnswer::NotFinite`] for a NaN or infinite value.
pub fn least_squares(columns: &[Vec<f64>], y: &[f64]) -> Result<Fit, NoAnswer> {
    at_least(1, y.len())?;
    finite(y)?;
    for column in columns {
        if column.len() != y.len() {
            return Err(NoAnswer::UnequalLengths { a: column.len(), b: y.len() });
        }
        finite(column)?;
    }
    let solved = solve(columns, y);
    Ok(Fit { residual: solved.residual, rank: solved.sizes.len() })
}

/// A least-squares fit with the values that its errors are calculated from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Solved {
    /// The sum of the squares of what the columns do not explain.
    pub(super) residual: f64,
    /// For each independent column, the sum of the squares of the part that the previous columns do not explain.
    pub(super) sizes: Vec<f64>,
    /// The coefficient of the last independent column.
    pub(super) last: f64,
}

/// Like [`least_squares`], for finite columns as long as `y`.
pub(super) fn solve(columns: &[Vec<f64>], y: &[f64]) -> Solved {
    let (mut basis, mut sizes): (Vec<Vec<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
    let (mut left, mut last) = (y.to_vec(), 0.0);
    for column in columns {
        let size = dot(column, column).sqrt();
        let mut own = column.clone();
        for _ in 0..2 {
            for direction in &basis {
                take_out(&mut own, direction);
            }
        }
        let rest = dot(&own, &own).sqrt();
        if rest > DEPENDENT * size {
            own.iter_mut().for_each(|value| *value /= rest);
            last = dot(&left, &own) / rest;
            take_out(&mut left, &own);
            basis.push(own);
            sizes.push(rest * rest);
        }
    }
    Solved { residual: dot(&left, &left), sizes, last }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Removes from `vector` its component along a direction of length 1.
fn take_out(vector: &mut [f64], direction: &[f64]) {
    let share = dot(vector, direction);
    vector.iter_mut().zip(direction).for_each(|(value, part)| *value -= share * part);
}
