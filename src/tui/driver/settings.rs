//! The terminal's settings before raw mode: kept, handed over as text, and restored.

use rustix::termios::{
    ControlModes, InputModes, LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};
use std::{fmt, io, os::fd::AsFd, str::FromStr};

/// Everything that raw mode changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TerminalSettings {
    input: u32,
    output: u32,
    control: u32,
    local: u32,
    /// Bytes that a read waits for, and tenths of a second for which it does.
    least: u8,
    patience: u8,
}

impl TerminalSettings {
    /// Those of a terminal.
    pub(super) fn read(terminal: impl AsFd) -> io::Result<Self> {
        Ok(Self::from_termios(&tcgetattr(terminal)?))
    }

    /// Gives a terminal these; what raw mode does not change stays as it is.
    pub(super) fn apply(self, terminal: impl AsFd) -> io::Result<()> {
        let mut termios = tcgetattr(&terminal)?;
        self.put_into(&mut termios);
        Ok(tcsetattr(terminal, OptionalActions::Now, &termios)?)
    }

    /// What raw mode makes of them.
    pub(super) fn raw(self, terminal: impl AsFd) -> io::Result<Self> {
        let mut termios = tcgetattr(terminal)?;
        self.put_into(&mut termios);
        termios.make_raw();
        Ok(Self::from_termios(&termios))
    }

    fn from_termios(termios: &Termios) -> Self {
        Self {
            input: termios.input_modes.bits(),
            output: termios.output_modes.bits(),
            control: termios.control_modes.bits(),
            local: termios.local_modes.bits(),
            least: termios.special_codes[SpecialCodeIndex::VMIN],
            patience: termios.special_codes[SpecialCodeIndex::VTIME],
        }
    }

    fn put_into(self, termios: &mut Termios) {
        termios.input_modes = InputModes::from_bits_retain(self.input);
        termios.output_modes = OutputModes::from_bits_retain(self.output);
        termios.control_modes = ControlModes::from_bits_retain(self.control);
        termios.local_modes = LocalModes::from_bits_retain(self.local);
        termios.special_codes[SpecialCodeIndex::VMIN] = self.least;
        termios.special_codes[SpecialCodeIndex::VTIME] = self.patience;
    }
}

impl fmt::Display for TerminalSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { input, output, control, local, least, patience } = self;
        write!(f, "{input} {output} {control} {local} {least} {patience}")
    }
}

impl FromStr for TerminalSettings {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<u32>, _> = text.split(' ').map(str::parse).collect();
        if let Ok([input, output, control, local, least, patience]) = numbers.as_deref()
            && let (Ok(least), Ok(patience)) = (u8::try_from(*least), u8::try_from(*patience))
        {
            return Ok(Self { input: *input, output: *output, control: *control, local: *local, least, patience });
        }
        Err(format!("`{text}`: expected six numbers, the modes and the two values of a terminal's settings"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_as_text() {
        let settings =
            TerminalSettings { input: 17_664, output: 5, control: 191, local: 35_387, least: 1, patience: 0 };
        assert_eq!(settings.to_string().parse(), Ok(settings));
        assert!("1 2 3".parse::<TerminalSettings>().is_err() && "1 2 3 4 5 256".parse::<TerminalSettings>().is_err());
    }
}
