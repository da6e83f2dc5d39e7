//! Names of functions, as symbols have them and as people read them.

use dbdyno_foundation::base::units::plain;

/// Hexadecimal digits of the hash that Rust appends to symbols.
const HASH: usize = 16;
/// Segments of a path that a short name keeps: a method with its type, or a function with its module.
const SEGMENTS: usize = 2;

/// Returns a symbol without the hash at its end, so that the same function of two builds has one name.
pub(super) fn without_hash(symbol: &str) -> &str {
    match symbol.rsplit_once("::h") {
        Some((path, hash)) if hash.len() == HASH && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => path,
        _ => symbol,
    }
}

/// Returns the last two segments of a function's path, without generic arguments and parameters: `Tree::insert` for
/// `<store::Tree<u64> as api::Engine>::insert`. Names of C, and names that cannot be read like this, stay as they are.
pub(super) fn short(name: &str) -> String {
    let name = plain(name);
    if !name.contains("::") && !name.contains('(') {
        return name;
    }
    let bare = bare(&of_its_type(name.split(" [clone").next().unwrap_or(&name)));
    // A return type precedes the path of a C++ template; the spaces of `operator new` are part of the path.
    let bare = bare.trim().trim_end_matches(" const");
    let path_end = bare.find("operator").unwrap_or(bare.len());
    let path = &bare[bare[..path_end].rfind(' ').map_or(0, |space| space + 1)..];
    let segments: Vec<&str> = path.split("::").filter(|segment| !segment.is_empty()).collect();
    let kept = segments[segments.len().saturating_sub(SEGMENTS)..].join("::");
    if kept.is_empty() { name } else { kept }
}

/// Replaces the `<Type as Trait>` at the beginning of a path by the type.
fn of_its_type(name: &str) -> String {
    let Some(rest) = name.strip_prefix('<') else { return name.to_owned() };
    let mut depth = 1;
    let mut before = '<';
    for (at, c) in rest.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let inner = &rest[..at];
            let of = inner.split_once(" for ").map_or(inner, |(_, of)| of);
            return bare(of.split(" as ").next().unwrap_or(of)) + &rest[at + 1..];
        }
        before = c;
    }
    name.to_owned()
}

/// Removes generic arguments and parameters with their brackets. The brackets in the names of operators stay.
fn bare(name: &str) -> String {
    let name = name.replace("(anonymous namespace)", "{anonymous}");
    let mut bare = String::new();
    let mut depth = 0_usize;
    let mut before = ' ';
    for c in name.chars() {
        let is_operator = bare.ends_with("operator") || c == '<' && bare.ends_with("operator<");
        match c {
            '<' | '(' if depth > 0 || !is_operator => depth += 1,
            '>' if before == '-' && depth > 0 => {}
            '>' | ')' if depth > 0 => depth -= 1,
            _ if depth == 0 => bare.push(c),
            _ => {}
        }
        before = c;
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_have_two_segments_and_no_arguments() {
        for (name, expected) in [
            ("sqlite3VdbeExec", "sqlite3VdbeExec"),
            ("pread64", "pread64"),
            ("__x64_sys_pread64_[k]", "__x64_sys_pread64_[k]"),
            ("dbdyno_workload::run::timed", "run::timed"),
            ("core::ops::function::FnOnce::call_once{{vtable.shim}}", "FnOnce::call_once{{vtable.shim}}"),
            ("<redb::tree::Tree<K,V> as dbdyno_engine::KvEngine<'_>>::insert", "Tree::insert"),
            ("<alloc::vec::Vec<T,A> as core::ops::Drop>::drop", "Vec::drop"),
            ("<dyn store::Pages>::read", "Pages::read"),
            ("redb::tree::Tree<&[u8], fn(u8) -> u8>::insert", "Tree::insert"),
            ("core::num::<impl core::fmt::Display for u32>::fmt", "num::fmt"),
            ("run::timed::<lmdb::Lmdb>", "run::timed"),
            ("void std::__sort<int*, __less<int, int>>(int*, int*)", "std::__sort"),
            ("rocksdb::(anonymous namespace)::Scan::Next(rocksdb::Slice&) const", "Scan::Next"),
            ("Row::operator()(int) const", "Row::operator()"),
            ("Row::operator<(Row const&)", "Row::operator<"),
            ("ns::Row::operator new(unsigned long)", "Row::operator new"),
            ("leveldb::Get(int) [clone .cold]", "leveldb::Get"),
        ] {
            assert_eq!(short(name), expected, "{name}");
        }
    }

    #[test]
    fn names_that_cannot_be_read_stay_and_control_characters_do_not() {
        for name in ["", "::", "<a::b", "()", "<script>", "a b", "operator"] {
            assert_eq!(short(name), name);
        }
        assert_eq!(short("a\u{1b}[2J"), "a\\u{1b}[2J");
    }

    #[test]
    fn only_a_hash_is_removed_from_symbols() {
        assert_eq!(without_hash("run::timed::h0123456789abcdef"), "run::timed");
        assert_eq!(without_hash("run::hash"), "run::hash");
        assert_eq!(without_hash("run::h0123456789abcdeg"), "run::h0123456789abcdeg");
    }
}
