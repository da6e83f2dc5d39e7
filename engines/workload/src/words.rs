//! Numbers in English words, as SQL suites store them: small letters, single spaces, no hyphen, no "and".

const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 10] = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const SCALES: [(u64, &str); 6] = [
    (1_000_000_000_000_000_000, "quintillion"),
    (1_000_000_000_000_000, "quadrillion"),
    (1_000_000_000_000, "trillion"),
    (1_000_000_000, "billion"),
    (1_000_000, "million"),
    (1_000, "thousand"),
];

/// Appends a number: `14286` gives `fourteen thousand two hundred eighty six`. A negative one begins with `minus`.
///
/// ```
/// let mut text = String::new();
/// dbdyno_workload::words::push(&mut text, 14_286);
/// assert_eq!(text, "fourteen thousand two hundred eighty six");
/// ```
pub fn push(text: &mut String, number: i64) {
    if number < 0 {
        text.push_str("minus ");
    }
    let mut rest = number.unsigned_abs();
    if rest == 0 {
        text.push_str(SMALL[0]);
        return;
    }
    let mut first = true;
    for (scale, name) in SCALES {
        if rest >= scale {
            below_thousand(text, &mut first, rest / scale);
            word(text, &mut first, name);
            rest %= scale;
        }
    }
    below_thousand(text, &mut first, rest);
}

fn below_thousand(text: &mut String, first: &mut bool, mut number: u64) {
    if number >= 100 {
        word(text, first, SMALL[(number / 100) as usize]);
        word(text, first, "hundred");
        number %= 100;
    }
    if number >= 20 {
        word(text, first, TENS[(number / 10) as usize]);
        number %= 10;
    }
    if number > 0 {
        word(text, first, SMALL[number as usize]);
    }
}

fn word(text: &mut String, first: &mut bool, word: &str) {
    if !std::mem::replace(first, false) {
        text.push(' ');
    }
    text.push_str(word);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(number: i64) -> String {
        let mut text = String::new();
        push(&mut text, number);
        text
    }

    #[test]
    fn numbers_are_spelt_as_the_published_suite_does() {
        assert_eq!(words(0), "zero");
        assert_eq!(words(21), "twenty one");
        assert_eq!(words(110), "one hundred ten");
        assert_eq!(words(14_286), "fourteen thousand two hundred eighty six");
        assert_eq!(words(499_999), "four hundred ninety nine thousand nine hundred ninety nine");
        assert_eq!(words(1_000_000), "one million");
        assert_eq!(words(-15), "minus fifteen");
    }

    /// Counted over the rows of the published suite's test 4 at size 1, with SQLite's own program.
    #[test]
    fn as_many_numbers_hold_fifty_as_published() {
        let value = |i: i64| (14_285 * i - 14_284) % 500_000;
        assert_eq!((1..=25_000).filter(|&i| words(value(i)).contains("fifty")).count(), 4_944);
    }
}
