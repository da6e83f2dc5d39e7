//! Latency histograms: counters that a second thread may read while the measured loop counts, and HdrHistogram's own format for transport.
//!
//! The counters have exactly HdrHistogram's bucket layout (3 significant digits, 1 ns to 1 h), so that converting them to an
//! [`hdrhistogram::Histogram`] loses nothing. They are not the library's `SyncHistogram`, because that passes every sample through a
//! phaser. Here a sample is one relaxed load and store by the only writer.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::read::ZlibDecoder;
use hdrhistogram::{
    Histogram,
    serialization::{Deserializer, Serializer, V2DeflateSerializer},
};
use std::{
    borrow::Cow,
    io::{self, Read},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

/// Longest latency that can be distinguished: 1 hour, in ns. Longer ones are counted as this.
pub const HIGHEST_NS: u64 = 3_600_000_000_000;
/// Significant decimal digits kept.
pub const DIGITS: u8 = 3;

const HALF: usize = 1024;
const MASK: u64 = 2047;

/// Returns the index where HdrHistogram counts a value: linear below 2048 ns, then 1024 buckets for each doubling.
#[inline]
const fn index(ns: u64) -> usize {
    let doublings = 53 - (ns | MASK).leading_zeros() as usize;
    doublings * HALF + (ns >> doublings) as usize
}

/// Returns the lowest value that is counted at an index.
const fn lowest(index: usize) -> u64 {
    if index < 2 * HALF {
        index as u64
    } else {
        let doublings = index / HALF - 1;
        ((index % HALF + HALF) as u64) << doublings
    }
}

const LEN: usize = index(HIGHEST_NS) + 1;

/// Counters with one writer and any number of readers.
#[derive(Debug)]
pub struct Counts {
    samples: Box<[AtomicU64]>,
    operations: AtomicU64,
}

impl Default for Counts {
    fn default() -> Self {
        Self { samples: (0..LEN).map(|_| AtomicU64::new(0)).collect(), operations: AtomicU64::new(0) }
    }
}

impl Counts {
    /// Counts one sample of `ns`. Only one thread may call this.
    #[inline]
    pub fn record(&self, ns: u64) {
        add(&self.samples[index(ns.min(HIGHEST_NS))], 1);
    }

    /// Counts operations, timed or not. Only one thread may call this.
    #[inline]
    pub fn add_operations(&self, operations: u64) {
        add(&self.operations, operations);
    }

    /// Returns the operations counted so far.
    pub fn operations(&self) -> u64 {
        self.operations.load(Relaxed)
    }

    pub fn clear(&self) {
        self.operations.store(0, Relaxed);
        self.samples.iter().for_each(|counter| counter.store(0, Relaxed));
    }

    /// Returns the samples recorded since the previous call with the same `seen`, and updates `seen`.
    pub fn delta(&self, seen: &mut SeenCounts) -> Histogram<u64> {
        let mut delta = empty();
        for (at, (counter, before)) in self.samples.iter().zip(seen.0.iter_mut()).enumerate() {
            let now = counter.load(Relaxed);
            if now > *before {
                delta.saturating_record_n(lowest(at), now - *before);
            }
            *before = now;
        }
        delta
    }

    pub fn to_histogram(&self) -> Histogram<u64> {
        self.delta(&mut SeenCounts::default())
    }
}

/// Adds to a counter with a single writer.
#[inline]
fn add(counter: &AtomicU64, more: u64) {
    counter.store(counter.load(Relaxed) + more, Relaxed);
}

/// The values of [`Counts`] that a reader has already seen.
#[derive(Debug)]
pub struct SeenCounts(Box<[u64]>);

impl Default for SeenCounts {
    fn default() -> Self {
        Self(vec![0; LEN].into_boxed_slice())
    }
}

/// Returns an empty histogram with the bounds used everywhere.
pub fn empty() -> Histogram<u64> {
    match Histogram::new_with_bounds(1, HIGHEST_NS, DIGITS) {
        Ok(histogram) => histogram,
        Err(error) => unreachable!("the bounds are constants that HdrHistogram takes: {error}"),
    }
}

/// Serialises a histogram in HdrHistogram's V2 compressed form.
pub fn to_bytes(histogram: &Histogram<u64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    match V2DeflateSerializer::new().serialize(histogram, &mut bytes) {
        Ok(_) => bytes,
        Err(error) => unreachable!("writing a histogram to memory: {error}"),
    }
}

/// Reads a histogram in HdrHistogram's V2 form, compressed or not.
pub fn from_bytes(bytes: &[u8]) -> Result<Histogram<u64>, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("not an HdrHistogram V2: {error}");
    let plain = inflated(bytes).map_err(|error| wrong(&error))?;
    // The library allocates as many bytes of counters as the header claims before it checks that they are there.
    let said = plain.get(4..8).and_then(|said| said.try_into().ok()).map_or(0, u32::from_be_bytes) as usize;
    let found = plain.len().saturating_sub(HEADER_BYTES);
    if said > found {
        return Err(wrong(&format!("its header says {said} bytes of counters, and there are {found}")));
    }
    Deserializer::new().deserialize(&mut &*plain).map_err(|error| wrong(&error))
}

