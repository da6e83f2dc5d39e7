//! The filter line, on a store that the real program filled.

use super::{Journey, results::stored};
use dbdyno::tui::{Command, Message, keys::KeyPress};

/// The configurations of such a store: two of the null engine, 32 results.
fn begin(columns: u16, rows: u16) -> Journey {
    let mut journey = Journey::begin_in(stored(), columns, rows);
    journey.keys("3").shows("Results 32 · 2 configurations");
    journey
}

#[test]
fn a_filter_is_seen_while_it_is_typed_and_esc_puts_the_former_one_back() {
    for (columns, rows) in [(80, 23), (120, 40), (200, 60)] {
        let mut journey = begin(columns, rows);
        journey.keys("/latency_ns=2000").shows("Results / latency_ns=2000").shows("16 of 32 · 1 configuration ");
        journey.key(KeyPress::Esc).shows("Results 32 · 2 configurations");
        journey.keys("/latency_ns=200").key(KeyPress::Enter).keys("/").key(KeyPress::Ctrl('u'));
        journey.shows("Results 32 · 2").key(KeyPress::Esc).shows("16 of 32").shows("/ latency_ns=200");
    }
}

#[test]
fn words_and_amounts_narrow_and_a_key_that_is_begun_does_not() {
    let mut journey = begin(120, 40);
    journey.keys("v").keys("/2000 random").shows("Results 6 of 32").key(KeyPress::Esc);
    journey.keys("/RANDOM latency_ns=2000 eng").shows("Results 6 of 32").key(KeyPress::Esc);
    journey.keys("/wall>1h").shows("Results 0 of 32").shows("Nothing matches the filter").key(KeyPress::Esc);
    journey.keys("/wall<1h size>=1k size<2k").key(KeyPress::Enter).shows("Results 32 ·");
}

#[test]
fn what_is_wrong_is_said_below_the_line_while_the_last_list_stays() {
    let mut journey = begin(80, 24);
    journey.keys("/latency_ns=2000 p99>5").shows("✗ `p99>5`: expected a time with its unit").shows("1 configuration ");
    journey.key(KeyPress::Enter).shows("✗ `p99>5`").keys("s").hides("✗ `").key(KeyPress::Esc).shows("2 configurations");
}

#[test]
fn keys_and_values_are_completed_from_the_store() {
    let mut journey = begin(80, 24);
    journey.keys("/eng").shows("engine=").key(KeyPress::Tab).shows("/ engine=").shows("null ").shows("4 runs");
    journey
        .key(KeyPress::Tab)
        .shows("/ engine=null")
        .keys("laten")
        .key(KeyPress::Tab)
        .shows("/ engine=null latency_ns=");
    journey.key(KeyPress::Ctrl('n')).key(KeyPress::Tab).shows("1 configuration ");
    journey.key(KeyPress::Ctrl('u')).keys("session=").shows("the newest session").click("the newest session");
    journey.shows("/ session=last").key(KeyPress::Enter).shows("/ session=last");
}

#[test]
fn filters_of_before_come_back_also_after_a_restart() {
    let mut journey = begin(80, 24);
    journey.keys("/latency_ns=2000").key(KeyPress::Enter).keys("/").key(KeyPress::Ctrl('u')).keys("round=1");
    journey.key(KeyPress::Enter).shows("16 of 32 · 2 configurations");
    let kept = std::fs::read_to_string(journey.place().path("config/filter-history")).unwrap();
    assert_eq!(kept, "latency_ns=2000\nround=1\n");
    journey.keys("/").key(KeyPress::Up).key(KeyPress::Up).shows("/ latency_ns=2000").shows("1 configuration ");
    journey.key(KeyPress::Down).shows("Results / round=1").key(KeyPress::Esc).shows("/ round=1");
}

#[test]
fn what_was_typed_last_is_shown_whatever_comes_last() {
    let mut journey = begin(80, 24);
    journey.keys("/latency_ns=200");
    let mut press = |key| -> Vec<Command> { journey.app.update(Message::Key(key)) };
    let (first, second) = (press(KeyPress::Char('0')), press(KeyPress::Backspace));
    assert_eq!((first.len(), second.len()), (1, 1), "{first:?} {second:?}");
    journey.perform(second);
    journey.perform(first);
    journey.shows("Results / latency_ns=200").shows("1 configuration ").hides("latency_ns=2000").hides("cancelled:");
}

#[test]
fn a_view_is_saved_and_shown_again_from_another_screen() {
    let mut journey = begin(120, 40);
    journey.keys("v").command("sort by p99").keys("r").shows("by p99 ▼");
    journey.keys("/latency_ns=2000").key(KeyPress::Enter).command("save view slow one").shows("saved: `view slow one`");
    let kept = std::fs::read_to_string(journey.place().path("config/views.toml")).unwrap();
    assert!(kept.contains("name = \"slow one\"") && kept.contains("latency_ns=2000"), "{kept}");
    journey.key(KeyPress::Esc).keys("v").shows("2 configurations").keys("1:view ").shows("slow one");
    journey.key(KeyPress::Enter).shows("16 of 32").shows("by p99 ▼").shows("/ latency_ns=2000");
    journey.command("view nothing").shows("✗ `nothing`: expected VIEW, such as slow one");
}

#[test]
fn a_file_of_views_that_cannot_be_read_is_not_written_over() {
    let mut journey = begin(80, 24);
    let path = journey.place().path("config/views.toml");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "[[view]]\nname = 3\n").unwrap();
    journey.command("save view x").shows("✗ the view is not saved").hides("✓ saved");
    assert!(std::fs::read_to_string(&path).unwrap().contains("name = 3"));
}
