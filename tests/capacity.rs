//! `dbdyno capacity`: against a queue whose response times are known, and the search against servers that are made up.

use crate::support::Place;
use dbdyno::{
    capacity::{Answer, End, Ends, Estimate, Found, Probe, Promise, Promises, Search},
    stats::median_interval,
};
use dbdyno_workload::rng::SplitMix64;
use serde_json::Value;

/// Response times of M/D/1 in service times: made by tests/tables/queue/make.py.
const MD1: &str = include_str!("tables/queue/md1.csv");

/// The quantile of the response times at a utilisation, in service times.
fn response(utilisation: &str, quantile: &str) -> f64 {
    let line = MD1.lines().find_map(|line| line.strip_prefix(&format!("{utilisation},{quantile},")));
    line.unwrap().parse().unwrap()
}

/// An engine in simulated time, each of whose operations takes so many microseconds.
fn server(micros: u32) -> String {
    format!("null:clock=simulated,latency_ns={}", micros * 1_000)
}

const LOOKUPS: [&str; 8] = ["capacity", "--suite", "kv", "--test", "Random reads", "--size", "1000", "--quiet"];

fn found(place: &Place, arguments: &[&str]) -> Value {
    let said = place.ok(&[&LOOKUPS[..], arguments, &["--format", "json"]].concat());
    serde_json::from_str::<Value>(&said).unwrap()["capacity"].take()
}

#[test]
fn the_rate_of_a_known_queue_is_found() {
    let place = Place::new();
    let engine = server(100);
    for (utilisation, quantile, percent) in [("0.5", "0.99", "p99"), ("0.85", "0.99", "p99"), ("0.85", "0.9", "p90")] {
        let slo = format!("{percent}={}us", response(utilisation, quantile) * 100.0);
        let probes = ["--seconds", "60", "--precision", "2%", "--seed", "7"];
        let found = found(&place, &[&["--engine", &engine, "--slo", &slo][..], &probes].concat());
        let one = &found["capacities"][0];
        let (rate, busy) = (one["answer"]["rate"].as_f64().unwrap(), one["answer"]["at"]["busy"].as_f64().unwrap());
        let right = utilisation.parse::<f64>().unwrap() * 10_000.0;
        assert!((rate / right - 1.0).abs() < 0.03, "{slo}: {rate} of {right}");
        assert!((busy * 10_000.0 / right - 1.0).abs() < 0.03, "{slo}: busy {busy}");
        assert_eq!(one["answer"]["broken"][0], percent, "{one}");
        let range = &one["answer"]["interval"];
        let (low, high) = (range["low"].as_f64().unwrap(), range["high"].as_f64().unwrap());
        assert!(low <= rate && rate <= high && high / low < 1.05, "{slo}: {low} to {high}");
    }
}

#[test]
fn two_engines_are_compared_by_rounds_and_probes_are_stored_as_runs() {
    let place = Place::new();
    let (fast, slow) = (server(100), server(120));
    let engines = ["--engine", &fast, "--engine", &slow, "--slo", "p99=5ms", "--seconds", "20", "--seed", "3"];
    let found = found(&place, &engines);
    let duel = &found["duels"][0];
    let ratio = duel["ratio"].as_f64().unwrap();
    assert!((ratio - 0.833).abs() < 0.015, "{ratio}");
    assert_eq!((&duel["verdict"]["word"], duel["pairs"].as_u64()), (&Value::from("faster"), Some(6)), "{duel}");
    // One session, in which every probe is a run, with its rate among its options; rounds are paired by their seed.
    let sessions = "SELECT count(DISTINCT session_id), bool_and(planned_runs > 20) FROM session";
    assert_eq!(place.rows(sessions), [["1", "true"]]);
    let rates = "SELECT count(*) FROM results r JOIN actor_result a USING (run_id, test, actor) WHERE actor = 'client'
                 AND options['offered_rate'] = arrival_rate::VARCHAR AND options['gaps'] = 'poisson'
                 AND r.response_p99_ns > 0 AND keys['capacity'] = 'p99=5ms'";
    assert!(place.value(rates).parse::<u32>().unwrap() > 40, "{}", place.value(rates));
    let seeds =
        "SELECT count(*) FROM (SELECT round FROM run WHERE round > 0 GROUP BY round HAVING count(DISTINCT seed) <> 1)";
    assert_eq!(place.value(seeds), "0");
    let shown = place.ok(&["results", "capacity=p99=5ms", "offered_rate>=1"]);
    assert!(shown.contains("Random reads"), "{shown}");
    let done = place.run(&["resume", &place.value("SELECT session_id FROM session")]);
    assert_eq!(done.code, Some(2), "{}", done.stderr);
}

