//! A store behaves like a map of maps under every sequence of operations. Every package with ordered stores uses this test.

use dbdyno_engine::{
    describe::Description,
    engine::Open,
    ordered::{Direction, Keys, OrderedRead, OrderedStore, OrderedWrite, Tree},
    settings::Settings,
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use std::{
    collections::BTreeMap,
    ops::{Bound, ControlFlow},
};

const TREES: u16 = 3;

/// An operation on one of a store's trees.
#[derive(Debug, Clone)]
enum Step {
    Put(u16, Vec<u8>, Vec<u8>),
    Delete(u16, Vec<u8>),
    Get(u16, Vec<u8>),
    Range { tree: u16, from: Bound<Vec<u8>>, to: Bound<Vec<u8>>, down: bool, limit: usize },
    Clear(u16),
    Commit,
    Rollback,
    Reopen,
}

type Model = Vec<BTreeMap<Vec<u8>, Vec<u8>>>;

fn key() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(vec![0, 1, 97, 255]), 1..4)
}

fn bound() -> impl Strategy<Value = Bound<Vec<u8>>> {
    prop_oneof![Just(Bound::Unbounded), key().prop_map(Bound::Included), key().prop_map(Bound::Excluded)]
}

fn step() -> impl Strategy<Value = Step> {
    let tree = || 0..TREES;
    let value = prop::collection::vec(any::<u8>(), 0..40);
    prop_oneof![
        8 => (tree(), key(), value).prop_map(|(tree, key, value)| Step::Put(tree, key, value)),
        3 => (tree(), key()).prop_map(|(tree, key)| Step::Delete(tree, key)),
        3 => (tree(), key()).prop_map(|(tree, key)| Step::Get(tree, key)),
        6 => (tree(), bound(), bound(), any::<bool>(), 1..20_usize)
            .prop_map(|(tree, from, to, down, limit)| Step::Range { tree, from, to, down, limit }),
        1 => tree().prop_map(Step::Clear),
        1 => Just(Step::Commit),
        1 => Just(Step::Rollback),
        1 => Just(Step::Reopen),
    ]
}

fn borrowed(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    bound.as_ref().map(Vec::as_slice)
}

/// The rows of a range as a store returns them.
fn rows(read: &impl OrderedRead, tree: Tree, keys: Keys<'_>, down: bool, limit: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut rows = Vec::new();
    let direction = if down { Direction::Down } else { Direction::Up };
    read.range(tree, keys, direction, |key, value| {
        rows.push((key.to_vec(), value.to_vec()));
        if rows.len() == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .unwrap();
    rows
}

fn expected(model: &Model, tree: u16, keys: Keys<'_>, down: bool, limit: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    if keys.is_empty() {
        return Vec::new();
    }
    let owned = |bound: Bound<&[u8]>| bound.map(<[u8]>::to_vec);
    let range = model[usize::from(tree)].range((owned(keys.from), owned(keys.to)));
    let rows = range.map(|(key, value)| (key.clone(), value.clone()));
    if down { rows.rev().take(limit).collect() } else { rows.take(limit).collect() }
}

/// Applies a script to a store and to a map. The script determines the length of each write transaction.
fn same<S: OrderedStore>(open: impl Fn() -> S, script: &[Step]) -> Result<(), TestCaseError> {
    let mut committed: Model = vec![BTreeMap::new(); usize::from(TREES)];
    let mut store = open();
    let mut steps = script.iter();
    let mut more = true;
    while more {
        let mut write = store.write().unwrap();
        let mut model = committed.clone();
        let mut reopen = false;
        more = false;
        for step in steps.by_ref() {
            match step {
                Step::Put(tree, key, value) => {
                    write.put(Tree(*tree), key, value).unwrap();
                    model[usize::from(*tree)].insert(key.clone(), value.clone());
                }
                Step::Delete(tree, key) => {
                    let was_there = model[usize::from(*tree)].remove(key).is_some();
                    prop_assert_eq!(write.delete(Tree(*tree), key).unwrap(), was_there);
                }
                Step::Get(tree, key) => {
                    let found = write.get(Tree(*tree), key, <[u8]>::to_vec).unwrap();
                    prop_assert_eq!(found.as_ref(), model[usize::from(*tree)].get(key));
                }
                Step::Range { tree, from, to, down, limit } => {
                    let keys = Keys { from: borrowed(from), to: borrowed(to) };
                    if !keys.is_empty() {
                        let found = rows(&write, Tree(*tree), keys, *down, *limit);
                        prop_assert_eq!(found, expected(&model, *tree, keys, *down, *limit));
                    }
                }
                Step::Clear(tree) => {
                    write.clear(Tree(*tree)).unwrap();
                    model[usize::from(*tree)].clear();
                }
                Step::Commit => {
                    committed = model.clone();
                    more = true;
                }
                Step::Rollback => more = true,
                Step::Reopen => (more, reopen) = (true, true),
            }
            if more {
                break;
            }
        }
        if committed == model && !reopen {
            write.commit().unwrap();
        } else {
            drop(write);
        }
        if reopen {
            store.close().unwrap();
            store = open();
        }
        let read = store.read().unwrap();
        for (tree, model) in committed.iter().enumerate() {
            let found = rows(&read, Tree(tree as u16), Keys::ALL, false, usize::MAX);
            let expected: Vec<_> = model.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
            prop_assert_eq!(found, expected, "what a new transaction reads");
        }
    }
    store.check().unwrap();
    store.close().unwrap();
    Ok(())
}

/// Applies random scripts to a store and to a map.
pub(crate) fn behaves<S: OrderedStore>(description: &Description, options: &[(&str, &str)]) {
    let asked = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let settings = Settings::resolve(description, &asked).unwrap();
    let config = Config { cases: 60, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[5; 32]));
    runner
        .run(&prop::collection::vec(step(), 1..80), |script| {
            // The build folder is on a disk. The system's temporary folder may be in memory.
            let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
            let open = || {
                S::open(Open { folder: folder.path(), settings: &settings, schema: &[], data_bytes: 0 }, TREES).unwrap()
            };
            same(open, &script)
        })
        .unwrap();
}
