//! Checks that the tests of a key-value suite are complete and contain nothing impossible.

use super::{
    AloneBody, LoadBody, MOST_SECONDS, TestBody,
    file::{FileActor, FileKvTest, FileNumber, FileWork, Operations, When},
    keys::FileKeys,
};
use crate::{
    CatalogError,
    located::CatalogText,
    suite::{file::check_numbers, is_plain_word},
};
use dbdyno_engine::{
    describe::{OptionKind, OptionSpec},
    names::instead_of,
    suite::{KeyChoice, Operation, TransactionScope},
};
use std::collections::BTreeSet;
use toml::Spanned;

/// Maximum speed of recorded operations, percent.
pub const MOST_SPEED: u64 = 10_000_000;
/// Maximum number of threads of an actor.
pub(crate) const MOST_THREADS: u64 = 256;

pub(super) fn check_tests(
    tests: &[FileKvTest],
    options: &[OptionSpec],
    source: &CatalogText,
) -> Result<Vec<TestBody>, CatalogError> {
    check_numbers(tests.iter().map(|test| (&test.number, test.needs.as_slice())), source)?;
    tests.iter().map(|test| KvChecker { test, options, source }.test()).collect()
}

struct KvChecker<'t> {
    test: &'t FileKvTest,
    options: &'t [OptionSpec],
    source: &'t CatalogText,
}

