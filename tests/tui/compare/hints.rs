//! Hints name keys that do something now.

use super::{over, pairs};
use dbdyno::tui::keys::KeyPress;
use dbdyno_engine::durability::Tier;

#[test]
fn what_cannot_be_done_yet_is_not_hinted() {
    let mut journey = over(&pairs(&["1000"], Tier::PowerSafe), 200, 60);
    journey.shows("a side A").shows("Enter open").shows("C matrix");
    journey.hides("x explain").hides("e export").hides("p pivot").hides("s swap");
    journey.key(KeyPress::Enter).shows("x explain").shows("e export").shows("p pivot").shows("s swap");
    // No difference remains that could be allowed.
    journey.hides("o allow").keys("C").hides("C matrix").keys("/").keys("nothing").key(KeyPress::Enter);
    journey.hides("x explain").hides("Enter open");
    let mut tiers = over(&pairs(&["1000"], Tier::ProcessSafe), 200, 60);
    tiers.key(KeyPress::Enter).shows("o allow");
}

#[test]
fn nothing_is_hinted_of_what_is_not_there() {
    let mut journey = over(&pairs(&["1000"], Tier::PowerSafe), 200, 60);
    journey.keys("a").answer("engine=nothing").keys("b").answer("engine=y").shows("matches no stored result");
    // The hints return to the line after the message has been shown long enough.
    journey.time(30_000).hides("p pivot").hides("x explain").hides("o allow").shows("a side A");
}
