//! Groups the configurations of a session that can be compared with each other: each group has its own reference.

use super::load::Side;
use dbdyno_catalog::Difference;
use std::collections::{BTreeMap, BTreeSet};

/// A reference and the sides that are compared with it.
#[derive(Debug, Clone)]
pub struct ReferenceGroup {
    pub reference: Side,
    /// At least one.
    pub candidates: Vec<Side>,
}

/// Configurations grouped by the properties that must be equal to compare them.
#[derive(Debug, Clone, Default)]
pub struct Grouped {
    /// In the order in which they first ran.
    pub groups: Vec<ReferenceGroup>,
    /// Configurations without an equal, if others have one.
    pub alone: Vec<Side>,
}

/// The properties that must be equal: the tier, and the options of the suite.
#[derive(Debug, Clone, PartialEq)]
struct GroupProperties {
    /// None means any tier.
    tier: Option<Option<u8>>,
    suite_options: Option<BTreeMap<String, String>>,
}

/// Groups configurations, each given as a side. `references`: labels of the configurations that the others of a group are compared with. If
/// a group contains none of them, its first configuration is the reference.
///
/// Allowed differences do not separate groups, except tiers. Without a reference, configurations of equal tiers are still compared with
/// each other, and only those that are alone in their tier are grouped together. If no two configurations are equal, all are compared with
/// the first, and the lines report the differences.
pub fn grouped(sides: Vec<Side>, references: &BTreeSet<String>, allowed: &BTreeSet<Difference>) -> Grouped {
    let any_tier = allowed.contains(&Difference::Tiers);
    let is_reference = |side: &Side| side.runs.iter().any(|run| references.contains(&*run.label));
    let one_reference = any_tier && sides.iter().any(is_reference);
    let any_options = allowed.contains(&Difference::SuiteOptions);
    let parted = |sides: Vec<Side>, by_tier: bool| {
        let mut parts: Vec<(GroupProperties, Vec<Side>)> = Vec::new();
        for side in sides {
            let Some(run) = side.runs.first() else { continue };
            let suite_options = (!any_options).then(|| run.configuration.suite_options.clone());
            let kind = GroupProperties { tier: by_tier.then_some(run.configuration.tier), suite_options };
            match parts.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, part)) => part.push(side),
                None => parts.push((kind, vec![side])),
            }
        }
        parts.into_iter().map(|(_, part)| part)
    };
    let all = sides.clone();
    let (mut groups, mut alone): (Vec<Vec<Side>>, Vec<Vec<Side>>) =
        parted(sides, !one_reference).partition(|part| part.len() > 1);
    if any_tier {
        let together: (Vec<Vec<Side>>, Vec<Vec<Side>>) = parted(alone.concat(), false).partition(|part| part.len() > 1);
        groups.extend(together.0);
        alone = together.1;
    }
    if groups.is_empty() && all.len() > 1 {
        (groups, alone) = (vec![all.clone()], Vec::new());
    }
    let first_run = |part: &Vec<Side>| all.iter().position(|side| side.selection == part[0].selection);
    groups.sort_by_key(first_run);
    let group = |mut part: Vec<Side>| {
        let reference = part.remove(part.iter().position(is_reference).unwrap_or(0));
        ReferenceGroup { reference, candidates: part }
    };
    Grouped { groups: groups.into_iter().map(group).collect(), alone: alone.concat() }
}
