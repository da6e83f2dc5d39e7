//! Texts from engines and from other people's results. Whatever they contain, no output has anything that a terminal, a browser, a Markdown
//! viewer or a spreadsheet would execute. An engine's changes to files stay in its folder.

use crate::{
    sheets::{has_equal_cells, has_equal_columns, is_well_formed},
    support::{Done, Place, csv_records, pseudo_terminal, wait_until},
};
use dbdyno_engine::{confine::landlock_version, say::is_obeyed};
use dbdyno_workload::histogram::{empty, to_base64};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::symlink};

/// A formula, colours, a tag, a cell's end, a link, code, a line's end, right-to-left text, a one-byte control, a bell.
const EVIL: &str =
    "=cmd|' /C calc'!A0\u{1b}[31m<script>alert(1)</script>| a |](javascript:x) `id`\n\u{202e}txt\u{9b}2J\u{7}";

/// An outside engine whose answers come from files: its description, and its events for a job whose first test it runs.
fn engine(place: &Place, name: &str, described: &Value, events: &[Value]) {
    let folder = place.path(name);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("description"), described.to_string()).unwrap();
    let mut script = format!("cd '{}'\n[ \"$1\" = describe ] && exec cat description\nread -r job\n", folder.display());
    for (event, at) in events.iter().zip(0..) {
        fs::write(folder.join(format!("event{at}")), format!("{event}\n")).unwrap();
        let waits = matches!(event["event"].as_str(), Some("opened" | "test_done"));
        script += &format!("cat event{at}\n{}", if waits { "read -r line\n" } else { "" });
    }
    fs::write(folder.join("log"), EVIL).unwrap();
    place.engine(name, &(script + "cat log >&2\n"));
}

fn described(name: &str) -> Value {
    json!({
        "protocol": 1, "name": name, "about": EVIL, "version": EVIL, "build": [EVIL], "source": EVIL, "suites": ["kv"],
        "options": [{"name": "evil", "type": "choice", "choices": [EVIL, "plain"], "default": EVIL, "help": EVIL}],
        "tiers": [{"when": {}, "tier": 1, "reason": EVIL}], "licence": EVIL, "languages": [EVIL],
    })
}

/// Runs a session of an engine that succeeds and of one that fails, both with such texts.
fn run_engines(place: &Place) -> Done {
    let opened =
        json!({"event": "opened", "version": EVIL, "build": [EVIL], "source": EVIL, "in_force": {}, "open_ns": 5});
    let started = json!({"event": "test_started", "test": 1, "name": EVIL, "measured": true, "operations": 1000});
    let done = json!({
        "event": "test_done", "test": 1, "measured": true, "wall_ns": 1000, "operations": 1000, "rows": 0, "verification": EVIL,
        "peak_rss_bytes": 1, "database_bytes": 1, "side_bytes": 0, "operations_per_sample": 1, "histogram": to_base64(&empty()),
    });
    let failed = json!({"event": "failed", "test": 1, "message": EVIL, "database_usable": false});
    let end = json!({"event": "done"});
    engine(place, "hostile", &described("hostile"), &[opened.clone(), started.clone(), done, end]);
    engine(place, "broken", &described("broken"), &[opened, started, failed]);
    let engines = ["--engine", "hostile", "--engine", "broken"];
    place.run(&[&["run", "--suite", "kv", "--size", "1000", "--test", "1", "--repeat", "1"][..], &engines].concat())
}

const SESSION_A: &str = "00000000-0000-7000-8000-00000000000a";
const SESSION_B: &str = "00000000-0000-7000-8000-00000000000b";

