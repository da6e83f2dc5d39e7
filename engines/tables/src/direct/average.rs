//! The average of a column, computed as SQLite does: whole numbers are added exactly, real ones with the rounding errors
//! of each addition kept beside the sum (Neumaier, 1974).

use dbdyno_engine::{EngineError, sql::SqlValueRef};

/// The values seen so far.
#[derive(Debug, Default)]
pub(super) struct Average {
    values: i64,
    whole: i128,
    /// Sum and lost digits, once there was a real number.
    real: Option<(f64, f64)>,
}

impl Average {
    /// Adds a value; NULL is left out.
    #[inline]
    pub(super) fn add(&mut self, value: SqlValueRef<'_>) -> Result<(), EngineError> {
        match (value, &mut self.real) {
            (SqlValueRef::Null, _) => return Ok(()),
            (SqlValueRef::Integer(number), None) => self.whole += i128::from(number),
            (SqlValueRef::Integer(number), Some(sum)) => add_real(sum, number as f64),
            (SqlValueRef::Real(number), Some(sum)) => add_real(sum, number),
            (SqlValueRef::Real(number), None) => {
                let mut sum = (self.whole as f64, 0.0);
                add_real(&mut sum, number);
                self.real = Some(sum);
            }
            (SqlValueRef::Text(_) | SqlValueRef::Blob(_), _) => {
                return Err(EngineError::new("a direct plan takes the average of numbers only"));
            }
        }
        self.values += 1;
        Ok(())
    }

    /// The average of what was added, if that was anything.
    pub(super) fn value(&self) -> Option<f64> {
        let sum = self.real.map_or(self.whole as f64, |(sum, lost)| sum + lost);
        (self.values > 0).then(|| sum / self.values as f64)
    }
}

fn add_real(sum: &mut (f64, f64), number: f64) {
    let total = sum.0 + number;
    sum.1 += if sum.0.abs() > number.abs() { (sum.0 - total) + number } else { (number - total) + sum.0 };
    sum.0 = total;
}
