//! Does all executions of the statements that prepare, so that queries for values see what the measured statements will see.

use super::{tryout::TryOut, values::example};
use dbdyno_engine::suite::{Draw, Literal, StatementSpec, Step, Variables};
use dbdyno_workload::rng::SplitMix64;

/// Runs steps on the scratch database. Numbers are drawn evenly: which keys there are counts here, and not how popular they are.
pub(super) struct Rehearsal<'t> {
    tryout: &'t TryOut,
    variables: Variables<'t>,
    rng: SplitMix64,
}

impl<'t> Rehearsal<'t> {
    pub(super) fn new(tryout: &'t TryOut) -> Self {
        Self { tryout, variables: Variables::new(), rng: SplitMix64::new(0) }
    }

    /// Does the steps once for each value of the variable, from the first on and below the second.
    pub(super) fn repeat(
        &mut self,
        (from, below): (u64, u64),
        variable: &'t str,
        steps: &'t [Step],
    ) -> Result<(), String> {
        for value in from..below {
            self.variables.push((variable, value as i64));
            self.all(steps)?;
            self.variables.pop();
        }
        Ok(())
    }

    fn all(&mut self, steps: &'t [Step]) -> Result<(), String> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &'t Step) -> Result<(), String> {
        match step {
            Step::Write(statement) | Step::Read(statement) => self.statement(statement),
            Step::Run { sql, .. } => self.tryout.again(sql, &[]),
            Step::Repeat { count, variable, steps, .. } => {
                self.repeat((0, count.count().unwrap_or(0)), variable, steps)
            }
            Step::Transaction { steps, .. } => {
                self.tryout.again("BEGIN", &[])?;
                self.all(steps)?;
                self.tryout.again("COMMIT", &[])
            }
            Step::Mix(choices) => {
                let mut left = self.rng.below(choices.iter().map(|choice| choice.weight).sum());
                for choice in choices {
                    match left.checked_sub(choice.weight) {
                        Some(rest) => left = rest,
                        None => return self.all(&choice.steps),
                    }
                }
                Ok(())
            }
            // No statement becomes such a step.
            Step::CreateTable(_) | Step::CreateIndex(_) | Step::DropTable(_) | Step::CopyDatabase(_) => Ok(()),
        }
    }

    fn statement(&mut self, statement: &'t StatementSpec) -> Result<(), String> {
        let outer = self.variables.len();
        for (name, draw) in &statement.draw {
            let below = match draw {
                Draw::Below(below) | Draw::Keys { below, .. } => below.value(&self.variables).max(0) as u64,
                Draw::Popular { popular } => popular.iter().map(|group| group.records).sum(),
            };
            self.variables.push((name, self.rng.below(below) as i64));
        }
        let values: Vec<Literal> = statement.bind.iter().map(|value| example(value, &self.variables)).collect();
        self.variables.truncate(outer);
        self.tryout.again(&statement.sql, &values)
    }
}
