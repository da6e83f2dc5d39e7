//! What `dbdyno choose` is asked: the workload and the constraints, from the arguments or from an earlier choice.

use crate::cli::{
    args::{Places, WorkArgs, duration, memory, owner_option, whole},
    completions,
    error::CliError,
    own_files::FileArgs,
    run::workload,
};
use clap::Args;
use dbdyno_catalog::{
    Suite, TestPick, Workload,
    engines::{REFERENCE_ENGINE, Registry},
    is_script,
};
use dbdyno_engine::{durability::Tier, size::Size};
use dbdyno_foundation::base::identifier::clock_seed;
use dbdyno_running::{
    capacity::{Promise, Promises},
    choose::{ChosenWorkload, Constraints, Question, RatePromise},
    own::FileWorkload,
};
use std::{collections::BTreeMap, time::Duration};

/// The workload.
#[derive(Debug, Args)]
#[command(next_help_heading = "Bench")]
pub(super) struct WorkloadChoice {
    /// The suite: `dbdyno list suites` lists them.
    #[arg(short, long, value_name = "NAME", conflicts_with = "own", add = completions::suites())]
    suite: Option<String>,
    /// Your own workload instead of a suite, as in read=90,update=10,value=200,rows=1M,threads=4.
    #[arg(short, long, value_name = "FIELD=VALUE[,FIELD=VALUE]", conflicts_with_all = ["suite", "own"], value_parser = workload)]
    workload: Option<Box<Workload>>,
    #[command(flatten)]
    files: FileArgs,
    /// The tests that count (number or name) [default: all].
    #[arg(short, long = "test", value_name = "TEST[,TEST]", add = completions::tests(), value_delimiter = ',', conflicts_with = "own")]
    tests: Vec<String>,
    /// The size [default: the suite's].
    #[arg(long, value_name = "SIZE")]
    size: Option<Size>,
    /// Set an option of the suite.
    #[arg(long = "set", value_name = "SUITE.OPTION=VALUE", add = completions::settings())]
    set: Vec<String>,
    /// How long the choice may take, including its confirmation.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    budget: Duration,
    /// Seed of the settings that are tried and of all random keys and values [default: from the clock].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// The constraints.
#[derive(Debug, Args)]
#[command(next_help_heading = "Constraints")]
pub(super) struct ConstraintArgs {
    /// What a commit has to survive: 3 a power loss, 2 a power loss except for the latest commits, 1 a crash of the program, 0 nothing.
    #[arg(long, value_name = "TIER", default_value = "3", value_parser = whole(0..=3_u8))]
    tier: u8,
    /// The most memory that the program may use: 64MiB, 1GiB.
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    memory_limit: Option<u64>,
    /// The most that the database may take on disk, with its logs.
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    disk_limit: Option<u64>,
    /// A response time to keep at --rate: p99=5ms, p50=200us. Needs one test of a kv suite.
    #[arg(long, value_name = "QUANTILE=TIME", requires = "rate")]
    slo: Vec<Promise>,
    /// Operations a second at which --slo has to be kept.
    #[arg(long, value_name = "N", requires = "slo", value_parser = whole(1..=100_000_000_u64))]
    rate: Option<u64>,
    /// How many threads may want to write at the same time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1..=1024_u32))]
    writers: u32,
    /// Languages of your program, any of which will do: rust, c, go, python.
    #[arg(long, value_name = "LANGUAGE[,LANGUAGE]", value_delimiter = ',')]
    language: Vec<String>,
    /// Licences that you accept, as SPDX identifiers: MIT,Apache-2.0,blessing.
    #[arg(long, value_name = "LICENCE[,LICENCE]", value_delimiter = ',')]
    licence: Vec<String>,
    /// Consider only these engines [default: all that are installed].
    #[arg(short, long = "engine", value_name = "ENGINE[,ENGINE]", value_delimiter = ',', add = completions::engines())]
    engines: Vec<String>,
    /// Do not consider these engines.
    #[arg(long, value_name = "ENGINE[,ENGINE]", value_delimiter = ',', add = completions::engines())]
    without: Vec<String>,
}

/// What is asked.
pub(super) struct Asked {
    pub(super) workload: ChosenWorkload,
    pub(super) question: Question,
    /// The copies of the workload's files; gone with this value.
    pub(super) own: Option<FileWorkload>,
}

/// Reads the arguments of a new choice.
pub(super) fn anew(
    places: &Places,
    given: &WorkloadChoice,
    constraints: &ConstraintArgs,
    work: &WorkArgs,
    registry: &Registry,
) -> Result<Asked, CliError> {
    let own = own(given, work, registry)?;
    let catalog = places.catalog()?;
    let (suite, size) = match (&given.suite, &given.workload, &own) {
        (_, _, Some(own)) => (own.suite().clone(), None),
        (Some(name), ..) => (catalog.suite(name)?, None),
        (None, Some(line), _) => {
            let (name, _) = catalog.described(line, registry).map_err(CliError::Usage)?;
            let suite = catalog.suite(&name)?;
            let sizes = line.sizes(&suite).map_err(CliError::Usage)?;
            (suite, sizes.first().copied())
        }
        (None, None, None) => {
            let message = "expected a workload: --suite NAME, --workload LINE, --sql FILE or --recording FOLDER";
            return Err(CliError::Usage(message.to_owned()));
        }
    };
    let pick = suite.pick(&given.tests).map_err(CliError::Usage)?;
    let size = given.size.or(size).or_else(|| suite.default_sizes.first().copied()).unwrap_or_else(|| Size::one(1));
    suite.check_size(size).map_err(CliError::Usage)?;
    let suite_options = options(given, &suite)?;
    let constraints = constraints.read()?;
    if constraints.promise.is_some() && pick.0.len() != 1 {
        let message = "--slo: expected one test, whose operations are due at the rate: --test NAME";
        return Err(CliError::Usage(message.to_owned()));
    }
    let question = Question {
        suite: suite.name.clone(),
        suite_options: suite_options.clone(),
        size: size.to_string(),
        tests: pick.0.iter().copied().collect(),
        constraints,
        budget_ms: given.budget.as_millis() as u64,
        seed: given.seed.unwrap_or_else(clock_seed),
    };
    Ok(Asked { workload: ChosenWorkload { suite, suite_options, size, pick }, question, own })
}

/// Reads the question of an earlier choice, with the files that the arguments give again.
pub(super) fn again(
    places: &Places,
    given: &WorkloadChoice,
    work: &WorkArgs,
    question: &Question,
) -> Result<Asked, CliError> {
    let own = own(given, work, &Registry::discover())?;
    let suite = match &own {
        Some(own) if own.suite().name == question.suite => own.suite().clone(),
        Some(own) => {
            let message = format!("the choice measured {}, but these files are {}", question.suite, own.suite().name);
            return Err(CliError::Usage(message));
        }
        None if is_script(&question.suite) => {
            return Err(CliError::Usage(format!(
                "the choice measured {}: give its --sql FILE or --recording FOLDER again, with its --database if it had one",
                question.suite
            )));
        }
        None => places.catalog()?.suite(&question.suite)?,
    };
    let workload = ChosenWorkload {
        suite,
        suite_options: question.suite_options.clone(),
        size: question.size.parse().map_err(CliError::Usage)?,
        pick: TestPick(question.tests.iter().copied().collect()),
    };
    Ok(Asked { workload, question: question.clone(), own })
}

fn own(given: &WorkloadChoice, work: &WorkArgs, registry: &Registry) -> Result<Option<FileWorkload>, CliError> {
    if given.files.files().is_none() {
        return Ok(None);
    }
    let reference = registry.get(REFERENCE_ENGINE).map_err(CliError::Usage)?;
    given.files.workload(&[&reference.description], work)
}

fn options(given: &WorkloadChoice, suite: &Suite) -> Result<BTreeMap<String, String>, CliError> {
    let mut options = BTreeMap::new();
    for set in &given.set {
        let (owner, option, value) = owner_option(set, "ycsb.threads=4")?;
        if owner != suite.name {
            return Err(CliError::Usage(format!(
                "--set {set}: expected an option of the suite {}: the choice sets those of engines",
                suite.name
            )));
        }
        options.insert(option.to_owned(), value.to_owned());
    }
    suite.settings(&options).map_err(|error| CliError::Usage(error.to_string()))?;
    Ok(options)
}

impl ConstraintArgs {
    fn read(&self) -> Result<Constraints, CliError> {
        let promise = match self.rate {
            Some(rate) => {
                let promises = Promises::new(self.slo.clone()).map_err(CliError::Usage)?;
                Some(RatePromise { rate, promises })
            }
            None => None,
        };
        Ok(Constraints {
            tier: Tier::try_from(self.tier).map_err(CliError::Usage)?,
            memory_limit: self.memory_limit,
            disk_limit: self.disk_limit,
            promise,
            writers: self.writers,
            languages: self.language.iter().map(|one| one.trim().to_lowercase()).collect(),
            licences: self.licence.iter().map(|one| one.trim().to_owned()).collect(),
            engines: self.engines.clone(),
            without: self.without.clone(),
        })
    }
}
