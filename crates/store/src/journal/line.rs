//! A line of a journal: the checksum of a batch, and the batch as JSON.

use super::super::Batch;

/// Returns the line of a batch, with its end.
pub(super) fn line(batch: &Batch) -> serde_json::Result<Vec<u8>> {
    let json = serde_json::to_string(batch)?;
    Ok(format!("{:08x} {json}\n", crc32c::crc32c(json.as_bytes())).into_bytes())
}

/// Parses the batch of a line without its end, or returns `None` if any byte differs from what was written.
pub(super) fn batch(line: &[u8]) -> Option<Batch> {
    let (check, json) = line.split_at_checked(8)?;
    let json = json.strip_prefix(b" ")?;
    // Compared as text, and not as a number: a change of a letter's case is damage too.
    let is_whole = format!("{:08x}", crc32c::crc32c(json)).as_bytes() == check;
    is_whole.then(|| serde_json::from_slice(json).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeyRecord;

    #[test]
    fn a_flipped_bit_is_noticed() {
        let key = KeyRecord { run_id: "r".to_owned(), key: "k".to_owned(), value: "ä\n,".to_owned() };
        let written = Batch { keys: vec![key], ..Batch::default() };
        let line = line(&written).unwrap();
        let (end, line) = line.split_last().unwrap();
        assert_eq!((*end, batch(line)), (b'\n', Some(written)));
        for bit in 0..line.len() * 8 {
            let mut flipped = line.to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(batch(&flipped), None, "bit {bit}");
        }
        assert_eq!(batch(b""), None);
        assert_eq!(batch(&line[..line.len() - 1]), None);
    }
}