/// A listing of two sessions of six runs each, in which all texts are of this kind.
fn import_listing(place: &Place) {
    let row = |session: &str, run: u32| {
        let end = if session == SESSION_A { "a" } else { "b" };
        json!({
            "session_id": session, "run_id": format!("00000000-0000-7000-8000-0000000{end}{run:04}"), "round": run,
            "suite": format!("{EVIL}suite"), "test": 1, "test_name": format!("{EVIL}test"), "size": "1000",
            "engine": format!("{EVIL}{end}"), "engine_version": EVIL, "label": format!("{EVIL}{end}"),
            "options": {"evil": format!("{EVIL}{end}")}, "status": "ok", "run_status": "done", "wall_ns": 1_000_000 + run,
            "host": EVIL, "host_id": "evil", "cpu": EVIL, "disk": EVIL, "preset": EVIL, "failure": null, "tier": 1,
            "started_at": "2026-01-01 00:00:00", "keys": {"room": EVIL}, "tags": [EVIL], "source": EVIL,
        })
    };
    let rows: Vec<Value> = [SESSION_A, SESSION_B].iter().flat_map(|id| (0..6).map(move |run| row(id, run))).collect();
    fs::write(place.path("listing.json"), Value::from(rows).to_string()).unwrap();
    let listing = place.path("listing.json");
    let imported = place.run(&["import", listing.to_str().unwrap()]);
    assert_eq!(imported.code, Some(0), "{}", imported.stderr);
}

/// Asserts that text for people contains no control other than line ends.
#[track_caller]
fn is_plain(what: &str, text: &str) {
    let obeyed = text.chars().find(|c| *c != '\n' && is_obeyed(*c));
    assert_eq!(obeyed, None, "{what}: {text:?}");
}

#[track_caller]
fn is_markdown(what: &str, text: &str) {
    is_plain(what, text);
    assert!(!text.contains("<script"), "{what}: {text}");
    for (at, _) in text.match_indices("](").chain(text.match_indices('`')) {
        assert!(text[..at].ends_with('\\'), "{what}: {text}");
    }
    has_equal_cells(what, text);
}

#[track_caller]
fn is_csv(what: &str, text: &str) {
    let records = csv_records(text);
    assert!(records.len() > 1, "{what}: {text}");
    for cell in records.iter().flatten() {
        let live = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) && cell.parse::<f64>().is_err();
        assert!(!live, "{what}: {cell:?}");
    }
    has_equal_columns(what, text);
}

#[track_caller]
fn is_html(what: &str, text: &str) {
    is_plain(what, text);
    assert!(!text.contains("<script") && text.contains("&lt;script"), "{what}: {text}");
    is_well_formed(what, text);
}

/// Asserts that the output of a command is harmless in a format.
#[track_caller]
fn is_harmless(place: &Place, command: &[&str], format: &str) {
    let arguments = [command, &["--format", format]].concat();
    let done = place.run(&arguments);
    let what = format!("{arguments:?}");
    assert_eq!(done.code, Some(0), "{what}: {}", done.stderr);
    is_plain(&what, &done.stderr);
    match format {
        "csv" => is_csv(&what, &done.stdout),
        "json" => drop(serde_json::from_str::<Value>(&done.stdout).unwrap()),
        "html" => is_html(&what, &done.stdout),
        "markdown" => is_markdown(&what, &done.stdout),
        _ => is_plain(&what, &done.stdout),
    }
}

#[test]
fn plans_of_an_engine_are_cut_and_its_run_is_not_refused() {
    let place = Place::new();
    let opened = json!({"event": "opened", "version": "1", "in_force": {}, "open_ns": 5});
    let started = json!({"event": "test_started", "test": 1, "name": "x", "measured": true, "operations": 1000});
    let mut plans = vec![json!({"statement": EVIL, "plan": ["x".repeat(1 << 20), EVIL]})];
    plans.extend((0..1_000).map(|number| json!({"statement": format!("more {number}"), "plan": [EVIL, "SCAN t"]})));
    let done = json!({
        "event": "test_done", "test": 1, "measured": true, "wall_ns": 1000, "operations": 1000, "rows": 0, "verification": null,
        "peak_rss_bytes": 1, "database_bytes": 1, "side_bytes": 0, "operations_per_sample": 1, "histogram": to_base64(&empty()),
        "plans": plans,
    });
    engine(&place, "hostile", &described("hostile"), &[opened, started, done, json!({"event": "done"})]);
    let run = ["run", "--engine", "hostile", "--suite", "kv", "--size", "1000", "--test", "1", "--repeat", "1"];
    assert_eq!(place.run(&run).code, Some(0));
    assert_eq!(place.value("SELECT count(*) FROM results WHERE status = 'ok'"), "1");
    let stored = "SELECT count(*), max(length(plan)) FROM query_plan";
    assert_eq!(place.rows(stored), [["16", "4000"]]);
    let controls = r"SELECT count(*) FROM query_plan WHERE regexp_matches(statement || replace(plan, chr(10), ''), '[\x00-\x1f\x7f]')";
    assert_eq!(place.value(controls), "0");
}

