//! The terminal's settings before raw mode: saved, passed on as text, and restored.

use std::{
    fmt, io,
    mem::MaybeUninit,
    os::fd::{AsFd, AsRawFd},
    str::FromStr,
};

/// The settings that raw mode changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TerminalSettings {
    input: u32,
    output: u32,
    control: u32,
    local: u32,
    /// Bytes that a read waits for, and the tenths of a second that it waits.
    least: u8,
    patience: u8,
}

impl TerminalSettings {
    /// Reads the settings of a terminal.
    pub(super) fn read(terminal: impl AsFd) -> io::Result<Self> {
        Ok(Self::from_termios(&read(&terminal)?))
    }

    /// Applies these settings to a terminal. Settings that raw mode does not change stay as they are.
    pub(super) fn apply(self, terminal: impl AsFd) -> io::Result<()> {
        let mut termios = read(&terminal)?;
        self.put_into(&mut termios);
        write(&terminal, &termios)
    }

    /// Returns these settings as raw mode changes them.
    #[expect(unsafe_code, reason = "the C library's own function")]
    pub(super) fn raw(self, terminal: impl AsFd) -> io::Result<Self> {
        let mut termios = read(&terminal)?;
        self.put_into(&mut termios);
        // SAFETY: it changes a valid value.
        unsafe { libc::cfmakeraw(&raw mut termios) };
        Ok(Self::from_termios(&termios))
    }

    fn from_termios(termios: &libc::termios) -> Self {
        Self {
            input: termios.c_iflag,
            output: termios.c_oflag,
            control: termios.c_cflag,
            local: termios.c_lflag,
            least: termios.c_cc[libc::VMIN],
            patience: termios.c_cc[libc::VTIME],
        }
    }

    fn put_into(self, termios: &mut libc::termios) {
        termios.c_iflag = self.input;
        termios.c_oflag = self.output;
        termios.c_cflag = self.control;
        termios.c_lflag = self.local;
        termios.c_cc[libc::VMIN] = self.least;
        termios.c_cc[libc::VTIME] = self.patience;
    }
}

// These use the C library, because rustix also sets the input speed, which was not set. The restored settings must equal the original ones.

#[expect(unsafe_code, reason = "the C library's own function")]
fn read(terminal: &impl AsFd) -> io::Result<libc::termios> {
    let mut termios = MaybeUninit::uninit();
    // SAFETY: the descriptor is open and the buffer has room for the result, which is initialised if the call reports success.
    unsafe {
        match libc::tcgetattr(terminal.as_fd().as_raw_fd(), termios.as_mut_ptr()) {
            0 => Ok(termios.assume_init()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

#[expect(unsafe_code, reason = "the C library's own function")]
fn write(terminal: &impl AsFd, termios: &libc::termios) -> io::Result<()> {
    // SAFETY: an open descriptor and a valid value.
    match unsafe { libc::tcsetattr(terminal.as_fd().as_raw_fd(), libc::TCSANOW, termios) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
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