#[test]
fn a_promise_that_no_rate_keeps_and_one_that_all_keep_are_said() {
    let place = Place::new();
    let said = |arguments: &[&str]| place.ok(&[&LOOKUPS[..], arguments].concat());
    let engine = server(12_000);
    let none = said(&["--engine", &engine, "--slo", "p99=10ms", "--from", "20"]);
    assert!(none.contains("no rate: at 20/s p99 is ") && none.contains(" ms"), "{none}");
    let engine = server(10);
    let all = said(&["--engine", &engine, "--slo", "p99=10ms", "--to", "500"]);
    assert!(all.contains("at least 500/s") && all.contains("--to"), "{all}");
    // Fifty million a second one after the other: more than can be offered, and few enough to be run.
    let engine = server(0).replace("latency_ns=0", "latency_ns=20");
    let generator = said(&["--engine", &engine, "--slo", "p99=10s", "--seconds", "1", "--warm-up", "0"]);
    assert!(generator.contains("the generator, not the engine, is the limit"), "{generator}");
}

#[test]
fn what_cannot_be_due_at_a_rate_is_refused_with_the_reason() {
    let place = Place::new();
    let refused = |arguments: &[&str], says: &str| {
        let done = place.run(&[&["capacity"], arguments].concat());
        assert_eq!(done.code, Some(2), "{}", done.stderr);
        assert!(done.stderr.contains(says), "{says}: {}", done.stderr);
    };
    let slo = ["--slo", "p99=5ms", "--engine", "null"];
    let of = |suite, test| [&["--suite", suite, "--test", test][..], &slo].concat();
    refused(&of("kv", "1"), "many operations into one transaction");
    refused(&of("kv", "3"), "one scan of all rows");
    refused(&of("lumosql", "1"), "of kind sql");
    refused(&of("contention", "4"), "writers or readers");
    refused(&[&of("contention", "4")[..], &["--actor", "nobody"]].concat(), "no actor `nobody`");
    refused(&[&of("contention", "3")[..], &["--set", "contention.readers=0"]].concat(), "no threads");
    refused(&[&of("kv", "2")[..], &["--from", "1"]].concat(), "give 19 or more");
    refused(&["--suite", "kv", "--test", "2", "--engine", "null", "--slo", "failures=1%"], "at least one quantile");
    let dry = place.ok(&[&["capacity", "--dry-run"], &of("contention", "3")[..]].concat());
    assert!(dry.contains("p99=5ms") && dry.contains("6 rounds"), "{dry}");
}

#[test]
fn wrong_answers_and_failed_runs_give_no_rate() {
    let place = Place::new();
    let accounts =
        ["capacity", "--suite", "contention", "--test", "5", "--actor", "auditor", "--size", "1000", "--quiet"];
    let how = ["--slo", "p50=1s", "--seconds", "1", "--warm-up", "0", "--engine", "null:answers=torn"];
    let done = place.run(&[&accounts[..], &how].concat());
    assert_eq!(done.code, Some(1), "{}{}", done.stdout, done.stderr);
    assert!(done.stdout.contains("its answers are wrong"), "{}", done.stdout);
    let done = place.run(&[&LOOKUPS[..], &["--slo", "p50=1s", "--engine", "null:fault=fail,fault_session=1"]].concat());
    assert_eq!(done.code, Some(1), "{}{}", done.stdout, done.stderr);
    assert!(done.stdout.contains("no answer: the probe"), "{}", done.stdout);
}

const ENDS: Ends = Ends { lowest: 10, highest: 1_000_000 };

/// Where a search ends on a server, and how many probes it takes.
fn ended(mut search: Search, mut holds: impl FnMut(u64) -> bool) -> (End, usize) {
    for probes in 0..200 {
        match search.next() {
            Ok(rate) => search.tell(rate, holds(rate)),
            Err(end) => return (end, probes),
        }
    }
    panic!("{search:?} does not end")
}

#[test]
fn a_search_ends_as_near_as_asked_for_from_wherever_it_begins() {
    for begin in [1, 10, 777, 40_000, 10_000_000] {
        for capacity in [10, 11, 99, 1_000, 54_321, 999_999] {
            for search in [Search::wide(ENDS, begin, 0.05), Search::near(ENDS, begin, 0.05)] {
                let (End::Between { held, broke }, probes) = ended(search, |rate| rate <= capacity) else {
                    panic!("{begin} {capacity}: no rate")
                };
                assert!((held..broke).contains(&capacity), "{begin} {capacity}: {held} {broke}");
                assert!(broke == held + 1 || broke as f64 <= held as f64 * 1.05, "{begin} {capacity}: {held} {broke}");
                assert!(probes < 30, "{begin} {capacity}: {probes} probes");
            }
        }
        assert_eq!(ended(Search::wide(ENDS, begin, 0.05), |_| true).0, End::AllHold { highest: 1_000_000 });
        assert_eq!(ended(Search::near(ENDS, begin, 0.05), |_| false).0, End::NothingHolds { lowest: 10 });
    }
    let (near, probes) = ended(Search::near(ENDS, 1_010, 0.05), |rate| rate <= 1_000);
    assert!(matches!(near, End::Between { .. }) && probes <= 4, "{near:?} {probes}");
}

