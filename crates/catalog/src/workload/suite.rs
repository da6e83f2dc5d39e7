//! The suite file of a described workload.

use super::{Clients, Mix, Workload, tier};
use crate::{Suite, bench::Spec, engines::Registry};
use dbdyno_engine::{describe::Description, size::Size};
use std::collections::BTreeMap;

/// The engines that it is usually run on.
const ENGINES: &str = r#"["sqlite", "lmdb", "redb", "fjall"]"#;

/// The statements of engines that speak SQL.
const STATEMENTS: &str = r#"[sql]
schema = ["CREATE TABLE rows(key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"]
get = "SELECT value FROM rows WHERE key = ?1"
put = "INSERT OR REPLACE INTO rows(key, value) VALUES (?1, ?2)"
delete = "DELETE FROM rows WHERE key = ?1"
exists = "SELECT 1 FROM rows WHERE key = ?1 LIMIT 1"
scan = "SELECT key, value FROM rows ORDER BY key"
range = "SELECT key, value FROM rows WHERE key >= ?1 ORDER BY key LIMIT ?2"
"#;

impl Workload {
    /// Returns the text of a suite file with this name. `registry`: the engines whose options are set so that their commits have the
    /// tier that is asked for.
    pub fn suite(&self, name: &str, registry: &Registry) -> String {
        let sentence = self.sentence();
        let sizes: Vec<String> =
            [self.rows / 10, self.rows, self.rows * 10].iter().filter(|rows| **rows > 0).map(u64::to_string).collect();
        let mut text = format!(
            "# {}\n# Made from: {self}\n# `dbdyno check-suite` checks the file after a change.\n\nname = \"{name}\"\nkind = \"kv\"\ntitle = \"{}\"\n\
             source = \"Your own workload: {self}\"\nnotes = [\"{sentence}\"]\nusual_engines = {ENGINES}\nusual_tests = [2]\n\n\
             [size]\nname = \"rows\"\ndefault = [{}]\nchoices = [{}]\n\n{STATEMENTS}\n",
            sentence.replace(". ", ".\n# "),
            self.test_name(),
            self.rows,
            sizes.join(", "),
        );
        for (engine, options) in self.of_tier(registry) {
            let options: Vec<String> = options.iter().map(|(name, value)| format!("{name} = \"{value}\"")).collect();
            text.push_str(&format!("[[engine]]\nname = \"{engine}\"\noptions = {{ {} }}\n\n", options.join(", ")));
        }
        let (key, value) = (self.key_format(), self.value_format());
        text.push_str(&format!(
            "[[test]]\nnumber = 1\nname = \"Load\"\ndatabase = \"main\"\noperations = {{ share = 1.0 }}\nkeys = \"ascending\"\nkey = \"{key}\"\n\
             work = [{{ op = \"put\", value = \"{value}\" }}]\ntransaction = {{ batch = 1000 }}\n\n\
             [[test]]\nnumber = 2\nname = \"{}\"\nneeds = [1]\ndatabase = \"main\"\nkey = \"{key}\"\n{}",
            self.test_name(),
            if self.is_alone() { self.alone() } else { self.actors() },
        ));
        text
    }

    /// Returns the bench's conditions from the line: memory, and data for each byte of it.
    pub fn adjust(&self, spec: &mut Spec) {
        spec.memory_limit = self.memory.or(spec.memory_limit);
        spec.data_ratios = self.data.into_iter().collect();
    }

    /// Returns the sizes of a bench of this workload's suite, if the bench names none.
    ///
    /// # Errors
    /// The message says why no size has the data that the line asks for.
    pub fn sizes(&self, suite: &Suite) -> Result<Vec<Size>, String> {
        let mut spec = Spec::default();
        self.adjust(&mut spec);
        spec.sizes_on(suite, &suite.pick(&[])?)
    }

    /// Returns the arguments that run this workload as a bench has it, beginning with `run`. Flags leave out what the line says. `sizes`: the sizes
    /// that the line gives.
    pub fn arguments(&self, mut spec: Spec, sizes: &[Size]) -> Vec<String> {
        spec.memory_limit.take_if(|limit| Some(*limit) == self.memory);
        if spec.sizes == sizes {
            spec.sizes.clear();
        }
        let run = ["run".to_owned(), "--workload".to_owned(), self.to_string()];
        run.into_iter().chain(spec.flags()).collect()
    }

    /// Returns the same conditions as flags of `dbdyno run`. A suite file cannot hold them.
    pub fn flags(&self) -> Vec<String> {
        let memory = self.memory.map(|memory| ["--memory-limit".to_owned(), memory.to_string()]);
        let data = self.data.map(|data| ["--data-ratio".to_owned(), data.to_string()]);
        memory.into_iter().chain(data).flatten().collect()
    }

