//! Replaces the bytes of a thread's `pwrite`, for an engine that adds to what its library writes. A program may have only one definition of
//! that function, which is in `power`: a second one would not link, or would keep writes out of its log.

use std::{cell::Cell, io};

/// A function that returns the bytes to write instead of the given bytes at an offset of a file: `None` to write them unchanged, an error
/// to write nothing.
pub type Rewrite = fn(&[u8], u64) -> Option<io::Result<Vec<u8>>>;

thread_local! {
    static REWRITE: Cell<Option<Rewrite>> = const { Cell::new(None) };
}

/// Runs `done` while this thread's writes at offsets are rewritten. The thread's `pwrite` returns the same as without rewriting. For a
/// partial write, the result excludes at least the last byte.
pub fn rewriting<R>(rewrite: Rewrite, done: impl FnOnce() -> R) -> R {
    let before = REWRITE.replace(Some(rewrite));
    let result = done();
    REWRITE.set(before);
    result
}

/// Returns this thread's rewrite function, if it has one.
#[inline]
pub(crate) fn rewrite() -> Option<Rewrite> {
    REWRITE.get()
}

/// Returns the result for the caller of a `pwrite` of `given` bytes after `written` bytes of `instead` were written.
pub(crate) fn told(given: usize, instead: &[u8], written: isize) -> isize {
    let given = given as isize;
    if written == instead.len() as isize { given } else { written.min(given - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::File, os::unix::fs::FileExt};

    #[test]
    fn only_the_writes_of_the_thread_are_rewritten_and_only_meanwhile() {
        let path = std::env::temp_dir().join(format!("dbdyno-pwrites-{}", std::process::id()));
        let file = File::create(&path).unwrap();
        let longer = |bytes: &[u8], offset| match offset {
            0 => Some(Ok([bytes, b"!"].concat())),
            100 => Some(Err(io::Error::from_raw_os_error(libc::EIO))),
            _ => None,
        };
        rewriting(longer, || {
            assert_eq!(file.write_at(b"one", 0).unwrap(), 3);
            assert_eq!(file.write_at(b"two", 10).unwrap(), 3);
            assert_eq!(file.write_at(b"bad", 100).unwrap_err().raw_os_error(), Some(libc::EIO));
            std::thread::scope(|scope| scope.spawn(|| file.write_all_at(b"other", 20).unwrap()).join().unwrap());
        });
        file.write_all_at(b"x", 0).unwrap();
        let found = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(found, b"xne!\0\0\0\0\0\0two\0\0\0\0\0\0\0other");
    }

    #[test]
    fn a_write_that_was_cut_is_told_as_one() {
        assert_eq!(told(3, &[0; 5], 5), 3);
        assert_eq!(told(3, &[0; 5], 4), 2);
        assert_eq!(told(3, &[0; 5], 1), 1);
        assert_eq!(told(3, &[0; 5], -1), -1);
    }
}
