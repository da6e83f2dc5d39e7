//! Power losses: what remains of a recorded worker's database, and whether a missing sync is detected.

use super::{
    StopCheck, TortureError, TortureProgress, TortureSetup, TortureTerms,
    images::{DiskFindings, ImageJudge, ImageRequest, shows_a_lack},
    recording::{self, WriteRecording},
    route::Route,
    subject::TortureSubject,
};
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::base::{identifier::identifier, scratch::Scratch};
use dbdyno_workload::power::{Names, SyncClass, sync_classes};
use serde::Serialize;

/// The findings about images.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PowerFindings {
    /// On disks where a new file's name lasts once the file is synced, as with ext4, XFS or Btrfs. The tier is judged by these.
    pub journaled: DiskFindings,
    /// On disks where it lasts once its folder is synced, which is the minimum that POSIX requires.
    pub by_folder: DiskFindings,
    /// The source of the record behind the images; none if there is no record.
    pub route: Option<Route>,
    /// The reason why the images are no evidence, if some writes were not recorded.
    pub unseen: Option<String>,
    pub mutants: Vec<Mutant>,
}

impl PowerFindings {
    /// Returns how many images were opened.
    pub fn images(&self) -> u32 {
        self.journaled.images + self.by_folder.images
    }

    /// Returns how many mutants were detected.
    pub fn caught(&self) -> u32 {
        self.mutants.iter().filter(|mutant| mutant.caught.is_some()).count() as u32
    }
}

/// The same program without the sync calls of one place. A judge that cannot distinguish it from the complete program detects nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mutant {
    /// The class of calls that it lacks.
    pub lacks: String,
    /// How many of these calls the recording has.
    pub calls: u64,
    /// Images that were opened, without those that are incomplete even with the calls.
    pub images: u32,
    /// What an image lost that is complete with the calls, everything else being equal. None: no loss was found.
    pub caught: Option<String>,
}

/// Records a worker and judges its images, and then those of its mutants.
pub(super) fn judged(
    subject: &TortureSubject,
    terms: &TortureTerms,
    setup: &TortureSetup,
    scratch: &Scratch,
    stop: StopCheck<'_>,
    on_step: &(dyn Fn(TortureProgress) + Sync),
) -> Result<PowerFindings, TortureError> {
    if terms.images == 0 || stop() {
        return Ok(PowerFindings::default());
    }
    on_step(TortureProgress::Recording);
    let WriteRecording { log, route, unseen } = match recording::recorded(subject, terms, setup, scratch)? {
        Ok(recorded) => recorded,
        Err(reason) => return Ok(PowerFindings { unseen: Some(reason), ..PowerFindings::default() }),
    };
    let judge = ImageJudge { subject, log: &log, scratch: scratch.path(), stop, patience: setup.patience };
    let half = terms.images.div_ceil(2);
    let on = |names, images, before| {
        let request = ImageRequest { names, without: None, images, seed: terms.seed };
        judge.images(request, &|done| on_step(TortureProgress::Image { done: before + done }))
    };
    let (journaled, by_folder) = (on(Names::Journaled, half, 0)?, on(Names::ByFolder, terms.images - half, half)?);
    let mut findings = PowerFindings {
        journaled: journaled.findings(subject.tier),
        by_folder: by_folder.findings(subject.tier),
        route: Some(route),
        unseen,
        mutants: Vec::new(),
    };
    if let (Some(contradiction), Some((_, drawn))) =
        (&mut findings.journaled.contradiction, journaled.contradiction(subject.tier))
    {
        let folder = setup.keep.join(format!("image-{}", identifier()));
        let kept = drawn.image(&log).write_to(&folder);
        kept.map_err(|error| TortureError::folder(&folder, "cannot save an image here", &error))?;
        contradiction.image = Some(folder);
    } else if subject.tier >= Tier::Consistent && terms.mutant_images > 0 {
        findings.mutants = mutants(&judge, terms, on_step)?;
    }
    Ok(findings)
}

/// Judges the program without the sync calls of each class, on disks of both kinds.
fn mutants(
    judge: &ImageJudge<'_>,
    terms: &TortureTerms,
    on_step: &(dyn Fn(TortureProgress) + Sync),
) -> Result<Vec<Mutant>, TortureError> {
    let classes = sync_classes(judge.log);
    let mut mutants = Vec::new();
    for (number, (class, calls)) in classes.iter().enumerate() {
        if (judge.stop)() {
            break;
        }
        on_step(TortureProgress::Mutant { number: number + 1, of: classes.len() });
        mutants.push(mutant(judge, terms, class, *calls)?);
    }
    Ok(mutants)
}

fn mutant(judge: &ImageJudge<'_>, terms: &TortureTerms, class: &SyncClass, calls: u64) -> Result<Mutant, TortureError> {
    let mut mutant = Mutant { lacks: class.to_string(), calls, images: 0, caught: None };
    for names in Names::ALL {
        let request = ImageRequest { names, without: Some(class), images: terms.mutant_images, seed: terms.seed };
        let judged = judge.images(request, &|_| ())?;
        mutant.images += judged.len();
        if let Some((kept, drawn)) = judged.earliest(|kept| shows_a_lack(kept, judge.subject.tier)) {
            mutant.caught = Some(format!("{kept} ({drawn}; {names})"));
            break;
        }
    }
    Ok(mutant)
}
