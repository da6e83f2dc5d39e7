//! What a suite's file would run, and whether it runs: its smallest size, once, on the reference engine.

use super::{
    Check, CheckReceiver, CheckedEngine,
    workspace::{CheckWorkspace, Errand},
};
use dbdyno_catalog::{
    Catalog, Suite, TestInfo, TestPick,
    bench::{BenchPlan, EngineChoice, Spec, estimate},
    engines::{Engine, Launch, REFERENCE_ENGINE, Registry},
};
use dbdyno_engine::{protocol::DIGEST, size::Size};
use dbdyno_foundation::base::units::{self, counted};
use std::{collections::BTreeMap, path::Path, time::Duration};

/// Longer runs are left to the user.
const QUICK: Duration = Duration::from_secs(30);
/// The assumed cost of a small synced write.
const GUESSED_FSYNC: Duration = Duration::from_millis(5);
/// Hexadecimal digits of a checksum.
const DIGITS: usize = 16;

/// A suite's file.
#[derive(Debug, Clone)]
pub struct SuiteSource {
    /// The required name: the file's name without `.toml`.
    pub name: String,
    /// How errors refer to the file.
    pub place: String,
    pub text: String,
}

/// The findings about a suite's file before it runs.
#[derive(Debug)]
pub struct CheckedFile {
    pub checks: Vec<Check>,
    /// The suite, and the size at which to run it; none if the file is wrong.
    pub runnable: Option<(Suite, Size)>,
}

/// Checks a suite's file, without running anything.
pub fn check_file(source: SuiteSource) -> CheckedFile {
    let wrong = |checks: Vec<Check>| CheckedFile { checks, runnable: None };
    let suite = match Catalog::suite_of(&source.name, &source.place, source.text) {
        Ok(suite) => suite,
        Err(error) => return wrong(vec![Check::failed("file", error.to_string())]),
    };
    let kind = suite.kind.word();
    let mut checks = vec![Check::passed("file", format!("{}: a suite of kind {kind}, {}", source.place, suite.title))];
    let Some(size) = smallest(&suite) else {
        checks.push(Check::failed("sizes", "`size.default` and `size.choices` are empty: expected a size"));
        return wrong(checks);
    };
    checks.push(sizes(&suite));
    checks.extend(tests(&suite, size));
    let known = known(&suite);
    let may_run = !known.is_failed();
    checks.push(known);
    if !may_run {
        checks.push(Check::skipped("run", "not tried: the known answers cannot be right"));
        return wrong(checks);
    }
    CheckedFile { checks, runnable: Some((suite, size)) }
}

/// Runs a suite once. `work_dir`: where a database is put.
pub async fn check_run(suite: &Suite, size: Size, registry: &Registry, work_dir: &Path, tell: CheckReceiver<'_>) {
    tell(run(suite, size, registry, work_dir).await);
}

fn smallest(suite: &Suite) -> Option<Size> {
    suite.default_sizes.iter().chain(&suite.sizes).copied().min()
}

fn sizes(suite: &Suite) -> Check {
    let words = |sizes: &[Size]| sizes.iter().map(Size::to_string).collect::<Vec<_>>().join(", ");
    let (default, choices) = (words(&suite.default_sizes), words(&suite.sizes));
    match suite.default_sizes.is_empty() {
        true => Check::failed("sizes", format!("`size.default` is empty: expected one of {choices}")),
        false => Check::passed("sizes", format!("{} {default}; choices: {choices}", suite.size_unit)),
    }
}

/// Describes what each test would do at a size, with the options at their defaults.
fn tests(suite: &Suite, size: Size) -> Vec<Check> {
    let settings = suite.settings(&BTreeMap::new()).unwrap_or_default();
    let job = suite.resolve(size, &settings, &TestPick::default());
    let operations: BTreeMap<u32, Option<u64>> =
        job.tests().iter().map(|test| (test.number, test.operations)).collect();
    let line = |test: TestInfo| {
        let count = operations.get(&test.number).copied().flatten();
        let count = count.map(|count| counted(count, "operation"));
        let does = match (count, suite.needs_threads(&TestPick([test.number].into()))) {
            (None, true) => "several threads".to_owned(),
            (None, false) => "every row".to_owned(),
            (Some(count), true) => format!("{count} of several threads"),
            (Some(count), false) => count,
        };
        let needs: Vec<String> = test.needs.iter().map(u32::to_string).collect();
        let needs = if needs.is_empty() { String::new() } else { format!(", after {}", needs.join(", ")) };
        Check::passed(format!("test {} {}", test.number, test.name), format!("{does} at size {size}{needs}"))
    };
    suite.tests().map(line).collect()
}