/// Bytes of the header in the uncompressed form.
const HEADER_BYTES: usize = 40;
/// The first bytes of the compressed form, before its length in bytes.
const COMPRESSED: [u8; 4] = 0x1c84_9314_u32.to_be_bytes();
/// Limit for the uncompressed form, in bytes: compressed data does not show how large it becomes. dbdyno's own histograms have 313 KB.
const MOST_BYTES: u64 = 16 << 20;

/// Returns the uncompressed form of either form.
fn inflated(bytes: &[u8]) -> io::Result<Cow<'_, [u8]>> {
    let Some([a, b, c, d, compressed @ ..]) = bytes.strip_prefix(&COMPRESSED) else { return Ok(Cow::Borrowed(bytes)) };
    let length = u64::from(u32::from_be_bytes([*a, *b, *c, *d]));
    let mut plain = Vec::new();
    ZlibDecoder::new(compressed.take(length)).take(MOST_BYTES).read_to_end(&mut plain)?;
    Ok(Cow::Owned(plain))
}

/// Encodes the V2 compressed form in base64, for transport.
///
/// ```
/// use dbdyno_workload::histogram::{bytes_from_base64, empty, from_bytes, to_base64};
///
/// let mut latencies = empty();
/// latencies.record(1_500)?;
/// let back = from_bytes(&bytes_from_base64(&to_base64(&latencies))?)?;
/// assert_eq!(back, latencies);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn to_base64(histogram: &Histogram<u64>) -> String {
    STANDARD.encode(to_bytes(histogram))
}

pub fn bytes_from_base64(text: &str) -> Result<Vec<u8>, String> {
    STANDARD.decode(text).map_err(|error| format!("not base64: {error}"))
}

/// Returns a quantile only if at least ten samples are beyond it.
pub fn supported_quantile(histogram: &Histogram<u64>, quantile: f64) -> Option<u64> {
    (histogram.len() as f64 * (1.0 - quantile) >= 10.0 - 1e-9).then(|| histogram.value_at_quantile(quantile))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::SplitMix64;

    #[test]
    fn counters_agree_with_the_library_on_every_scale() {
        let counts = Counts::default();
        let mut library = empty();
        let mut rng = SplitMix64::new(3);
        for bits in 1..=42 {
            for _ in 0..2_000 {
                let ns = rng.below(1 << bits);
                counts.record(ns);
                library.saturating_record(ns.min(HIGHEST_NS));
            }
        }
        let ours = counts.to_histogram();
        assert_eq!(ours.len(), library.len());
        for quantile in [0.0, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0] {
            assert_eq!(ours.value_at_quantile(quantile), library.value_at_quantile(quantile), "{quantile}");
        }
        let ours: Vec<_> = ours.iter_recorded().map(|at| (at.value_iterated_to(), at.count_at_value())).collect();
        let library: Vec<_> = library.iter_recorded().map(|at| (at.value_iterated_to(), at.count_at_value())).collect();
        assert_eq!(ours, library);
    }

    #[test]
    fn a_delta_holds_what_came_since_the_last() {
        let counts = Counts::default();
        let mut seen = SeenCounts::default();
        counts.record(100);
        assert_eq!(counts.delta(&mut seen).len(), 1);
        counts.record(100);
        counts.record(5_000);
        let delta = counts.delta(&mut seen);
        assert_eq!((delta.len(), delta.count_at(100)), (2, 1));
        assert!(counts.delta(&mut seen).is_empty());
    }

    #[test]
    fn a_histogram_survives_the_wire() {
        let counts = Counts::default();
        (0..1_000).for_each(|ns| counts.record(ns * 37));
        let histogram = counts.to_histogram();
        let back = from_bytes(&bytes_from_base64(&to_base64(&histogram)).unwrap()).unwrap();
        assert_eq!(back, histogram);
        assert!(from_bytes(b"something else").is_err());
    }

    #[test]
    fn a_header_that_promises_more_than_there_is_makes_no_room_for_it() {
        let whole = inflated(&to_bytes(&empty())).unwrap().into_owned();
        assert_eq!(from_bytes(&whole), Ok(empty()));
        let promising = [&whole[..4], &u32::MAX.to_be_bytes(), &whole[8..]].concat();
        assert!(from_bytes(&promising).unwrap_err().contains("says 4294967295 bytes of counters"));
        for length in 0..whole.len() {
            assert!(from_bytes(&whole[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn a_quantile_needs_ten_samples_beyond_it() {
        let mut histogram = empty();
        (0..999).for_each(|ns| histogram.saturating_record(ns));
        assert!(supported_quantile(&histogram, 0.99).is_none(), "n(1-q) is 9.99");
        histogram.saturating_record(999);
        assert!(supported_quantile(&histogram, 0.99).is_some(), "n(1-q) is 10");
        assert!(supported_quantile(&empty(), 0.5).is_none());
    }
}
