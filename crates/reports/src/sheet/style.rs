//! The style of text output.

/// Whether red and green may be used; a word always carries the same meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colouring {
    /// ANSI colours.
    On,
    Off,
}

/// The style of a table in text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableStyle {
    /// Whether verdicts are coloured; their words carry the same meaning.
    pub colour: Colouring,
    /// The width available, in columns.
    pub width: usize,
}

impl TableStyle {
    /// The style for a file, and for a terminal that does not report its width.
    pub const FILE: Self = Self { colour: Colouring::Off, width: 80 };
}
