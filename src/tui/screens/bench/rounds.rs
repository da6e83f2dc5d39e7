//! The number of rounds as it is typed and shown: `8`, or `8+20` for a session that goes on until all is decided.

use dbdyno_catalog::bench::Spec;

/// What may be typed.
pub(super) const ROUNDS_HELP: &str = "8; or 8+: until all is decided; or 8+20: in the time of 20 rounds";

/// Reads rounds, and the rounds whose time may go to what is undecided.
///
/// # Errors
/// What was expected.
pub(super) fn read_rounds(text: &str) -> Result<(u32, Option<u32>), String> {
    let (first, most) = text.split_once('+').map_or((text, None), |(first, most)| (first, Some(most)));
    let number = |part: &str| part.trim().parse().ok().filter(|number| (1..=10_000).contains(number));
    let most = most.map(|most| if most.trim().is_empty() { Some(Spec::DEFAULT_UNTIL_DECIDED) } else { number(most) });
    match (number(first), most) {
        (Some(rounds), None) => Ok((rounds, None)),
        (Some(rounds), Some(Some(most))) => Ok((rounds, Some(most))),
        _ => Err(format!("`{text}`: expected a whole number from 1 to 10000, or two as in 8+20")),
    }
}

/// Formats rounds as they are typed.
pub(super) fn shown_rounds(rounds: u32, until_decided: Option<u32>) -> String {
    match until_decided {
        None => rounds.to_string(),
        Some(Spec::DEFAULT_UNTIL_DECIDED) => format!("{rounds}+"),
        Some(most) => format!("{rounds}+{most}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_read_back_as_they_are_shown() {
        for (text, expected) in [("8", (8, None)), ("8+", (8, Some(100))), ("12+30", (12, Some(30)))] {
            assert_eq!(read_rounds(text), Ok(expected));
            assert_eq!(shown_rounds(expected.0, expected.1), text);
        }
        for wrong in ["", "+", "0", "8+0", "8+x", "10001", "-1"] {
            assert!(read_rounds(wrong).unwrap_err().contains("two as in 8+20"), "{wrong}");
        }
    }
}
