//! Texts of statements and their identifiers.

use std::collections::HashMap;

/// Finds the identifier of a text. Programs that write values into their statements have very many, so the memory has a
/// bound: behind it the texts are forgotten, and get new identifiers if they come again.
#[derive(Default)]
pub(crate) struct TemplateTable {
    ids: HashMap<Box<[u8]>, u32>,
    bytes: usize,
    last: u32,
}

/// Bytes of texts, and their number, that are remembered.
const MOST_BYTES: usize = 16 << 20;
const MOST_TEXTS: usize = 50_000;

impl TemplateTable {
    /// Returns the identifier of a text, and whether it is new.
    pub(crate) fn id(&mut self, sql: &[u8]) -> (u32, bool) {
        if let Some(id) = self.ids.get(sql) {
            return (*id, false);
        }
        if self.bytes + sql.len() > MOST_BYTES || self.ids.len() >= MOST_TEXTS {
            self.ids.clear();
            self.bytes = 0;
        }
        self.last += 1;
        self.bytes += sql.len();
        self.ids.insert(sql.into(), self.last);
        (self.last, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_count_and_memory_is_bounded() {
        let mut table = TemplateTable::default();
        assert_eq!((table.id(b"a"), table.id(b"b"), table.id(b"a")), ((1, true), (2, true), (1, false)));
        for n in 0..2 * MOST_TEXTS as u32 {
            table.id(format!("INSERT {n}").as_bytes());
        }
        assert!(table.ids.len() <= MOST_TEXTS);
        assert_eq!(table.id(b"a"), (2 * MOST_TEXTS as u32 + 3, true));
        table.id(&vec![b' '; MOST_BYTES]);
        assert_eq!(table.ids.len(), 1);
    }
}
