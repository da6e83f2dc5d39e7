//! What is typed, read by a thread of its own: a terminal that does not wait would not wait for the shell that shares it either.

use rustix::io::{Errno, read};
use std::{io::stdin, thread};
use tokio::sync::mpsc::{Receiver, channel};

/// Pieces that wait to be taken, at most; more wait in the terminal.
const WAITING: usize = 16;

/// Listens to the terminal until it is gone. The thread ends with the program.
pub(super) fn listen() -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel(WAITING);
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        loop {
            match read(stdin(), &mut buffer) {
                Err(Errno::INTR) => {}
                Ok(0) | Err(_) => return,
                Ok(length) => {
                    // A receiver that is gone says that the program ends.
                    if sender.blocking_send(buffer[..length].to_vec()).is_err() {
                        return;
                    }
                }
            }
        }
    });
    receiver
}