impl KvChecker<'_> {
    /// Returns an error at the test's number.
    fn wrong<T>(&self, message: impl Into<String>) -> Result<T, CatalogError> {
        Err(self.source.wrong(self.test.number.span(), message.into()))
    }

    fn test(&self) -> Result<TestBody, CatalogError> {
        let test = self.test;
        if !is_plain_word(&test.database) {
            return self.wrong(format!("database `{}`: expected a word of letters, digits, - and _", test.database));
        }
        let load = match (test.compact, test.actors.is_empty()) {
            (true, _) => self.compaction()?,
            (false, true) => LoadBody::Alone(self.alone()?),
            (false, false) => self.actors()?,
        };
        Ok(TestBody { file: test.clone(), load })
    }

    fn compaction(&self) -> Result<LoadBody, CatalogError> {
        let test = self.test;
        let of_one_thread = test.operations.is_some() || test.keys.is_some() || test.work.is_some();
        let paced = test.seconds.is_some() || test.warm_up_seconds.is_some() || test.followed;
        let rest = test.transaction.is_some() || test.clock_every.is_some() || !test.when.is_empty();
        if of_one_thread || paced || rest || !test.actors.is_empty() {
            return self.wrong(
                "compact = true: expected no fields other than number, name, needs, database, key and verify_state",
            );
        }
        Ok(LoadBody::Compaction)
    }

    fn alone(&self) -> Result<AloneBody, CatalogError> {
        let test = self.test;
        let needed = |what: &str| self.wrong::<()>(format!("missing field `{what}`: a test without actors needs it"));
        if test.seconds.is_some() || test.warm_up_seconds.is_some() || test.followed {
            return self.wrong("seconds, warm_up_seconds and followed: expected only in a test with actors");
        }
        let (Some(operations), Some(keys), Some(work), Some(transaction)) =
            (&test.operations, test.keys.clone(), &test.work, test.transaction)
        else {
            let fields = [
                ("operations", test.operations.is_none()),
                ("keys", test.keys.is_none()),
                ("work", test.work.is_none()),
                ("transaction", test.transaction.is_none()),
            ];
            fields.iter().filter(|(_, is_missing)| *is_missing).try_for_each(|(what, _)| needed(what))?;
            return self.wrong("expected operations, keys, work and transaction");
        };
        if keys == FileKeys::Named(KeyChoice::Recorded) {
            return self.wrong("recorded keys: expected only in actors");
        }
        if work.get_ref().iter().any(|work| work.name.is_some()) {
            return Err(self.source.wrong(work.span(), "work: expected names only in actors"));
        }
        self.operations(operations)?;
        if let Some(every) = test.clock_every.as_ref().filter(|every| *every.get_ref() == 0) {
            return Err(self.source.wrong(every.span(), "clock_every: expected 1 or more"));
        }
        self.work(work, transaction)?;
        test.when.iter().try_for_each(|when| self.when(when, work, transaction))?;
        Ok(AloneBody { operations: *operations.get_ref(), keys, work: work.get_ref().clone(), transaction })
    }

    fn actors(&self) -> Result<LoadBody, CatalogError> {
        let test = self.test;
        let of_one_thread = test.operations.is_some() || test.keys.is_some() || test.work.is_some();
        if of_one_thread || test.transaction.is_some() || test.clock_every.is_some() || !test.when.is_empty() {
            return self.wrong(
                "a test with actors has no operations, keys, work, transaction, clock_every or when of its own: each actor has its own",
            );
        }
        let is_recorded = test.actors.iter().all(|actor| actor.get_ref().is_recorded());
        if test.verify_state && !is_recorded {
            return self.wrong("verify_state: expected only in a test without actors: with several threads, the content depends on their order");
        }
        for number in [&test.seconds, &test.warm_up_seconds].into_iter().flatten() {
            self.number(number.get_ref(), MOST_SECONDS).map_err(|message| self.source.wrong(number.span(), message))?;
        }
        for (place, actor) in test.actors.iter().enumerate() {
            self.actor(actor)?;
            let name = &actor.get_ref().name;
            if test.actors[..place].iter().any(|other| other.get_ref().name == *name) {
                return Err(self.source.wrong(actor.span(), format!("actor `{name}`: duplicate name")));
            }
        }
        self.names()?;
        let ends = test.seconds.is_some() || test.actors.iter().any(|actor| actor.get_ref().operations.is_some());
        if !ends {
            return self.wrong("nothing ends this test: expected `seconds`, or an actor with `operations`");
        }
        Ok(LoadBody::Actors)
    }

    /// Checks that results under names are told apart.
    fn names(&self) -> Result<(), CatalogError> {
        let actors = self.test.actors.iter().map(Spanned::get_ref);
        let mut taken: BTreeSet<&str> = actors.clone().map(|actor| actor.name.as_str()).collect();
        for work in actors.map(|actor| &actor.work) {
            for name in work.get_ref().iter().filter_map(|work| work.name.as_deref()) {
                if !is_plain_word(name) || !taken.insert(name) {
                    let message = format!(
                        "work `{name}`: expected a word of letters, digits, - and _ that no actor and no other work of the test has as its name"
                    );
                    return Err(self.source.wrong(work.span(), message));
                }
            }
        }
        Ok(())
    }

    fn actor(&self, actor: &Spanned<FileActor>) -> Result<(), CatalogError> {
        let wrong = |message: String| self.source.wrong(actor.span(), message);
        let FileActor { name, threads, work, transaction, rate, speed, operations, from, until, .. } = actor.get_ref();
        if !is_plain_word(name) {
            return Err(wrong(format!("actor `{name}`: expected a word of letters, digits, - and _")));
        }
        self.number(threads, MOST_THREADS).map_err(|message| wrong(format!("actor `{name}`: threads: {message}")))?;
        if let Some(rate) = rate {
            self.rate(rate).map_err(|message| wrong(format!("actor `{name}`: rate: {message}")))?;
        }
        if let Some(speed) = speed {
            if !actor.get_ref().is_recorded() || rate.is_some() {
                return Err(wrong(format!(
                    "actor `{name}`: speed: expected only with recorded keys, and without a rate"
                )));
            }
            self.number(speed, MOST_SPEED).map_err(|message| wrong(format!("actor `{name}`: speed: {message}")))?;
        }
        match transaction {
            TransactionScope::Read | TransactionScope::Each => {}
            TransactionScope::Batch(_) if work.get_ref().iter().any(|work| is_of_accounts(&work.operation)) => {
                let message = "an account is checked after each transaction of its own: expected \"read\" or \"each\"";
                return Err(wrong(format!("actor `{name}`: transaction: {message}")));
            }
            TransactionScope::Batch(_) if rate.is_none() && speed.is_none() => {}
            TransactionScope::Batch(_) => {
                let message = "a rate is of operations that are each due on their own: expected \"read\" or \"each\"";
                return Err(wrong(format!("actor `{name}`: transaction: {message}")));
            }
            TransactionScope::One => {
                let message = "expected \"read\", \"each\" or { batch = N }";
                return Err(wrong(format!("actor `{name}`: transaction: {message}")));
            }
        }
        if work.get_ref().iter().any(|work| work.operation == Operation::Scan) {
            return Err(wrong(format!(
                "actor `{name}`: a scan does one operation per row: expected `audit` or `range`"
            )));
        }
        let (begin, end) = (from.unwrap_or(0.0), until.unwrap_or(1.0));
        if !(0.0..end).contains(&begin) || end > 1.0 {
            return Err(wrong(format!(
                "actor `{name}`: expected `from` of 0 or more, and `until` after it and at most 1"
            )));
        }
        if (from.is_some() || until.is_some()) && self.test.seconds.is_none() {
            return Err(wrong(format!(
                "actor `{name}`: from and until are fractions of the test's `seconds`: the test has none"
            )));
        }
        let holds = work.get_ref().iter().any(|work| work.operation == Operation::Hold);
        if holds && (work.get_ref().len() > 1 || rate.is_some() || operations.is_some()) {
            let message = format!(
                "actor `{name}`: hold is one snapshot: expected no other work, and neither rate nor operations"
            );
            return Err(wrong(message));
        }
        operations.iter().try_for_each(|operations| self.operations(operations))?;
        self.work(work, *transaction)
    }

    fn operations(&self, operations: &Spanned<Operations>) -> Result<(), CatalogError> {
        let Operations { share, least, most } = *operations.get_ref();
        if share > 0.0 && share <= 1_000.0 && least > 0 && most >= least {
            return Ok(());
        }
        let message = "operations: expected a share above 0 and at most 1000, `least` of 1 or more, and `most` of `least` or more";
        Err(self.source.wrong(operations.span(), message))
    }

    fn option(&self, name: &str) -> Result<&OptionSpec, String> {
        find_option(self.options, name)
    }

    /// Checks a whole number up to `most`, or an option that only accepts such numbers.
    fn number(&self, number: &FileNumber, most: u64) -> Result<(), String> {
        match number {
            FileNumber::Number(number) if *number <= most => Ok(()),
            FileNumber::Number(number) => Err(format!("`{number}`: expected at most {most}")),
            FileNumber::Option(name) => match &self.option(name)?.kind {
                OptionKind::Integer { min: 0.., max } if *max as u64 <= most => Ok(()),
                _ => Err(format!("option `{name}`: expected an integer of 0 to {most}")),
            },
        }
    }

    /// Checks operations a second, or an option with numbers and the word `closed`.
    fn rate(&self, rate: &FileNumber) -> Result<(), String> {
        const MOST: u64 = 100_000_000;
        match rate {
            FileNumber::Number(1..=MOST) => Ok(()),
            FileNumber::Number(rate) => Err(format!("`{rate}`: expected 1 to {MOST} operations a second")),
            FileNumber::Option(name) => match &self.option(name)?.kind {
                OptionKind::Integer { min: 1.., max } if *max as u64 <= MOST => Ok(()),
                OptionKind::Choice { choices }
                    if choices.iter().all(|word| word == "closed" || word.parse().is_ok_and(|rate: u64| rate > 0)) =>
                {
                    Ok(())
                }
                _ => Err(format!("option `{name}`: expected numbers from 1, or the word `closed`")),
            },
        }
    }

    fn work(&self, work: &Spanned<Vec<FileWork>>, transaction: TransactionScope) -> Result<(), CatalogError> {
        let wrong = |message: &str| Err(self.source.wrong(work.span(), format!("work: {message}")));
        let work_list = work.get_ref();
        if work_list.is_empty() || work_list.iter().any(|work| work.weight == 0 || work.weight > 1_000_000) {
            return wrong("expected at least one operation, each with a weight from 1 to 1000000");
        }
        if self.test.actors.is_empty() && work_list.iter().any(|work| work.operation == Operation::Hold) {
            return wrong("hold: expected only in an actor");
        }
        if work_list.len() > 1 && work_list.iter().any(|work| work.operation == Operation::Scan) {
            return wrong("a scan reads every row and cannot be mixed with other operations");
        }
        let is_empty = |work: &FileWork| work.operation == Operation::Audit { accounts: Some(0) };
        if work_list.iter().any(is_empty) {
            return wrong("audit: expected `accounts` of 1 or more, or none for all");
        }
        for work in work_list {
            let (Operation::Range { least, most } | Operation::Transfer { least, most }) = &work.operation else {
                continue;
            };
            if !(1..=*most).contains(least) || *most > 1_000_000 {
                return wrong("expected `least` of 1 or more, and `most` from `least` to 1000000");
            }
        }
        check_transaction(work_list, transaction).or_else(|message| wrong(&message))
    }

    fn when(
        &self,
        when: &When,
        work: &Spanned<Vec<FileWork>>,
        transaction: TransactionScope,
    ) -> Result<(), CatalogError> {
        check_condition(self.options, (&when.option, &when.is), self.source)?;
        let transaction = when.transaction.unwrap_or(transaction);
        match &when.work {
            Some(work) => self.work(work, transaction),
            None => check_transaction(work.get_ref(), transaction)
                .map_err(|message| self.source.wrong(when.is.span(), message)),
        }
    }
}

