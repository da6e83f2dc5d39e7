//! A bench as the arguments of `dbdyno run`.

use super::{Slicing, Spec, engine::written, escape};

impl Spec {
    /// Returns the words after `dbdyno` that run this bench. The command line parses them back to the same bench.
    pub fn arguments(&self) -> Vec<String> {
        let suite = ["run".to_owned(), "--suite".to_owned(), self.suite.clone()];
        suite.into_iter().chain(self.flags()).collect()
    }

    /// Returns the flags of `dbdyno run`, without the suite.
    pub fn flags(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut add = |flag: &str, value: String| match value.starts_with('-') {
            // As a separate word it would be parsed as a flag.
            true => words.push(format!("{flag}={value}")),
            false => words.extend([flag.to_owned(), value]),
        };
        for engine in &self.engines {
            add("--engine", engine.to_string());
        }
        for (name, values) in &self.suite_options {
            add("--set", format!("{}.{name}={}", self.suite, written(values)));
        }
        for size in &self.sizes {
            add("--size", size.to_string());
        }
        if !self.data_ratios.is_empty() {
            let ratios: Vec<String> = self.data_ratios.iter().map(ToString::to_string).collect();
            add("--data-ratio", ratios.join("|"));
        }
        if let Some(limit) = self.memory_limit {
            add("--memory-limit", limit.to_string());
        }
        if !self.cache.is_warm() {
            add("--cache", self.cache.word().to_owned());
        }
        if self.slices != Slicing::Off {
            add("--slices", self.slices.word().to_owned());
        }
        for test in &self.tests {
            add("--test", escape::escaped(test, &[',']));
        }
        add("--repeat", self.rounds.to_string());
        if let Some(stars) = self.stars {
            add("--stars", stars.to_string());
        }
        if let Some(claims) = &self.claims {
            add("--claims", claims.clone());
        }
        if let Some(seed) = self.seed {
            add("--seed", seed.to_string());
        }
        if let Some(reference) = &self.reference {
            add("--reference", reference.to_string());
        }
        for difference in &self.allow {
            add("--allow", difference.name().to_owned());
        }
        words.extend(self.twins.then(|| "--aa".to_owned()));
        words.extend(self.effects.then(|| "--effects".to_owned()));
        let with_rounds = [
            ("--why", Some(self.why).filter(|rounds| *rounds > 0), Self::DEFAULT_WHY),
            ("--until-decided", self.until_decided, Self::DEFAULT_UNTIL_DECIDED),
        ];
        for (flag, rounds, default) in with_rounds {
            words.extend(
                rounds.map(|rounds| if rounds == default { flag.to_owned() } else { format!("{flag}={rounds}") }),
            );
        }
        words
    }

    /// Returns tests in the form of `--test`: several separated by commas.
    pub fn tests_of(texts: &[String]) -> Vec<String> {
        texts.iter().flat_map(|text| escape::split(text, ',')).filter(|test| !test.is_empty()).collect()
    }
}