    /// Says which of these engines keep their own tier, because no two of their options give the one that is asked for.
    pub fn not_of_tier<'e>(&self, engines: impl IntoIterator<Item = &'e Description>) -> Vec<String> {
        let Some(asked) = self.tier else { return Vec::new() };
        let lacking = engines.into_iter().filter(|engine| tier::options(engine, asked).is_none());
        lacking
            .map(|engine| format!("{}: no two of its options give tier {asked}, so it keeps its own", engine.name))
            .collect()
    }

    /// Says which options give these engines the tier that is asked for: `tier 3 power-safe: sqlite with journal_mode=wal`. None if no
    /// engine needs any.
    pub fn tier_options<'e>(&self, engines: impl IntoIterator<Item = &'e Description>) -> Option<String> {
        let asked = self.tier?;
        let with = |engine: &Description| {
            let options = tier::options(engine, asked).filter(|options| !options.is_empty())?;
            let options: Vec<String> = options.iter().map(|(name, value)| format!("{name}={value}")).collect();
            Some(format!("{} with {}", engine.name, options.join(",")))
        };
        let all: Vec<String> = engines.into_iter().filter_map(with).collect();
        (!all.is_empty()).then(|| format!("tier {asked}: {}", all.join(", ")))
    }

    fn of_tier(&self, registry: &Registry) -> Vec<(String, BTreeMap<String, String>)> {
        let Some(asked) = self.tier else { return Vec::new() };
        let engines = registry.engines.iter().map(|engine| &engine.description);
        let known = engines.filter_map(|engine| Some((engine.name.clone(), tier::options(engine, asked)?)));
        known.filter(|(_, options)| !options.is_empty()).collect()
    }

    fn alone(&self) -> String {
        let operations = self.operations();
        format!(
            "operations = {{ share = 1.0, least = {operations}, most = {operations} }}\nkeys = \"{}\"\nwork = {}\ntransaction = {}\n\
             verify_state = true\n",
            self.popular,
            self.work(&self.mix),
            self.transaction(&self.mix),
        )
    }

    fn actors(&self) -> String {
        let Mix { read, scan, insert, update, delete, modify, scan_rows } = self.mix;
        let reading = Mix { read, scan, scan_rows, ..Mix::default() };
        let writing = Mix { insert, update, delete, modify, scan_rows, ..Mix::default() };
        let actors = match self.clients {
            Clients::Alike(threads) => vec![("clients", threads, self.mix.clone())],
            Clients::Apart { readers, writers } => vec![("readers", readers, reading), ("writers", writers, writing)],
        };
        let total = self.mix.reads() + self.mix.writes();
        let actor = |(name, threads, mix): &(&str, u64, Mix)| {
            let rate = self.rate.map_or_else(String::new, |rate| {
                let share = mix.reads() + mix.writes();
                format!("rate = {}, gaps = \"poisson\", ", (rate * share / total).max(1))
            });
            format!(
                "  {{ name = \"{name}\", threads = {threads}, {rate}keys = \"{}\", work = {}, transaction = {} }},\n",
                self.popular,
                self.work(mix),
                self.transaction(mix),
            )
        };
        let actors: String = actors.iter().filter(|(_, threads, _)| *threads > 0).map(actor).collect();
        format!("seconds = {}\nwarm_up_seconds = 1\nactor = [\n{actors}]\n", self.seconds)
    }

    /// Returns the operations of a mix, with the misses among the reads.
    fn work(&self, mix: &Mix) -> String {
        let value = self.value_format();
        let (least, most) = mix.scan_rows;
        let misses = u64::from(self.misses);
        // Shares of reads are split by percentages.
        let scale = if misses > 0 && mix.read > 0 { 100 } else { 1 };
        let operations = [
            (mix.read * if scale > 1 { 100 - misses } else { 1 }, "op = \"get\"".to_owned()),
            (if scale > 1 { mix.read * misses } else { 0 }, "op = \"miss\"".to_owned()),
            (mix.scan * scale, format!("op = \"range\", least = {least}, most = {most}")),
            (mix.insert * scale, format!("op = \"insert\", value = \"{value}\"")),
            (mix.update * scale, format!("op = \"put\", value = \"{value}\"")),
            (mix.delete * scale, "op = \"delete\"".to_owned()),
            (mix.modify * scale, format!("op = \"modify\", value = \"{value}\"")),
        ];
        let used: Vec<String> = operations
            .iter()
            .filter(|(weight, _)| *weight > 0)
            .map(|(weight, operation)| format!("{{ {operation}, weight = {weight} }}"))
            .collect();
        format!("[{}]", used.join(", "))
    }

    fn transaction(&self, mix: &Mix) -> String {
        match (mix.writes(), self.commit) {
            (0, _) => "\"read\"".to_owned(),
            (_, 1) => "\"each\"".to_owned(),
            (_, commit) => format!("{{ batch = {commit} }}"),
        }
    }
}