/// Whether the answers that the file states can be those of its tests.
fn known(suite: &Suite) -> Check {
    const NAME: &str = "known answers";
    let numbers: Vec<u32> = suite.tests().map(|test| test.number).collect();
    let mut count = 0;
    for (size, test, answer) in suite.known_answers() {
        count += 1;
        if !numbers.contains(&test) {
            let tests: Vec<String> = numbers.iter().map(u32::to_string).collect();
            let reason = format!("size {size} has an answer of test {test}: expected one of {}", tests.join(", "));
            return Check::failed(NAME, reason);
        }
        if let Err(wrong) = suite.check_size(size) {
            return Check::failed(NAME, wrong);
        }
        let digits = answer.strip_prefix(DIGEST);
        if !digits.is_some_and(|digits| digits.len() == DIGITS && digits.chars().all(|c| c.is_ascii_hexdigit())) {
            let reason =
                format!("size {size}, test {test}: `{answer}`: expected `{DIGEST}` and {DIGITS} hexadecimal digits");
            return Check::failed(NAME, reason);
        }
    }
    match count {
        0 => Check::skipped(NAME, "the file has none: engines are compared with each other"),
        _ => Check::passed(NAME, format!("{}, all of tests in this suite", counted(count, "answer"))),
    }
}

/// Returns the reference engine, or another one if it is not built in.
fn reference(suite: &Suite, registry: &Registry) -> Option<Engine> {
    let runs = |engine: &&Engine| engine.description.suites.contains(&suite.kind) && engine.launch == Launch::BuiltIn;
    let able: Vec<&Engine> = registry.engines.iter().filter(runs).collect();
    let reference = able.iter().find(|engine| engine.description.name == REFERENCE_ENGINE);
    reference.or(able.first()).map(|engine| (*engine).clone())
}

async fn run(suite: &Suite, size: Size, registry: &Registry, work_dir: &Path) -> Check {
    const NAME: &str = "run";
    let Some(engine) = reference(suite, registry) else {
        return Check::skipped(NAME, format!("no built-in engine runs suites of kind {}", suite.kind.word()));
    };
    let name = engine.description.name.clone();
    let plan = match plan(suite, size, &name, registry) {
        Ok(plan) => plan,
        Err(reason) => return Check::failed(NAME, reason),
    };
    let time = estimate(&plan, &(), GUESSED_FSYNC).time;
    if time > QUICK {
        let command = format!("`dbdyno run --suite {} --engine {name} --size {size}`", suite.name);
        return Check::skipped(NAME, format!("on {name} it takes about {}: {command}", units::clock(time)));
    }
    Check::of(NAME, ran(&plan, &engine, work_dir).await)
}

fn plan(suite: &Suite, size: Size, engine: &str, registry: &Registry) -> Result<BenchPlan, String> {
    let spec = Spec {
        suite: suite.name.clone(),
        engines: vec![EngineChoice { name: engine.to_owned(), ..EngineChoice::default() }],
        sizes: vec![size],
        rounds: 1,
        ..Spec::default()
    };
    BenchPlan::new(&spec, suite.clone(), registry).map_err(|error| error.to_string())
}

/// Runs the plan's one configuration, and compares its answers with those that the file states.
async fn ran(plan: &BenchPlan, engine: &Engine, work_dir: &Path) -> Result<String, String> {
    let configuration = plan.configurations.first().ok_or("nothing is planned")?;
    let (name, size) = (&engine.description.name, configuration.size);
    let candidate = CheckedEngine::new(engine, &BTreeMap::new())?;
    let workspace = CheckWorkspace::new(&candidate, work_dir);
    let results =
        workspace.done(Errand::new(plan.job(configuration), size)).await.map_err(|stopped| stopped.to_string())?;
    let (mut right, mut wall) = (0, 0);
    for done in &results {
        wall += done.wall_ns;
        match (plan.suite.known(size, &configuration.suite_settings, done.test), &done.verification) {
            (Some(known), Some(found)) if known == found => right += 1,
            (Some(known), Some(found)) => {
                return Err(format!("test {}: {name} answers `{found}`, but the file expects `{known}`", done.test));
            }
            _ => {}
        }
    }
    let (tests, time) = (counted(results.len(), "test"), units::duration(wall as f64));
    Ok(format!("{tests} at size {size} on {name} in {time}, {right} with the known answer"))
}
