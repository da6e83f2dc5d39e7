//! The ways to record an engine's writes. Power losses are simulated from such a record.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The source of the record of an engine's writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// From the worker, which defines the C library's functions that write.
    Writes,
    /// From a file system that dbdyno mounts and the worker writes to.
    Mount,
}

impl Route {
    /// Returns its word on the command line, which is also stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Writes => "writes",
            Self::Mount => "mount",
        }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Writes => "from the worker's calls",
            Self::Mount => "through a mounted file system",
        })
    }
}

/// The choice of the route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PowerThrough {
    /// The worker's calls if they show everything, otherwise a mount.
    Auto,
    Only(Route),
}

impl PowerThrough {
    /// The words of the command line.
    pub const WORDS: [&'static str; 3] = ["auto", "writes", "mount"];
}

impl FromStr for PowerThrough {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "writes" => Ok(Self::Only(Route::Writes)),
            "mount" => Ok(Self::Only(Route::Mount)),
            _ => Err(format!("`{text}`: expected one of {}", Self::WORDS.join(", "))),
        }
    }
}
