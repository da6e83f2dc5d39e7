//! The clock that operations are timed with.

use super::finding::DoctorFinding;
use dbdyno_engine::clock::{Clock, SystemClock};
use dbdyno_foundation::{base::units::duration, host::ClockReading};

/// A reading that takes longer is a system call, or a device that is asked.
const DEAR_NS: f64 = 100.0;
/// Steps that are larger than operations of engines in memory.
const COARSE_NS: u64 = 1_000;

/// The clock of the measured loops.
pub(super) struct MeasuredClock {
    /// What it reads, in a word.
    name: &'static str,
    reading: ClockReading,
}

impl MeasuredClock {
    pub(super) fn read() -> Self {
        let clock = SystemClock::get();
        Self { name: clock.name().unwrap_or("unknown"), reading: ClockReading::of(|| clock.now()) }
    }
}

pub(super) fn findings(source: Option<&str>, clock: &MeasuredClock) -> Vec<DoctorFinding> {
    source.map(of_source).into_iter().chain([of_reading(clock)]).collect()
}

/// What the kernel takes the time from.
fn of_source(source: &str) -> DoctorFinding {
    let what = format!("the clock source is {source}");
    match source {
        "tsc" | "arch_sys_counter" => DoctorFinding::fit(what),
        "kvm-clock" | "hyperv_clocksource_tsc_page" => DoctorFinding::advised(
            what,
            "a virtual clock: read without a system call, but slower than the processor's counter; if the host's counter is stable, add \
             `clocksource=tsc` to the kernel's command line to use it",
        ),
        _ => DoctorFinding::unfit(
            what,
            "reading the clock takes a system call or a device access, so tests of short operations are harness-bound; the kernel's log \
             says why it does not use tsc",
        ),
    }
}

fn of_reading(clock: &MeasuredClock) -> DoctorFinding {
    let MeasuredClock { name, reading } = clock;
    let cost = duration(reading.cost_ns);
    let read = format!("operations are timed by the {name} clock: a reading takes {cost}");
    match reading.step_ns {
        None => DoctorFinding::unfit(format!("{read}, but it does not advance"), "no time can be measured with it"),
        Some(step) => DoctorFinding::judged(
            step <= COARSE_NS && reading.cost_ns <= DEAR_NS,
            format!("{read}, the smallest step is {}", duration(step as f64)),
            "tests whose operations take less than 20 times the harness cost, which includes this reading, are marked as harness-bound: trust tests of many operations, or of larger sizes",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(cost_ns: f64, step_ns: Option<u64>) -> MeasuredClock {
        MeasuredClock { name: "counter", reading: ClockReading { cost_ns, step_ns } }
    }

    #[test]
    fn clock_sources() {
        let fine = clock(12.0, Some(10));
        let source = |name: &str| findings(Some(name), &fine).remove(0);
        assert!(
            matches!(source("tsc"), DoctorFinding::Fit(_))
                && matches!(source("arch_sys_counter"), DoctorFinding::Fit(_))
        );
        assert!(matches!(source("kvm-clock"), DoctorFinding::Note(..)));
        assert!(["hpet", "acpi_pm", "jiffies", "xen"].into_iter().all(|name| source(name).is_unfit()));
        assert_eq!(findings(None, &fine).len(), 1);
    }

    #[test]
    fn a_reading_is_told_with_its_cost_and_step() {
        let said = of_reading(&clock(12.25, Some(10))).line();
        assert!(said.starts_with("✓  ") && said.contains("takes 12.2 ns, the smallest step is 10 ns"), "{said}");
        assert!(of_reading(&clock(800.0, Some(40))).is_unfit());
        assert!(of_reading(&clock(20.0, Some(4_000_000))).is_unfit());
        assert!(of_reading(&clock(0.0, None)).line().contains("does not advance"));
    }
}
