//! What client and server say to each other over a stream: frames of bytes as they are, and of words as JSON.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{io, path::PathBuf};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Most bytes of a frame, so that a stranger's first bytes are never taken for a length worth keeping room for.
const MOST: u32 = 64 << 20;
/// What a frame begins with; its length follows.
const BYTES: u8 = b'b';
const WORD: u8 = b'w';

/// One thing that is said.
#[derive(Debug)]
pub(super) enum Frame<W> {
    /// Keys to the server, what is painted to the client.
    Bytes(Vec<u8>),
    Word(W),
}

/// Columns and rows of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Size {
    pub(super) columns: u16,
    pub(super) rows: u16,
}

/// What a terminal can show, by its environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Abilities {
    /// TERM and COLORTERM.
    pub(super) kind: String,
    /// Whether it wants no colours.
    pub(super) colourless: bool,
}

/// What a client says; first one of the first two.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum FromClient {
    /// It wants the screens, and takes them from whoever has them.
    Attach {
        version: String,
        size: Size,
        abilities: Abilities,
    },
    /// It wants to know what goes on, and nothing more.
    Describe,
    Resized(Size),
    /// It was stopped, and shows the screens again.
    Resumed(Size),
    /// The program is to end.
    End,
}

/// What a server says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum FromServer {
    /// The screens follow. `last_words`: the file that has what it said, should it end without a word.
    Welcome {
        last_words: Option<PathBuf>,
    },
    /// Why it shows nothing.
    Refused(String),
    Described(Description),
    /// The user wants the shell: Ctrl-Z.
    Suspend,
    /// The user wants the terminal back, and the server goes on.
    Detached,
    /// Another terminal has the screens now.
    TakenOver,
    Ended(Ended),
}

/// What goes on in a server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// What is measured; none: nothing.
    pub under_way: Option<String>,
    /// Whether a terminal shows its screens.
    pub attached: bool,
}

/// How a server ended in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// The exit code.
    pub code: u8,
    /// What the screen is left with.
    pub told: String,
    /// What went wrong.
    pub wrong: Option<String>,
}

/// A frame as it is sent.
pub(super) fn encoded<W: Serialize>(frame: &Frame<W>) -> io::Result<Vec<u8>> {
    let (kind, content) = match frame {
        Frame::Bytes(bytes) => (BYTES, bytes),
        Frame::Word(word) => (WORD, &serde_json::to_vec(word)?),
    };
    let length = u32::try_from(content.len()).ok().filter(|length| *length <= MOST);
    let length = length.ok_or_else(|| io::Error::other(format!("{} bytes: expected {MOST} at most", content.len())))?;
    Ok([&[kind], &length.to_le_bytes()[..], content].concat())
}

/// The next frame; none at the end of the stream. Must not be given up halfway.
pub(super) async fn read<W: DeserializeOwned>(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Frame<W>>> {
    let kind = match stream.read_u8().await {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        kind => kind?,
    };
    let length = stream.read_u32_le().await?;
    if length > MOST {
        return Err(io::Error::other(format!("a frame of {length} bytes: expected {MOST} at most")));
    }
    let mut content = vec![0; length as usize];
    stream.read_exact(&mut content).await?;
    match kind {
        BYTES => Ok(Some(Frame::Bytes(content))),
        WORD => Ok(Some(Frame::Word(serde_json::from_slice(&content)?))),
        kind => Err(io::Error::other(format!("a frame of kind {kind}: expected {BYTES} or {WORD}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(bytes: &[u8]) -> io::Result<Option<Frame<FromServer>>> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(read(&mut &*bytes))
    }

    #[test]
    fn what_is_sent_is_what_is_heard() {
        let painted = encoded(&Frame::<FromServer>::Bytes(b"\x1b[2J".to_vec())).unwrap();
        assert!(matches!(heard(&painted), Ok(Some(Frame::Bytes(bytes))) if bytes == b"\x1b[2J"));
        let ended = Ended { code: 130, told: "é\n".to_owned(), wrong: None };
        let sent = encoded(&Frame::Word(FromServer::Ended(ended.clone()))).unwrap();
        assert!(matches!(heard(&sent), Ok(Some(Frame::Word(FromServer::Ended(heard)))) if heard == ended));
    }

    #[test]
    fn what_is_no_frame_is_refused_and_an_end_is_an_end() {
        assert!(matches!(heard(b""), Ok(None)));
        for wrong in [&b"b\x05\0\0\0abc"[..], b"GET / HTTP/1.1\r\n", b"w\x02\0\0\0{}", b"b\xff\xff\xff\xff", b"w"] {
            assert!(heard(wrong).is_err(), "{wrong:?}");
        }
    }
}
