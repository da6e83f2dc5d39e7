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
    /// The keys with a name of their own. Their names are those of the variants and of [`word`](Self::word).
    const NAMED: [Self; 15] = [
        Self::Char(' '),
        Self::Enter,
        Self::Esc,
        Self::Tab,
        Self::BackTab,
        Self::Up,
        Self::Down,
        Self::Left,
        Self::Right,
        Self::PageUp,
        Self::PageDown,
        Self::Home,
        Self::End,
        Self::Backspace,
        Self::Delete,
    ];

    /// Returns the key of a name: a character, a name as in hints, `Ctrl-x` or `F5`; upper and lower case are equal in names.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let mut characters = name.chars();
        if let (Some(only), None) = (characters.next(), characters.next()) {
            return Some(Self::Char(only)).filter(|_| !only.is_control() && only != ' ');
        }
        let lower = name.to_lowercase();
        let after = |prefix: &str| lower.strip_prefix(prefix);
        if let Some(c) = after("ctrl-") {
            let letter = c.chars().next().filter(|letter| c.len() == 1 && letter.is_ascii_lowercase());
            return letter.map(Self::Ctrl);
        }
        let function = after("f").and_then(|number| number.parse().ok()).filter(|number| (1..=12).contains(number));
        let named = || Self::NAMED.into_iter().find(|key| key.word().to_lowercase() == lower);
        function.map(Self::F).or_else(named)
    }

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