#[test]
fn no_output_has_anything_live_of_what_engines_and_others_results_say() {
    let place = Place::new();
    let done = run_engines(&place);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stdout.contains("alert(1)") || done.stderr.contains("alert(1)"), "{}{}", done.stdout, done.stderr);
    is_plain("run", &done.stdout);
    is_plain("run", &done.stderr);
    import_listing(&place);
    place.ok(&["tag", "--add", EVIL, "--all"]);
    place.ok(&["note", "--text", EVIL, "--all"]);
    place.ok(&["key", "--set", &format!("room={EVIL}"), "--all"]);
    let data = ["table", "csv", "json"];
    let all = ["table", "markdown", "csv", "json", "html"];
    let (a, b) = (format!("session={SESSION_A}"), format!("session={SESSION_B}"));
    let commands: [(&[&str], &[&str]); 14] = [
        (&["list", "engines"], &all),
        (&["list", "options"], &all),
        (&["results"], &data),
        (&["results", "--runs"], &data),
        (&["results", "--columns", "all"], &data),
        (&["results", "--details"], &data),
        (&["results", "--group-by", "label,host"], &data),
        (&["results", "--matrix"], &all),
        (&["results", "--matrix", "--by-configuration"], &all),
        (&["results", "--transpose"], &all),
        (&["sql", "FROM results"], &data),
        (&["compare", "--a", &a, "--b", &b], &["table", "markdown", "csv", "json", "html", "svg", "benchfmt"]),
        (&["compare", "--reference", &a, "--with", &b], &["table", "markdown", "csv", "json", "html"]),
        (&["trend", &a], &all),
    ];
    for (command, formats) in commands {
        for format in formats {
            is_harmless(&place, command, format);
        }
    }
    let exported = |format: &str| {
        let out = place.path("exported");
        place.ok(&["export", "--format", format, "--out", out.to_str().unwrap()]);
        fs::read_to_string(out).unwrap()
    };
    is_csv("export", &exported("csv"));
    assert_eq!(serde_json::from_str::<Vec<Value>>(&exported("json")).unwrap().len(), 13);
    for wrong in [&["results", EVIL][..], &["run", "--suite", EVIL], &["list", EVIL]] {
        let done = place.run(wrong);
        assert_eq!(done.code, Some(2), "{}", done.stdout);
        is_plain(wrong[0], &done.stderr);
    }
}

#[test]
fn a_terminal_obeys_nothing_of_formats_for_programs() {
    let place = Place::new();
    import_listing(&place);
    let query = ["sql", "SELECT DISTINCT label FROM results ORDER BY 1 LIMIT 1", "--format", "csv"];
    let mut terminal = pseudo_terminal(&place, &query, (200, 10));
    let screen = || terminal.screen.lock().unwrap().screen().contents();
    wait_until("the label is shown", || screen().contains("\\u{7}"));
    assert!(screen().contains("\\u{1b}[31m<script>") && screen().contains("\\u{202e}"), "{}", screen());
    terminal.child.wait().unwrap();
}

