//! The Jobs screen. `attach` checks it with real jobs in a real terminal.

use super::{Journey, copying::copied};
use dbdyno::tui::{
    Message, Response,
    keys::{KeyPress, ScreenId},
    screens::{
        ScreenResponse,
        jobs::{self, ListedJob},
    },
};
use dbdyno_running::jobs::JobKind;
use std::ops::Range;

/// A journey that has come from Live to the Jobs screen, with this many jobs. The first job measures, the second is a search for capacity.
fn with_jobs(number: usize, columns: u16, rows: u16) -> Journey {
    let mut journey = Journey::begin(columns, rows);
    journey.keys("2").keys("J");
    listed(&mut journey, 0..number);
    journey
}

/// Delivers a list of these jobs to the screen.
fn listed(journey: &mut Journey, jobs: Range<usize>) {
    let job = |at: usize| ListedJob {
        id: format!("{at:08x}"),
        kind: if at == 1 { JobKind::Capacity } else { JobKind::Session },
        measures: at == 0,
        state: if at == 0 { "measures" } else { "has ended" },
        started: "12:30 UTC".to_owned(),
        command: format!(
            "dbdyno run --suite kv --engine sqlite --engine lmdb:sync=nosync --repeat 10 --quiet --size {at}!"
        ),
    };
    let jobs = jobs::Response::Jobs(jobs.map(job).collect());
    journey.message(Message::Response(Box::new(Response::Screen(ScreenResponse::Jobs(jobs)))));
}

#[test]
fn jobs_are_listed_with_what_started_them_and_a_list_that_goes_on_says_so() {
    for (columns, rows) in [(80, 23), (120, 40), (200, 60)] {
        let mut journey = with_jobs(90, columns, rows);
        assert_eq!(journey.app.screen, ScreenId::Jobs);
        journey.shows("Live › Your jobs").shows("measures").shows("dbdyno run --suite kv --engine sqlite ");
        // The whole command of the job under the cursor is shown at every width.
        journey.shows("┌ 00000000 measures ").shows("--size 0!").shows("1 to ").shows(" of 90").hides("00000059");
        journey.key(KeyPress::End).shows("--size 89!").shows(" to 90 of 90").hides("00000001");
        journey.key(KeyPress::Esc);
        assert_eq!(journey.app.screen, ScreenId::Live);
    }
    with_jobs(0, 80, 23).shows("No jobs today").key(KeyPress::Enter).hides("1 to ");
    with_jobs(2, 80, 23).shows("00000001").hides("1 to 2");
}

#[test]
fn what_watches_a_job_is_copied_and_said_where_it_has_no_screen() {
    let mut journey = with_jobs(3, 80, 23);
    journey.keys("y").shows("copied: the command that watches the job");
    assert_eq!(copied(&journey), "dbdyno attach 00000000");
    journey.key(KeyPress::Down).key(KeyPress::Enter).shows("dbdyno attach 00000001");
    assert_eq!(journey.app.screen, ScreenId::Jobs);
}

#[test]
fn commands_lead_there_by_name() {
    let mut journey = Journey::begin(80, 24);
    journey.keys(":jobs").key(KeyPress::Enter).shows("Your jobs on this machine");
}

#[test]
fn the_list_is_read_again_while_it_is_seen_and_the_cursor_stays_on_its_job() {
    let mut journey = Journey::begin(80, 23);
    journey.keys("2").keys("J");
    listed(&mut journey, 2..5);
    journey.key(KeyPress::Down).shows("┌ 00000003 has ended ");
    listed(&mut journey, 0..5);
    journey.shows("┌ 00000003 has ended ");
    // The next read returns the jobs of this machine, which has none of these.
    journey.time(1_000).shows("00000002").time(3_000).hides("00000002");
}
