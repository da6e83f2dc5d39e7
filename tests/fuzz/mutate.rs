//! Inputs: arbitrary ones, and samples with a few changes.

use dbdyno_workload::rng::SplitMix64;

/// The maximum length of an input, in bytes.
const LONGEST: usize = 1 << 20;
/// The characters of arbitrary texts.
const ALPHABET: &str = "abkmnxyzEGR019 \t\n\r\"'`[](){}<>=!|,.;:?*\\/%+-_#$&^~@é\u{0}\u{1b}\u{202e}\u{fffd}😀";
/// Inputs that have broken parsers elsewhere.
const ODD: &[&[u8]] = &[
    b"\0",
    b"\xff\xfe",
    b"\xc3\x28",
    b"\xed\xa0\x80",
    b"\x1b[2J\x1b]0;title\x07",
    b"\r",
    b"\r\n",
    b"\n",
    b"\n\n",
    "\u{feff}".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{2028}".as_bytes(),
    "e\u{301}".as_bytes(),
    "İßſK".as_bytes(),
    "😀".as_bytes(),
    b"-0",
    b"0",
    b"1e999",
    b"-1e-999",
    b"nan",
    b"inf",
    b"0x10",
    b"1_000",
    b"18446744073709551615",
    b"18446744073709551616",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"99999999999999999999999999999999999999",
    b"4294967296",
    b"65536",
    b"''",
    b"\"",
    b"\\",
    b"\\u0000",
    b"%",
    b"{}",
    b"[]",
    b"null",
    b"true",
    b"--",
];
/// Pairs of texts that open and close nested structures.
const NESTING: [(&str, &str); 6] = [("[", "]"), ("(", ")"), ("{", "}"), ("{\"a\":", "}"), ("a.", "a"), ("i+", "i")];

/// A random number below a bound.
fn below(rng: &mut SplitMix64, bound: usize) -> usize {
    rng.below(bound as u64) as usize
}

fn one<'t, T>(rng: &mut SplitMix64, of: &'t [T]) -> Option<&'t T> {
    of.get(below(rng, of.len()))
}

/// Generates an input, usually from a sample with one to four changes.
pub(super) fn input(samples: &[Vec<u8>], rng: &mut SplitMix64) -> Vec<u8> {
    let mut input = match (below(rng, 12), one(rng, samples)) {
        (0, _) | (_, None) => bytes(rng),
        (1, _) => characters(rng),
        (_, Some(sample)) => sample.clone(),
    };
    for _ in 0..=below(rng, 4) {
        change(&mut input, samples, rng);
    }
    input.truncate(LONGEST);
    input
}

fn bytes(rng: &mut SplitMix64) -> Vec<u8> {
    let length = 1 << below(rng, 10);
    (0..below(rng, length)).map(|_| rng.next_u64() as u8).collect()
}

fn characters(rng: &mut SplitMix64) -> Vec<u8> {
    let alphabet: Vec<char> = ALPHABET.chars().collect();
    let length = 1 << below(rng, 8);
    (0..below(rng, length)).filter_map(|_| one(rng, &alphabet)).collect::<String>().into_bytes()
}

fn change(input: &mut Vec<u8>, samples: &[Vec<u8>], rng: &mut SplitMix64) {
    let at = below(rng, input.len() + 1);
    match below(rng, 14) {
        0 if at < input.len() => input[at] ^= 1 << below(rng, 8),
        1 if at < input.len() => input[at] = rng.next_u64() as u8,
        2 => {
            let removed = range(input, at, rng);
            drop(input.drain(removed));
        }
        3 => {
            let doubled = input[range(input, at, rng)].to_vec();
            insert(input, at, &doubled);
        }
        4 => input.truncate(at),
        5 => splice(input, at, samples, rng),
        6 => insert(input, at, &nested(rng)),
        7 => insert(input, at, &long(rng)),
        8 | 9 => replace_number(input, at, rng),
        10 => change_line(input, rng),
        11 => replace_quoted(input, at, rng),
        _ => insert(input, at, one(rng, ODD).copied().unwrap_or_default()),
    }
}

fn insert(input: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    drop(input.splice(at..at, bytes.iter().copied()));
}

/// A range of bytes from a position on, usually short.
fn range(input: &[u8], at: usize, rng: &mut SplitMix64) -> std::ops::Range<usize> {
    let length = 1 << below(rng, 12);
    at..input.len().min(at + below(rng, length) + 1)
}

/// Replaces the rest with the end of another sample.
fn splice(input: &mut Vec<u8>, at: usize, samples: &[Vec<u8>], rng: &mut SplitMix64) {
    if let Some(other) = one(rng, samples) {
        input.truncate(at);
        input.extend(&other[below(rng, other.len() + 1)..]);
    }
}

/// Nests a structure in itself many times, and closes it or leaves it open.
fn nested(rng: &mut SplitMix64) -> Vec<u8> {
    let Some((open, close)) = one(rng, &NESTING) else { return Vec::new() };
    let times = 1 << below(rng, 15);
    let closed = if below(rng, 2) == 0 { times } else { 1 };
    (open.repeat(times) + &close.repeat(closed)).into_bytes()
}

/// Repeats an odd or a plain text many times.
fn long(rng: &mut SplitMix64) -> Vec<u8> {
    let of: &[u8] = if below(rng, 2) == 0 { b"a" } else { one(rng, ODD).copied().unwrap_or_default() };
    of.repeat(1 << below(rng, 16))
}

/// Replaces the next number with another one.
fn replace_number(input: &mut Vec<u8>, at: usize, rng: &mut SplitMix64) {
    let Some(start) = input[at..].iter().position(u8::is_ascii_digit).map(|place| at + place) else { return };
    let length = input[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = match below(rng, 3) {
        0 => one(rng, ODD).copied().unwrap_or_default().to_vec(),
        1 => below(rng, 300).to_string().into_bytes(),
        _ => (1_u64 << below(rng, 64)).to_string().into_bytes(),
    };
    drop(input.splice(start..start + length, number));
}

/// Replaces the next text in quotes with an odd one.
fn replace_quoted(input: &mut Vec<u8>, at: usize, rng: &mut SplitMix64) {
    let quote = |from: usize| input[from..].iter().position(|byte| *byte == b'"').map(|place| from + place);
    let Some((start, end)) = quote(at).and_then(|start| Some((start + 1, quote(start + 1)?))) else { return };
    let text = if below(rng, 2) == 0 { characters(rng) } else { one(rng, ODD).copied().unwrap_or_default().to_vec() };
    drop(input.splice(start..end, text));
}

/// Removes, duplicates or moves a line.
fn change_line(input: &mut Vec<u8>, rng: &mut SplitMix64) {
    let mut lines: Vec<Vec<u8>> = input.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    if lines.is_empty() {
        return;
    }
    let (from, to) = (below(rng, lines.len()), below(rng, lines.len()));
    let line = match below(rng, 3) {
        0 => lines[from].clone(),
        _ => lines.remove(from),
    };
    if below(rng, 3) > 0 {
        lines.insert(to.min(lines.len()), line);
    }
    *input = lines.concat();
}
