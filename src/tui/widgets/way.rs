//! The way to what is shown: `Results › sqlite 2026-11-23 14:00 › Run 01a1fc54`.

use crate::tui::widgets::paint::width;
use dbdyno_foundation::base::units::plain;

/// Returns the last steps that fit, and always at least the last one; `…` stands for the omitted steps.
pub(crate) fn way(steps: &[String], room: usize) -> String {
    let joined = |steps: &[String]| steps.iter().map(|step| plain(step)).collect::<Vec<_>>().join(" › ");
    let shorter = (1..steps.len()).map(|from| format!("… › {}", joined(&steps[from..])));
    let mut all: Vec<String> = std::iter::once(joined(steps)).chain(shorter).collect();
    let fitting = all.iter().position(|way| width(way) <= room).unwrap_or(all.len() - 1);
    all.swap_remove(fitting)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_loses_its_beginning_and_never_its_end() {
        let steps = ["Results", "sqlite", "Run 1"].map(str::to_owned);
        assert_eq!(way(&steps, 80), "Results › sqlite › Run 1");
        assert_eq!(way(&steps, 23), "… › sqlite › Run 1");
        assert_eq!(way(&steps, 17), "… › Run 1");
        assert_eq!(way(&steps, 3), "… › Run 1");
        assert_eq!(way(&steps[..1], 3), "Results");
    }
}
