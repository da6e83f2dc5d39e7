//! The marks for sides A and B.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    A,
    B,
}

/// The content of a marked side.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum MarkedSide {
    /// Nothing is marked yet.
    #[default]
    Nothing,
    /// The identifiers of these runs.
    Runs(Vec<String>),
    /// All results of a selection.
    Selection(String),
}

/// An item that can be marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Markable<'m> {
    Run(&'m str),
    /// All results of a selection.
    Selection(&'m str),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) a: MarkedSide,
    pub(crate) b: MarkedSide,
}

impl MarkedSide {
    /// Whether an item belongs to the side.
    pub(crate) fn has(&self, what: Markable<'_>) -> bool {
        match (self, what) {
            (Self::Runs(runs), Markable::Run(run)) => runs.iter().any(|marked| marked == run),
            (Self::Selection(line), Markable::Selection(other)) => line == other,
            _ => false,
        }
    }

    fn add(&mut self, what: Markable<'_>) {
        match (&mut *self, what) {
            (Self::Runs(runs), Markable::Run(run)) => runs.push(run.to_owned()),
            (_, Markable::Run(run)) => *self = Self::Runs(vec![run.to_owned()]),
            (_, Markable::Selection(line)) => *self = Self::Selection(line.to_owned()),
        }
    }

    fn remove(&mut self, what: Markable<'_>) {
        match (&mut *self, what) {
            (Self::Runs(runs), Markable::Run(run)) if runs.len() > 1 => runs.retain(|marked| marked != run),
            _ => *self = Self::Nothing,
        }
    }

    /// Returns the side as a selection; none if nothing is marked.
    pub(crate) fn line(&self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Runs(runs) => Some(format!("run={}", runs.join("|"))),
            Self::Selection(line) => Some(line.clone()),
        }
    }

    pub(crate) fn words(&self) -> String {
        match self {
            Self::Nothing => "-".to_owned(),
            Self::Runs(runs) if runs.len() == 1 => "1 run".to_owned(),
            Self::Runs(runs) => format!("{} runs", runs.len()),
            Self::Selection(line) if line.is_empty() => "everything".to_owned(),
            Self::Selection(line) => line.clone(),
        }
    }
}

impl Marks {
    /// Returns the side that an item belongs to.
    pub(crate) fn side_of(&self, what: Markable<'_>) -> Option<Which> {
        match (self.a.has(what), self.b.has(what)) {
            (true, _) => Some(Which::A),
            (_, true) => Some(Which::B),
            _ => None,
        }
    }

    /// Adds an item to a side, or removes it if it is already there. An item belongs to one side at most.
    pub(crate) fn toggle(&mut self, which: Which, what: Markable<'_>) {
        let before = self.side_of(what);
        for (side, sign) in [(&mut self.a, Which::A), (&mut self.b, Which::B)] {
            if before == Some(sign) {
                side.remove(what);
            } else if which == sign {
                side.add(what);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_part_of_one_side_only_and_marking_it_again_takes_it_away() {
        let mut marks = Marks::default();
        marks.toggle(Which::A, Markable::Run("1"));
        marks.toggle(Which::A, Markable::Run("2"));
        assert_eq!(marks.a.line().as_deref(), Some("run=1|2"));
        marks.toggle(Which::B, Markable::Run("2"));
        assert_eq!(
            (marks.side_of(Markable::Run("1")), marks.side_of(Markable::Run("2"))),
            (Some(Which::A), Some(Which::B))
        );
        marks.toggle(Which::A, Markable::Run("1"));
        marks.toggle(Which::B, Markable::Run("2"));
        assert!(marks.is_empty());
    }

    #[test]
    fn a_group_takes_the_place_of_marked_runs() {
        let mut marks = Marks::default();
        marks.toggle(Which::A, Markable::Run("1"));
        marks.toggle(Which::A, Markable::Selection("engine=lmdb"));
        assert_eq!(marks.a.line().as_deref(), Some("engine=lmdb"));
        marks.toggle(Which::A, Markable::Selection("engine=lmdb"));
        assert!(marks.is_empty());
    }
}