#[test]
fn one_lie_at_an_end_of_a_first_search_is_found_out() {
    for lie in 0..12 {
        let mut probes = 0;
        let (end, _) = ended(Search::wide(ENDS, 500, 0.05), |rate| {
            probes += 1;
            (rate <= 1_000) != (probes == lie + 1)
        });
        let End::Between { held, broke } = end else { panic!("lie {lie}: {end:?}") };
        assert!(held as f64 >= 1_000.0 / 1.06 && broke as f64 <= 1_000.0 * 1.06, "lie {lie}: {held} {broke}");
    }
}

#[test]
fn a_server_that_answers_at_random_ends_every_search() {
    for seed in 0..300 {
        let mut rng = SplitMix64::new(seed);
        ended(Search::wide(ENDS, 500, 0.05), |_| rng.below(2) == 0);
        ended(Search::near(ENDS, 500, 0.05), |_| rng.below(2) == 0);
    }
}

fn promises() -> Promises {
    Promises::new(vec!["p99=10ms".parse().unwrap()]).unwrap()
}

/// A probe of a server whose p99 grows as that of a queue with room for 1,000 operations a second, and which chance makes longer
/// or shorter by a factor. It is 10 ms at 900/s.
fn probe(rate: u64, factor: f64) -> Probe {
    let promise = *promises().iter().next().unwrap();
    let ns = if rate < 1_000 { 1e9 / (1_000 - rate) as f64 * factor } else { 1e12 };
    let (Promise::Quantile { most_ns, .. }, found) = (promise, Some(ns as u64)) else { unreachable!("p99") };
    let response = dbdyno::capacity::Broken::Response { promise, found_ns: found };
    let broken = if ns > most_ns as f64 { vec![response] } else { Vec::new() };
    Probe { rate, quantiles: vec![(promise, found)], broken, ..Probe::default() }
}

/// About normal, with a standard deviation of 1.
fn noise(rng: &mut SplitMix64) -> f64 {
    (0..12).map(|_| rng.below(1 << 32) as f64 / (1u64 << 32) as f64).sum::<f64>() - 6.0
}

/// A round: what chance does to all of it, and to each of its probes.
fn round(number: u32, rng: &mut SplitMix64) -> Found {
    let of_round = (0.2 * noise(rng)).exp();
    let mut probes = Vec::new();
    let (end, _) = ended(Search::near(ENDS, 850, 0.05), |rate| {
        probes.push(probe(rate, of_round * (0.05 * noise(rng)).exp()));
        probes.last().is_some_and(Probe::holds)
    });
    let End::Between { held, broke } = end else { panic!("{end:?}") };
    let at = |rate: u64| probes.iter().rfind(|probe| probe.rate == rate).unwrap().clone();
    Found::Rate(Box::new(Estimate::between(number, at(held), at(broke))))
}

#[test]
fn the_interval_of_the_rounds_holds_the_rate_as_often_as_it_says() {
    let (mut rng, mut hits, mut sum) = (SplitMix64::new(11), 0, 0.0);
    const TIMES: u32 = 400;
    for _ in 0..TIMES {
        let rounds: Vec<Found> = (1..=8).map(|number| round(number, &mut rng)).collect();
        let Answer::Rate { rate, interval: Some(range), .. } = Answer::of(&rounds[0], &rounds) else {
            panic!("no rate")
        };
        sum += rate;
        hits += u32::from((range.low..=range.high).contains(&900.0));
        assert!(range.confidence >= 0.95);
    }
    let confidence = median_interval(&[1.0; 8]).unwrap().confidence;
    let (coverage, mean) = (f64::from(hits) / f64::from(TIMES), sum / f64::from(TIMES));
    assert!((0.95..=1.0).contains(&confidence) && coverage > 0.92, "{coverage} of {confidence}");
    assert!((mean / 900.0 - 1.0).abs() < 0.01, "{mean}");
}

#[test]
fn probes_that_say_the_contrary_far_away_are_said() {
    let mut rng = SplitMix64::new(2);
    let rounds: Vec<Found> = (1..=6).map(|number| round(number, &mut rng)).collect();
    let answer = Answer::of(&rounds[0], &rounds);
    let fits = [probe(100, 1.0), probe(880, 1.0), probe(920, 1.0), probe(2_000, 1.0)];
    assert!(answer.contrary(fits.iter()).is_empty());
    let contrary = answer.contrary([probe(100, 1e3)].iter());
    assert_eq!(contrary.len(), 1);
    assert!(!contrary[0].held && contrary[0].rate == 100);
    // What nobody knows is no rate.
    let failed = Found::Failed { reason: "it crashed".to_owned() };
    assert!(matches!(Answer::of(&rounds[0], &[rounds[1].clone(), failed]), Answer::Failed { .. }));
    assert_eq!(Answer::of(&Found::Stopped, &[]), Answer::Stopped);
}
