//! Does all executions of the statements that prepare, so that queries for values see what the measured statements will see.

use super::tryout::TryOut;
use dbdyno_engine::suite::{Draw, Literal, Parameter, StatementSpec, Step, True};
use dbdyno_workload::rng::SplitMix64;

/// Runs steps on the scratch database. What is random is drawn evenly, and texts are all the same: their keys count here, not their content.
pub(super) struct Rehearsal<'t> {
    tryout: &'t TryOut,
    variables: Vec<(String, i64)>,
    rng: SplitMix64,
}

impl<'t> Rehearsal<'t> {
    pub(super) fn new(tryout: &'t TryOut) -> Self {
        Self { tryout, variables: Vec::new(), rng: SplitMix64::new(0) }
    }

    /// Does the steps once for each value of the variable, from the first on and below the second.
    pub(super) fn repeat(&mut self, (from, below): (u64, u64), variable: &str, steps: &[Step]) -> Result<(), String> {
        for value in from..below {
            self.variables.push((variable.to_owned(), value as i64));
            self.all(steps)?;
            self.variables.pop();
        }
        Ok(())
    }

    fn all(&mut self, steps: &[Step]) -> Result<(), String> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Write(statement) | Step::Read(statement) => self.statement(statement),
            Step::Run { sql, .. } => self.tryout.run(sql, &[]).map(drop),
            Step::Repeat { count, variable, steps, .. } => {
                self.repeat((0, count.count().unwrap_or(0)), variable, steps)
            }
            Step::Transaction { steps, .. } => {
                self.tryout.run("BEGIN", &[])?;
                self.all(steps)?;
                self.tryout.run("COMMIT", &[]).map(drop)
            }
            Step::Mix(choices) => {
                let mut drawn = self.rng.below(choices.iter().map(|choice| choice.weight).sum());
                let chosen = choices.iter().find(|choice| {
                    let is_it = drawn < choice.weight;
                    drawn = drawn.wrapping_sub(choice.weight);
                    is_it
                });
                chosen.map_or(Ok(()), |choice| self.all(&choice.steps))
            }
            // No statement makes such a step.
            Step::CreateTable(_) | Step::CreateIndex(_) | Step::DropTable(_) | Step::CopyDatabase(_) => Ok(()),
        }
    }

    fn statement(&mut self, statement: &StatementSpec) -> Result<(), String> {
        let mut names: Vec<(&str, i64)> = self.variables.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        for (name, draw) in &statement.draw {
            let below = match draw {
                Draw::Below(below) | Draw::Keys { below, .. } => below.value(&names).max(0) as u64,
                Draw::Popular { popular } => popular.iter().map(|group| group.records).sum(),
            };
            names.push((name, self.rng.below(below) as i64));
        }
        let value = |parameter: &Parameter| {
            let number = parameter.expression().map_or(0, |expression| expression.value(&names));
            match parameter {
                Parameter::OneOf { one_of, .. } => {
                    let at = number.rem_euclid(one_of.len().max(1) as i64) as usize;
                    one_of.get(at).cloned().unwrap_or(Literal::Null { null: True })
                }
                Parameter::Format { blob: true, .. } => Literal::Blob { blob: vec![0] },
                Parameter::Format { .. } => Literal::Text("a".to_owned()),
                _ => Literal::Integer(number),
            }
        };
        let values: Vec<Literal> = statement.bind.iter().map(value).collect();
        self.tryout.run(&statement.sql, &values).map(drop)
    }
}
