//! The average of a column, computed as SQLite does. Whole numbers are added exactly while 64 bits hold the sum. Real numbers are added
//! with a separate sum of the rounding errors of each addition (Neumaier, 1974).

use dbdyno_engine::{EngineError, sql::SqlValueRef};

/// Whole numbers from this magnitude on are added in two parts, because a real number may not represent them exactly.
const LARGE: u64 = 1 << 52;

/// The values seen so far.
#[derive(Debug, Default)]
pub(super) struct Average {
    values: i64,
    whole: i64,
    /// `Some` after a real number, or if whole numbers overflow 64 bits.
    real: Option<RealSum>,
}

/// A sum, and the rounding error that it has accumulated.
#[derive(Debug, Default)]
struct RealSum {
    sum: f64,
    lost: f64,
}

impl Average {
    /// Adds a value; ignores NULL.
    #[inline]
    pub(super) fn add(&mut self, value: SqlValueRef<'_>) -> Result<(), EngineError> {
        match (value, &mut self.real) {
            (SqlValueRef::Null, _) => return Ok(()),
            (SqlValueRef::Integer(number), None) => match self.whole.checked_add(number) {
                Some(sum) => self.whole = sum,
                None => self.become_real().add_whole(number),
            },
            (SqlValueRef::Integer(number), Some(real)) => real.add_whole(number),
            (SqlValueRef::Real(number), Some(real)) => real.add(number),
            (SqlValueRef::Real(number), None) => self.become_real().add(number),
            (SqlValueRef::Text(_) | SqlValueRef::Blob(_), _) => {
                return Err(EngineError::new("a direct plan takes the average of numbers only"));
            }
        }
        self.values += 1;
        Ok(())
    }

    fn become_real(&mut self) -> &mut RealSum {
        let (sum, lost) = parts(self.whole);
        self.real.insert(RealSum { sum, lost })
    }

    /// Returns the average, or `None` if no value was added.
    pub(super) fn value(&self) -> Option<f64> {
        let sum = match &self.real {
            None => self.whole as f64,
            // The rounding error of an infinite sum is NaN.
            Some(RealSum { sum, lost }) if !lost.is_finite() => *sum,
            Some(RealSum { sum, lost }) => sum + lost,
        };
        (self.values > 0).then(|| sum / self.values as f64)
    }
}

impl RealSum {
    fn add(&mut self, number: f64) {
        let total = self.sum + number;
        self.lost +=
            if self.sum.abs() > number.abs() { (self.sum - total) + number } else { (number - total) + self.sum };
        self.sum = total;
    }

    fn add_whole(&mut self, number: i64) {
        let (large, small) = parts(number);
        self.add(large);
        if number.unsigned_abs() >= LARGE {
            self.add(small);
        }
    }
}

/// Returns one or two real numbers whose sum is exactly this whole number.
fn parts(number: i64) -> (f64, f64) {
    let small = if number.unsigned_abs() < LARGE { 0 } else { number % 16_384 };
    ((number - small) as f64, small as f64)
}
