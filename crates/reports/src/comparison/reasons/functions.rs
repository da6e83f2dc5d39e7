//! The functions that the CPU time of sides went to, as far as repetitions have sampled them.

use super::super::wording::Wording;
use crate::sheet::{self, Flame, Section, Sheet, Stacks, TableStyle, any_differs, heaviest};
use dbdyno_comparing::compare::{Reason, SideName, SplitTime};
use dbdyno_foundation::base::units::counted;

/// The most functions that are listed.
const MOST: usize = 10;

/// The call stacks of both sides.
pub(super) struct SidesFunctions {
    a: Stacks,
    b: Stacks,
    slower: SideName,
}

impl SidesFunctions {
    /// Returns the functions of a reason's sides. None: a side has no stacks.
    pub(super) fn of(reason: &Reason, wording: &Wording) -> Option<Self> {
        let of = |name: &String, side: &SplitTime| {
            let explained = side.explained.as_ref().filter(|explained| !explained.stacks.is_empty())?;
            Some(Stacks { name: name.clone(), stacks: explained.stacks.clone(), ns_per_sample: explained.sample_ns })
        };
        let (a, b) = (of(&wording.sides.a, &reason.a)?, of(&wording.sides.b, &reason.b)?);
        Some(Self { a, b, slower: reason.slower })
    }

    /// Lists the functions that differ most.
    pub(super) fn section(&self) -> Section {
        if !any_differs(&self.a, &self.b) {
            return Section::lines(vec!["No function's own CPU time differs by more than chance.".to_owned()]);
        }
        let table = heaviest(&self.a, Some(&self.b), MOST);
        Section { before: vec!["The functions whose own CPU time differs most:".to_owned()], ..Section::table(table) }
    }

    /// The same as lines of text.
    pub(super) fn lines(&self) -> Vec<String> {
        let sheet = Sheet { sections: vec![self.section()], ..Sheet::default() };
        sheet::text(&sheet, TableStyle::FILE).lines().map(str::to_owned).collect()
    }

    /// Draws what the slower side's functions need more in a test, then each side.
    pub(super) fn flames(&self, test: &str) -> Vec<Flame> {
        let (slower, other) = if self.slower == SideName::A { (&self.a, &self.b) } else { (&self.b, &self.a) };
        let compared = format!("{test}: CPU time of {}, compared with {}", slower.name, other.name);
        let each = |side: &Stacks| Flame::of(&format!("{test}: CPU time of {}", side.name), side);
        [Flame::difference(&compared, slower, other), each(slower), each(other)].into_iter().flatten().collect()
    }
}

/// Says how much slower repetitions were, and why functions are missing.
pub(super) fn about(reason: &Reason, wording: &Wording) -> Vec<String> {
    let sides = [(&wording.sides.a, &reason.a), (&wording.sides.b, &reason.b)];
    let explained = sides.map(|(name, side)| Some((name, side.explained.as_ref()?)));
    let [Some(a), Some(b)] = explained else { return Vec::new() };
    let slower = [a, b].map(|(name, side)| Some((name, format!("{:.2} times", side.slow_down?))));
    let repeated = counted(a.1.repetitions + b.1.repetitions, "run");
    let repeated =
        format!("{repeated} of both were repeated to find this out, and no figure uses the times of repetitions");
    let found = match slower {
        [Some((a, of_a)), Some((b, of_b))] => {
            format!("{repeated}: they took {of_a} as long as their runs on {a}, and {of_b} on {b}.")
        }
        _ => format!("{repeated}."),
    };
    let unseen = [a, b].into_iter().find(|(_, side)| side.stacks.is_empty());
    let unseen = unseen.map(|(name, _)| {
        format!("No function of {name} was seen: the test is too short, or its worker does not tell.")
    });
    std::iter::once(found).chain(unseen).collect()
}