/// Runs an engine whose script does something with files before it reports that it is done.
fn files_of(place: &Place, script: &str) -> Done {
    let description = json!({
        "protocol": 1, "name": "writer", "about": "x", "version": "1", "suites": ["kv"], "options": [], "tiers": [],
    });
    fs::write(place.path("description"), description.to_string()).unwrap();
    place.engine(
        "writer",
        &format!(
            "[ \"$1\" = describe ] && {{ echo x >'{root}/described' ; exec cat '{root}/description'; }}\nread -r job\n\
             folder=${{job##*'\"folder\":\"'}}; folder=${{folder%%'\"'*}}; run=${{folder%/*}}; root='{root}'\n{script}\n\
             echo '{{\"event\":\"failed\",\"test\":null,\"message\":\"it wrote\",\"database_usable\":true}}'; exit 1",
            root = place.path("").display()
        ),
    );
    place.run(&["run", "--suite", "kv", "--engine", "writer", "--size", "1000", "--test", "1", "--repeat", "1"])
}

#[test]
fn an_engine_writes_to_its_own_folder_only() {
    let place = Place::new();
    if landlock_version().is_none() {
        dbdyno_engine::say!("not checked: the kernel has no Landlock");
        return;
    }
    fs::write(place.path("mine"), "mine").unwrap();
    let done = files_of(
        &place,
        "mkdir -p \"$folder/sub\" && echo x >\"$folder/sub/file\" && echo y >\"$TMPDIR/file\" && echo own >&2\n\
         (echo x >\"$root/mine\"); (echo x >\"$root/new\"); (rm \"$root/mine\"); (mv \"$run\" \"$root/taken\")\n\
         ls /proc/self/fd | tr '\\n' ' ' >&2; ulimit -c >&2",
    );
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    let log = place.value("SELECT log FROM run");
    // `ls` also has the folder open that it lists.
    assert!(log.contains("own\n") && log.contains("0 1 2 3 0\n"), "{log}");
    assert_eq!(fs::read_to_string(place.path("mine")).unwrap(), "mine");
    for made in ["new", "taken", "described"] {
        assert!(!place.path(made).exists(), "{made}");
    }
    assert_eq!(place.left_behind().len(), 0, "no folder is left");
}

#[test]
fn cleaning_up_follows_no_link_that_an_engine_made() {
    let place = Place::new();
    fs::create_dir(place.path("elsewhere")).unwrap();
    fs::write(place.path("elsewhere/mine"), "mine").unwrap();
    let done = files_of(
        &place,
        "mkdir \"$folder\"; ln -s \"$root/elsewhere\" \"$folder/link\"; ln -s \"$root/elsewhere\" \"$run/link\"\n\
         rm -f \"$run/.dbdyno-scratch\"; mv \"$folder\" \"$folder.away\"; ln -s \"$root/elsewhere\" \"$folder\"",
    );
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert_eq!(fs::read_to_string(place.path("elsewhere/mine")).unwrap(), "mine");
    assert_eq!(place.left_behind().len(), 0, "no folder is left");
}

#[test]
fn names_never_leave_their_folder() {
    let place = Place::new();
    let kv = concat!(env!("CARGO_MANIFEST_DIR"), "/suites/kv.toml");
    fs::copy(kv, place.path("outside.toml")).unwrap();
    symlink(place.path("outside.toml"), place.path("config/suites/linked.toml")).unwrap();
    let absolute = place.path("outside");
    for name in ["../../outside", "../outside", absolute.to_str().unwrap(), "a\nb", "..", ".", ""] {
        for command in [
            &["run", "--engine", "null", "--suite", name][..],
            &["--preset", name],
            &["claims", name],
            &["run", "--suite", "kv", "--engine", name],
        ] {
            let done = place.run(command);
            assert_eq!(done.code, Some(2), "{command:?}: {}{}", done.stdout, done.stderr);
            is_plain(name, &done.stderr);
        }
    }
    // A link that the user created is allowed.
    assert!(place.ok(&["list", "suites"]).contains("linked"));
}