fn is_of_accounts(operation: &Operation) -> bool {
    matches!(operation, Operation::Transfer { .. } | Operation::Audit { .. } | Operation::Hold)
}

fn find_option<'o>(options: &'o [OptionSpec], name: &str) -> Result<&'o OptionSpec, String> {
    options
        .iter()
        .find(|option| option.name == name)
        .ok_or_else(|| format!("option `{name}`: {}", instead_of(name, options.iter().map(|option| &option.name))))
}

/// Checks that a suite has this option, and that the option accepts this value.
pub(super) fn check_condition(
    options: &[OptionSpec],
    (name, value): (&Spanned<String>, &Spanned<String>),
    source: &CatalogText,
) -> Result<(), CatalogError> {
    let option = find_option(options, name.get_ref()).map_err(|message| source.wrong(name.span(), message))?;
    if option.kind.canonical(value.get_ref()).as_ref() == Ok(value.get_ref()) {
        return Ok(());
    }
    let message = format!("is `{}`: expected {}", value.get_ref(), option.kind.expected());
    Err(source.wrong(value.span(), message))
}

/// Checks that operations are possible in this kind of transaction.
fn check_transaction(work: &[FileWork], transaction: TransactionScope) -> Result<(), String> {
    let writes = work.iter().any(|work| work.operation.writes());
    let scans = work.iter().any(|work| work.operation == Operation::Scan);
    match transaction {
        TransactionScope::Read if writes => Err("a read transaction cannot hold an operation that writes".to_owned()),
        TransactionScope::Batch(0) => Err("a transaction of batch = 0 holds nothing: expected 1 or more".to_owned()),
        TransactionScope::One | TransactionScope::Batch(_) | TransactionScope::Each if scans => {
            Err("a scan runs in a read transaction".to_owned())
        }
        _ => Ok(()),
    }
}
