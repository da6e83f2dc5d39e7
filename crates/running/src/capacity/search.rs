//! Chooses the next rate: outwards from a beginning, then the middle between a rate that holds and one that breaks. Pure: callers report
//! the result of each rate.

use std::collections::BTreeMap;

/// The lowest and the highest rate that can be tried, operations a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateBounds {
    pub lowest: u64,
    pub highest: u64,
}

/// A search under way.
#[derive(Debug, Clone)]
pub struct Search {
    bounds: RateBounds,
    begin: u64,
    /// The first step outwards, a factor. Each further step is the square of the previous one.
    step: f64,
    /// How close the rate that holds and the rate that breaks must be, as a share of the rate.
    precision: f64,
    /// Whether the two final rates are tried once more, and a third time if the second try contradicts the first.
    repeats: bool,
    /// How often each rate held, and how often it broke.
    tried: BTreeMap<u64, (u32, u32)>,
}

/// The end of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchEnd {
    /// Between a rate that holds and one that breaks.
    Between { held: u64, broke: u64 },
    /// Even the lowest rate breaks.
    NothingHolds { lowest: u64 },
    /// Even the highest rate holds.
    AllHold { highest: u64 },
}

/// The longest step outwards, a factor.
const LONGEST_STEP: f64 = 4.0;

impl Search {
    /// Creates a first search, which knows little about where to begin.
    pub fn wide(bounds: RateBounds, begin: u64, precision: f64) -> Self {
        Self { bounds, begin, step: 1.5, precision, repeats: true, tried: BTreeMap::new() }
    }

    /// Creates a search near the end of another one. It goes as far as necessary: the previous result does not limit it.
    pub fn near(bounds: RateBounds, begin: u64, precision: f64) -> Self {
        let step = 1.0 + 2.0 * precision;
        Self { bounds, begin, step, precision, repeats: false, tried: BTreeMap::new() }
    }

    /// Returns the rate to try next, or the end of the search.
    pub fn next(&self) -> Result<u64, SearchEnd> {
        let RateBounds { lowest, highest } = self.bounds;
        if let Some(torn) = self.tried.iter().find(|(_, (held, broke))| held == broke).map(|(rate, _)| *rate) {
            return Ok(torn);
        }
        match self.between() {
            (None, None) => Ok(self.begin.clamp(lowest, highest)),
            (Some(held), None) if held >= highest => self.settled(&[held], SearchEnd::AllHold { highest }),
            (Some(held), None) => Ok(((held as f64 * self.stride()).ceil() as u64).clamp(held + 1, highest)),
            (None, Some(broke)) if broke <= lowest => self.settled(&[broke], SearchEnd::NothingHolds { lowest }),
            (None, Some(broke)) => Ok(((broke as f64 / self.stride()) as u64).clamp(lowest, broke - 1)),
            (Some(held), Some(broke)) if self.is_near(held, broke) => {
                self.settled(&[broke, held], SearchEnd::Between { held, broke })
            }
            (Some(held), Some(broke)) => {
                let middle = (held as f64 * broke as f64).sqrt().round() as u64;
                Ok(middle.clamp(held + 1, broke - 1))
            }
        }
    }

    /// Records the result of a rate.
    pub fn tell(&mut self, rate: u64, holds: bool) {
        let (held, broke) = self.tried.entry(rate).or_default();
        *(if holds { held } else { broke }) += 1;
    }

    /// Returns the highest rate that holds below the lowest rate that breaks, and that lowest rate, each by the majority of its tries.
    fn between(&self) -> (Option<u64>, Option<u64>) {
        let broke = self.tried.iter().find(|(_, (held, broke))| broke > held).map(|(rate, _)| *rate);
        let below = self.tried.range(..broke.unwrap_or(u64::MAX));
        let held = below.filter(|(_, (held, broke))| held > broke).map(|(rate, _)| *rate).next_back();
        (held, broke)
    }

    fn is_near(&self, held: u64, broke: u64) -> bool {
        broke <= held + 1 || broke as f64 <= held as f64 * (1.0 + self.precision)
    }

    /// Returns the next step outwards, which grows with the number of rates tried.
    fn stride(&self) -> f64 {
        let squared = self.tried.len().saturating_sub(1).min(8) as u32;
        self.step.powi(1 << squared).min(LONGEST_STEP)
    }

    /// Returns the end, or a rate that the end depends on if it was tried only once and is to be repeated.
    fn settled(&self, rates: &[u64], end: SearchEnd) -> Result<u64, SearchEnd> {
        let once = |rate: &&u64| self.tried.get(rate).is_none_or(|(held, broke)| held + broke < 2);
        rates.iter().find(|rate| self.repeats && once(rate)).copied().ok_or(end)
    }
}
