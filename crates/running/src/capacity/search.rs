//! Which rate is tried next: outwards from a beginning, then the middle of what holds and what breaks. Pure: told what came of each.

use std::collections::BTreeMap;

/// The lowest and the highest rate that can be tried, operations a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ends {
    pub lowest: u64,
    pub highest: u64,
}

/// A search under way.
#[derive(Debug, Clone)]
pub struct Search {
    ends: Ends,
    begin: u64,
    /// The first step outwards, a factor; each further one is the square of the one before it.
    step: f64,
    /// How near what holds and what breaks have to be, as a share of the rate.
    precision: f64,
    /// Whether the two that it ends between are tried once more, and a third time where that says something else.
    repeats: bool,
    /// How often each rate held, and how often it broke.
    tried: BTreeMap<u64, (u32, u32)>,
}

/// Where a search ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Between a rate that holds and one that breaks.
    Between { held: u64, broke: u64 },
    /// Even the lowest rate breaks.
    NothingHolds { lowest: u64 },
    /// Even the highest holds.
    AllHold { highest: u64 },
}

/// The longest step outwards, a factor.
const LONGEST_STEP: f64 = 4.0;

impl Search {
    /// A first search, which knows little of where to begin.
    pub fn wide(ends: Ends, begin: u64, precision: f64) -> Self {
        Self { ends, begin, step: 1.5, precision, repeats: true, tried: BTreeMap::new() }
    }

    /// A search near to where another ended. It goes as far as it has to: what the other found holds it to nothing.
    pub fn near(ends: Ends, begin: u64, precision: f64) -> Self {
        let step = 1.0 + 2.0 * precision;
        Self { ends, begin, step, precision, repeats: false, tried: BTreeMap::new() }
    }

    /// The rate to try next, or where it ended.
    pub fn next(&self) -> Result<u64, End> {
        let Ends { lowest, highest } = self.ends;
        if let Some(torn) = self.tried.iter().find(|(_, (held, broke))| held == broke).map(|(rate, _)| *rate) {
            return Ok(torn);
        }
        match self.between() {
            (None, None) => Ok(self.begin.clamp(lowest, highest)),
            (Some(held), None) if held >= highest => self.settled(&[held], End::AllHold { highest }),
            (Some(held), None) => Ok(((held as f64 * self.stride()).ceil() as u64).clamp(held + 1, highest)),
            (None, Some(broke)) if broke <= lowest => self.settled(&[broke], End::NothingHolds { lowest }),
            (None, Some(broke)) => Ok(((broke as f64 / self.stride()) as u64).clamp(lowest, broke - 1)),
            (Some(held), Some(broke)) if self.is_near(held, broke) => {
                self.settled(&[broke, held], End::Between { held, broke })
            }
            (Some(held), Some(broke)) => {
                let middle = (held as f64 * broke as f64).sqrt().round() as u64;
                Ok(middle.clamp(held + 1, broke - 1))
            }
        }
    }

    /// A rate was tried.
    pub fn tell(&mut self, rate: u64, holds: bool) {
        let (held, broke) = self.tried.entry(rate).or_default();
        *(if holds { held } else { broke }) += 1;
    }

    /// The lowest rate that breaks, and the highest below it that holds, each by the majority of its tries.
    fn between(&self) -> (Option<u64>, Option<u64>) {
        let broke = self.tried.iter().find(|(_, (held, broke))| broke > held).map(|(rate, _)| *rate);
        let below = self.tried.range(..broke.unwrap_or(u64::MAX));
        let held = below.filter(|(_, (held, broke))| held > broke).map(|(rate, _)| *rate).next_back();
        (held, broke)
    }

    fn is_near(&self, held: u64, broke: u64) -> bool {
        broke <= held + 1 || broke as f64 <= held as f64 * (1.0 + self.precision)
    }

    /// The next step outwards: the more rates were tried, the longer.
    fn stride(&self) -> f64 {
        let squared = self.tried.len().saturating_sub(1).min(8) as u32;
        self.step.powi(1 << squared).min(LONGEST_STEP)
    }

    /// The end, or a rate that it rests on, where that was tried only once and is to be repeated.
    fn settled(&self, rates: &[u64], end: End) -> Result<u64, End> {
        let once = |rate: &&u64| self.tried.get(rate).is_none_or(|(held, broke)| held + broke < 2);
        rates.iter().find(|rate| self.repeats && once(rate)).copied().ok_or(end)
    }
}
