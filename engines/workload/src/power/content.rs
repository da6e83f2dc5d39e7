//! The content of a file, in pages that its versions share: a file of 1 GiB with ten non-zero pages takes the memory of ten.

use crate::digest::Digest;
use rustix::{
    fs::{SeekFrom, seek},
    io::Errno,
};
use std::{collections::BTreeMap, fs::File, io, ops::Range, os::unix::fs::FileExt, sync::Arc};

/// Bytes of a page: the smallest page size of mappings on Linux, so that no store spans two pages.
pub(super) const PAGE: usize = 4096;

const ZEROS: [u8; PAGE] = [0; PAGE];

/// A file's bytes. Pages that are all zeros or beyond the end are not kept, and a page is zero beyond the end. Therefore equal contents
/// have equal fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Content {
    length: u64,
    pages: BTreeMap<u64, Arc<[u8; PAGE]>>,
}

impl Content {
    /// Reads the content of a file, except its holes.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn of(file: &File) -> io::Result<Self> {
        let mut content = Self::default();
        let length = each_page(file, |offset, bytes| content.write(offset, bytes))?;
        content.resize(length);
        Ok(content)
    }

    /// Returns the length, bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns all bytes, with zeros where nothing was written.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.length as usize];
        for (offset, page) in self.pages() {
            bytes[offset as usize..][..page.len()].copy_from_slice(page);
        }
        bytes
    }

    /// Returns the pages that are not all zeros, each with its offset, cut at the end of the file.
    pub(super) fn pages(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.pages.iter().map(|(number, page)| {
            let offset = number * PAGE as u64;
            (offset, &page[..(self.length - offset).min(PAGE as u64) as usize])
        })
    }

    /// Whether the page at `offset` begins with these bytes, which are at most one page.
    pub(super) fn has(&self, offset: u64, bytes: &[u8]) -> bool {
        self.pages.get(&(offset / PAGE as u64)).map_or(&ZEROS, |page| page).starts_with(bytes)
    }

    /// Writes bytes, and extends the content if they end beyond it.
    pub(super) fn write(&mut self, offset: u64, bytes: &[u8]) {
        for piece in pieces(offset, bytes.len(), PAGE) {
            let at = offset + piece.start as u64;
            let (number, within) = (at / PAGE as u64, (at % PAGE as u64) as usize);
            let page = Arc::make_mut(self.pages.entry(number).or_insert_with(|| Arc::new(ZEROS)));
            page[within..within + piece.len()].copy_from_slice(&bytes[piece]);
            if *page == ZEROS {
                self.pages.remove(&number);
            }
        }
        self.length = self.length.max(offset + bytes.len() as u64);
    }

    /// Truncates the content, or extends it with zeros.
    pub(super) fn resize(&mut self, length: u64) {
        if length < self.length {
            let (last, within) = (length / PAGE as u64, (length % PAGE as u64) as usize);
            let mut beyond = self.pages.split_off(&last);
            if let Some(mut page) = beyond.remove(&last) {
                Arc::make_mut(&mut page)[within..].fill(0);
                if *page != ZEROS {
                    self.pages.insert(last, page);
                }
            }
        }
        self.length = length;
    }

    /// Writes the content to an empty file, with holes for zero pages.
    pub(super) fn write_to(&self, file: &File) -> io::Result<()> {
        self.pages().try_for_each(|(offset, page)| file.write_all_at(page, offset))?;
        file.set_len(self.length)
    }

    pub(super) fn add_to(&self, digest: &mut Digest) {
        digest.word(self.length);
        for (number, page) in &self.pages {
            digest.word(*number);
            digest.bytes(page.as_slice());
        }
    }
}

/// Splits `bytes` bytes at `offset` into pieces that are each within one unit of a file: a page, or a sector. The ranges are relative to
/// the first byte.
pub(super) fn pieces(offset: u64, bytes: usize, unit: usize) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let within = ((offset + start as u64) % unit as u64) as usize;
        let piece = start..bytes.min(start + unit - within);
        start = piece.end;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Passes the pages of a file that are not holes to `visit`, each with its offset, and returns the file's length. Moves the descriptor's
/// position.
pub(super) fn each_page(file: &File, mut visit: impl FnMut(u64, &[u8])) -> io::Result<u64> {
    let length = file.metadata()?.len();
    let mut buffer = vec![0; 16 * PAGE];
    let mut at = 0;
    while at < length {
        let data = match seek(file, SeekFrom::Data(at)) {
            Err(Errno::NXIO) => break,
            found => found?,
        };
        let end = seek(file, SeekFrom::Hole(data))?.min(length);
        at = data - data % PAGE as u64;
        while at < end {
            let wanted = buffer.len().min((length - at) as usize);
            file.read_exact_at(&mut buffer[..wanted], at)?;
            for (number, page) in buffer[..wanted].chunks(PAGE).enumerate() {
                visit(at + (number * PAGE) as u64, page);
            }
            at += wanted as u64;
        }
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;

    /// The bytes and the length match those of a plain vector after the same calls, and equal bytes make equal contents.
    #[test]
    fn it_is_a_vector_with_holes() {
        let mut rng = crate::rng::SplitMix64::new(7);
        let (mut content, mut plain) = (Content::default(), Vec::new());
        for round in 0..2_000 {
            let offset = rng.below(5 * PAGE as u64) as usize;
            if rng.below(4) == 0 {
                content.resize(offset as u64);
                plain.resize(offset, 0);
            } else {
                let bytes = vec![(rng.below(3)) as u8; rng.below(2 * PAGE as u64) as usize];
                content.write(offset as u64, &bytes);
                plain.resize(plain.len().max(offset + bytes.len()), 0);
                plain[offset..offset + bytes.len()].copy_from_slice(&bytes);
            }
            assert_eq!(content.bytes(), plain, "round {round}");
            let mut again = Content::default();
            again.write(0, &plain);
            assert_eq!(content, again, "round {round}");
        }
    }

    #[test]
    fn a_file_that_is_nearly_all_hole_is_read_and_written_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let mut content = Content::default();
        content.write(1 << 30, b"far away");
        content.resize(1 << 40);
        let file =
            OpenOptions::new().read(true).write(true).create_new(true).open(folder.path().join("sparse")).unwrap();
        content.write_to(&file).unwrap();
        assert_eq!(Content::of(&file).unwrap(), content);
    }

    #[test]
    fn pieces_end_at_the_units_of_the_file() {
        let found: Vec<_> = pieces(1000, 600, 512).collect();
        assert_eq!(found, [0..24, 24..536, 536..600]);
        assert_eq!(pieces(512, 1024, 512).collect::<Vec<_>>(), [0..512, 512..1024]);
        assert_eq!(pieces(5, 0, 512).count(), 0);
    }
}
