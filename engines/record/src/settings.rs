//! Settings of the recording, from environment variables.

use std::{env, path::PathBuf, sync::OnceLock};

/// The folder of the recording, and the recorder's limits.
pub(crate) struct RecorderSettings {
    pub(crate) folder: PathBuf,
    /// Bytes of all files of the folder, above which recording stops.
    pub(crate) recording_bytes: u64,
    /// Bytes of a value, above which only its length and a hash are kept.
    pub(crate) value_bytes: usize,
    /// Milliseconds that the copy of a database may take.
    pub(crate) copy_ms: u64,
}

/// Names the folder. Without it the library does nothing.
const FOLDER: &str = "DBDYNO_RECORDING";
const RECORDING_BYTES: &str = "DBDYNO_RECORD_MAX";
const VALUE_BYTES: &str = "DBDYNO_RECORD_VALUE_MAX";
const COPY_MS: &str = "DBDYNO_RECORD_COPY_MS";
const DEFAULT_COPY_MS: u64 = 10_000;

static SETTINGS: OnceLock<Option<RecorderSettings>> = OnceLock::new();

/// Returns the settings, or nothing if the program is not recorded.
pub(crate) fn settings() -> Option<&'static RecorderSettings> {
    SETTINGS.get_or_init(from_environment).as_ref()
}

fn from_environment() -> Option<RecorderSettings> {
    let folder = PathBuf::from(env::var_os(FOLDER)?);
    folder.is_absolute().then(|| RecorderSettings {
        folder,
        recording_bytes: number(RECORDING_BYTES).unwrap_or(u64::MAX),
        value_bytes: number(VALUE_BYTES).map_or(usize::MAX, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
        copy_ms: number(COPY_MS).unwrap_or(DEFAULT_COPY_MS),
    })
}

/// A limit that is no number is no limit: the command checks what it sets.
fn number(name: &str) -> Option<u64> {
    env::var(name).ok()?.trim().parse().ok()
}

/// Reads the environment when the library is loaded, before the program can change it.
#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = {
    extern "C" fn read_environment() {
        settings();
    }
    read_environment
};
