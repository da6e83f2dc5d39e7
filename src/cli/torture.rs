//! `dbdyno torture`: whether what an engine acknowledged is there after kills and power losses.

use super::{
    args::{OutArgs, Places, WorkArgs, format_of},
    error::{CliError, INTERRUPTED},
    output::{command_line, print, written},
};
use crate::{
    base::{identifier::identifier, units::plain},
    bench::{BenchPlan, EngineChoice, Spec},
    engines::Registry,
    host::HostFacts,
    report::{
        format::Format,
        torture::{TORTURE_FORMATS, torture_text},
    },
    runner::host_record,
    store::{EvidenceRecord, options_text},
    torture::{Contradiction, Findings, Place, Step, Subject, Terms, TortureError, Verdict, examined, torture},
};
use clap::Args;
use dbdyno_engine::{say, size::Size};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::Timestamp;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::{
    path::PathBuf,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{SystemTime, UNIX_EPOCH},
};

/// `dbdyno torture`.
#[derive(Debug, Args)]
pub(super) struct TortureArgs {
    /// The engines, with options after a colon; an option with several values is tried with each.
    #[arg(required = true, value_name = "ENGINE[:OPTION=VALUE,...]")]
    engines: Vec<EngineChoice>,
    /// Kills of a committing worker.
    #[arg(long, value_name = "N", default_value_t = 20)]
    kills: u32,
    /// Images of what a disk may hold after a power loss.
    #[arg(long, value_name = "N", default_value_t = 200)]
    power: u32,
    /// Images for each kind of sync calls that is left out, to see whether its lack is found; 0: none.
    #[arg(long, value_name = "N", default_value_t = 100)]
    mutants: u32,
    /// Commits that are recorded.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    commits: u32,
    /// Seed of all that is drawn [default: from the clock].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Say what an image holds that was kept, and do nothing else.
    #[arg(long, value_name = "FOLDER")]
    image: Option<PathBuf>,
    /// How to write what was found.
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_of(TORTURE_FORMATS))]
    format: Format,
    #[command(flatten)]
    out: OutArgs,
    #[command(flatten)]
    work: WorkArgs,
}

/// The suite whose keys and values are committed.
const SUITE: &str = "kv";
/// Records of the suite: more than are ever committed.
const RECORDS: u64 = 100_000;

impl From<TortureError> for CliError {
    fn from(error: TortureError) -> Self {
        Self::Failed(error.to_string())
    }
}

pub(super) fn run(places: &Places, args: &TortureArgs) -> Result<ExitCode, CliError> {
    let output = args.out.checked(places)?;
    let subjects = subjects(places, args)?;
    let work_dir = args.work.folder()?;
    let place = Place { keep: work_dir.clone(), work_dir };
    if let Some(image) = &args.image {
        return look(&subjects, image, &place);
    }
    let (store, host) = (places.store()?, HostFacts::read());
    store.prepare()?;
    let seed = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let terms = Terms {
        kills: args.kills,
        images: args.power,
        mutant_images: args.mutants,
        commits: args.commits,
        seed: args.seed.unwrap_or_else(seed),
    };
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(|error| CliError::Failed(error.to_string()))?;
    }
    let mut found: Vec<(&Subject, Findings)> = Vec::new();
    // What was found of the others is told all the same.
    let mut failed = false;
    for subject in &subjects {
        if stop.load(Relaxed) {
            break;
        }
        let bar = bar(&subject.choice);
        let tortured = torture(subject, &terms, &place, &stop, &|step| show(&bar, step, &terms));
        bar.finish_and_clear();
        let findings = match tortured {
            Ok(findings) => findings,
            Err(error) => {
                say!("{}: {}", plain(&subject.choice), plain(&error.to_string()));
                failed = true;
                continue;
            }
        };
        // What was stopped shows less than was asked for.
        if !findings.stopped {
            store.keep_evidence(host_record(&host), evidence(subject, &findings, &terms, &host)?)?;
        }
        found.push((subject, findings));
    }
    written(&torture_text(&found, args.format, terms.seed, &command_line())?, output.as_ref())?;
    Ok(if stop.load(Relaxed) {
        ExitCode::from(INTERRUPTED)
    } else if failed || found.iter().any(|(_, findings)| matches!(findings.verdict, Verdict::Contradicted(_))) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// What was found, as it is stored.
fn evidence(
    subject: &Subject,
    findings: &Findings,
    terms: &Terms,
    host: &HostFacts,
) -> Result<EvidenceRecord, CliError> {
    let power = &findings.power;
    let image = match &findings.verdict {
        Verdict::Contradicted(Contradiction { image, .. }) => image.as_ref().map(|image| image.display().to_string()),
        Verdict::Evidenced { .. } | Verdict::NotEvidenced { .. } => None,
    };
    Ok(EvidenceRecord {
        evidence_id: identifier(),
        host_id: host.id(),
        tried_at: Timestamp::now(),
        engine: subject.engine.clone(),
        engine_version: subject.version.clone(),
        choice: subject.choice.clone(),
        options: options_text(&subject.settings.to_map()).map_err(|error| CliError::Failed(error.to_string()))?,
        tier: subject.tier,
        tier_reason: subject.tier_reason.clone(),
        kills: findings.kills,
        images: power.images(),
        whole: power.journaled.whole,
        earlier: power.journaled.earlier,
        broken: power.journaled.broken,
        strict_names: (power.by_folder.images > 0).then(|| power.by_folder.contradiction.is_none()),
        mutants: power.mutants.len() as u32,
        mutants_caught: power.caught(),
        verdict: findings.verdict.word().to_owned(),
        reason: findings.verdict.reason().map(str::to_owned),
        image,
        seed: terms.seed,
        command_line: command_line(),
    })
}

/// The configurations that the arguments mean.
fn subjects(places: &Places, args: &TortureArgs) -> Result<Vec<Subject>, CliError> {
    let suite = places.catalog()?.suite(SUITE)?;
    let spec = Spec {
        suite: SUITE.to_owned(),
        engines: args.engines.clone(),
        sizes: vec![Size::one(RECORDS)],
        rounds: 1,
        ..Spec::default()
    };
    let plan = BenchPlan::new(&spec, suite.clone(), &Registry::discover())?;
    Ok(plan.configurations.iter().map(|configuration| Subject::new(configuration, &suite)).collect())
}

fn look(subjects: &[Subject], image: &std::path::Path, place: &Place) -> Result<ExitCode, CliError> {
    let [subject] = subjects else {
        return Err(CliError::Usage("--image: expected one configuration, that of the image".to_owned()));
    };
    match examined(subject, image, place)? {
        Ok(commits) => {
            print(&format!("{}: {commits} commits are there\n", plain(&subject.choice)))?;
            Ok(ExitCode::SUCCESS)
        }
        Err(message) => {
            print(&format!("{}: {}\n", plain(&subject.choice), plain(&message)))?;
            Ok(ExitCode::FAILURE)
        }
    }
}

fn bar(label: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{prefix}  {msg}") {
        bar.set_style(style);
    }
    bar.set_prefix(plain(label));
    bar
}

fn show(bar: &ProgressBar, step: Step, terms: &Terms) {
    bar.set_message(match step {
        Step::Waiting => "waiting for a run that another dbdyno measures".to_owned(),
        Step::Kill { done } => format!("killed {done} of {}", terms.kills),
        Step::Recording => format!("recording {} commits", terms.commits),
        Step::Image { done } => format!("power lost {done} of {} times", terms.images),
        Step::Mutant { number, of } => format!("without a sync call: {number} of {of}"),
    });
}
