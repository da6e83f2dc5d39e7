//! How text is drawn.

/// Whether red and green may be used; a word always says the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colouring {
    /// ANSI colours.
    On,
    Off,
}

/// How a table is drawn as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableStyle {
    /// Whether verdicts are coloured; their words say the same.
    pub colour: Colouring,
    /// Columns there are.
    pub width: usize,
}

impl TableStyle {
    /// What a file has, and a terminal that does not tell.
    pub const FILE: Self = Self { colour: Colouring::Off, width: 80 };
}
