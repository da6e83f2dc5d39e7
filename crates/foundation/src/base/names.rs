//! Names in little space.

use console::{measure_text_width as width, truncate_str};

/// Truncates names to this number of terminal columns. Names that would become the same text keep their beginning and the part that
/// differs, instead of the part that they share.
pub fn told_apart(names: &[String], room: usize) -> Vec<String> {
    let cut: Vec<String> = names.iter().map(|name| truncate_str(name, room, "…").into_owned()).collect();
    let apart = |(name, short): (&String, &String)| {
        let alike: Vec<&String> = names
            .iter()
            .zip(&cut)
            .filter(|(other, cut)| *cut == short && *other != name)
            .map(|(other, _)| other)
            .collect();
        if alike.is_empty() { short.clone() } else { without_middle(name, common(name, &alike), room) }
    };
    names.iter().zip(&cut).map(apart).collect()
}

/// Returns the number of bytes of the prefix that a name shares with all others.
fn common(name: &str, others: &[&String]) -> usize {
    let with = |other: &&String| {
        let same = name.char_indices().zip(other.chars()).find(|((_, a), b)| a != b);
        same.map_or_else(|| name.len().min(other.len()), |((at, _), _)| at)
    };
    others.iter().map(with).min().unwrap_or(0)
}

/// Removes the middle of a name: keeps everything from this byte on, and as much of its beginning as fits.
fn without_middle(name: &str, from: usize, room: usize) -> String {
    let (head, tail) = name.split_at(from);
    let left = room.saturating_sub(width(tail) + 1);
    let text = format!("{}…{tail}", truncate_str(head, left, ""));
    truncate_str(&text, room, "…").into_owned()
}

#[cfg(test)]
mod tests {
    use super::told_apart;

    fn cut(names: &[&str], room: usize) -> Vec<String> {
        told_apart(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), room)
    }

    #[test]
    fn names_that_differ_are_told_apart_where_there_is_room_for_what_differs() {
        let [delete, wal] = ["sqlite[journal_mode=delete]", "sqlite[journal_mode=wal]"];
        assert_eq!(cut(&[delete, wal, "lmdb"], 16), ["sqlite[j…delete]", "sqlite[jour…wal]", "lmdb"]);
        assert_eq!(cut(&[delete, wal], 27), [delete, wal]);
        assert_eq!(
            cut(&[delete, delete], 16),
            ["sqlite[journal_…", "sqlite[journal_…"],
            "the same name is the same text"
        );
        assert_eq!(cut(&["größer-als-alle", "größer-als-viele"], 8), ["grö…alle", "gr…viele"]);
    }
}
