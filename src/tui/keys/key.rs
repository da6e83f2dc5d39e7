//! The keys of the application, independent of the codes that a terminal sends.

/// A key, independent of the code that the terminal sends for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyPress {
    /// A character, as typed.
    Char(char),
    /// A character with Ctrl, in lower case.
    Ctrl(char),
    Enter,
    Esc,
    Tab,
    /// Shift and Tab.
    BackTab,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Backspace,
    Delete,
    /// A function key, from 1.
    F(u8),
}

impl KeyPress {
    /// Returns the name of the key in hints and help.
    pub(crate) fn word(self) -> String {
        match self {
            Self::Char(' ') => "Space".to_owned(),
            Self::Char(c) => c.to_string(),
            Self::Ctrl(c) => format!("Ctrl-{c}"),
            Self::F(number) => format!("F{number}"),
            Self::BackTab => "Shift-Tab".to_owned(),
            Self::PageUp => "PgUp".to_owned(),
            Self::PageDown => "PgDn".to_owned(),
            key => format!("{key:?}"),
        }
    }
}
