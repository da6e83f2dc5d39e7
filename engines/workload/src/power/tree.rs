//! Folders with the names in them.

use super::record::{FileId, Record};
use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::{Component, Path, PathBuf},
};

/// A folder for as long as it exists, whatever its name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FolderId(usize);

impl FolderId {
    /// The folder that is recorded.
    const ROOT: Self = Self(0);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    File(FileId),
    Folder(FolderId),
}

/// What a name in a folder stands for from now on; none: nothing.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) folder: FolderId,
    name: OsString,
    pub(super) node: Option<Node>,
}

/// Folders that may have no name, of which only what has one can be found.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    folders: Vec<BTreeMap<OsString, Node>>,
}

impl Tree {
    /// With the root alone, which always lasts: who records it has made it.
    pub(super) fn new() -> Self {
        Self { folders: vec![BTreeMap::new()] }
    }

    /// Makes room for all folders of another one, which have been made.
    pub(super) fn have_folders_of(&mut self, other: &Self) {
        self.folders.resize_with(other.folders.len(), BTreeMap::new);
    }

    pub(super) fn folder(&self, name: &Path) -> Option<FolderId> {
        match self.node(name)? {
            Node::Folder(folder) => Some(folder),
            Node::File(_) => None,
        }
    }

    fn node(&self, name: &Path) -> Option<Node> {
        name.components().try_fold(Node::Folder(FolderId::ROOT), |node, part| match (node, part) {
            (Node::Folder(folder), Component::Normal(part)) => self.folders[folder.0].get(part).copied(),
            _ => None,
        })
    }

    /// What a record changes of names, one change or all of them. Nothing where a name is not known: a call was not seen that made it.
    pub(super) fn entries(&mut self, record: &Record) -> Vec<Entry> {
        let entries = match record {
            Record::Folder { name } => {
                let folder = FolderId(self.folders.len());
                self.folders.push(BTreeMap::new());
                vec![self.entry(name, Some(Node::Folder(folder)))]
            }
            Record::Created { file, name } | Record::Linked { file, name } => {
                vec![self.entry(name, Some(Node::File(*file)))]
            }
            Record::Removed { name } => vec![self.entry(name, None)],
            Record::Renamed { from, to } => match self.node(from) {
                Some(node) => vec![self.entry(from, None), self.entry(to, Some(node))],
                None => Vec::new(),
            },
            Record::Exchanged { one, other } => {
                vec![self.entry(one, self.node(other)), self.entry(other, self.node(one))]
            }
            _ => Vec::new(),
        };
        entries.into_iter().flatten().collect()
    }

    fn entry(&self, name: &Path, node: Option<Node>) -> Option<Entry> {
        let folder = self.folder(name.parent()?)?;
        Some(Entry { folder, name: name.file_name()?.to_owned(), node })
    }

    pub(super) fn set(&mut self, entry: &Entry) {
        let names = &mut self.folders[entry.folder.0];
        match entry.node {
            Some(node) => names.insert(entry.name.clone(), node),
            None => names.remove(&entry.name),
        };
    }

    /// Shows everything below the root with its name, a folder before what is in it. One that is in itself, as names that were kept in
    /// part may have it, is shown once.
    pub(super) fn each(&self, mut visit: impl FnMut(PathBuf, Node)) {
        let mut shown = vec![false; self.folders.len()];
        let mut waiting = vec![(PathBuf::new(), FolderId::ROOT)];
        while let Some((path, folder)) = waiting.pop() {
            if std::mem::replace(&mut shown[folder.0], true) {
                continue;
            }
            for (name, node) in &self.folders[folder.0] {
                let path = path.join::<&OsStr>(name);
                if let Node::Folder(folder) = node {
                    waiting.push((path.clone(), *folder));
                }
                visit(path, *node);
            }
        }
    }
}
