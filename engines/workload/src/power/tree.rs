//! Folders and the names in them.

use super::record::{FileId, PowerRecord};
use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::{Component, Path, PathBuf},
};

/// A folder during its lifetime, independent of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FolderId(usize);

impl FolderId {
    /// The folder that is recorded.
    const ROOT: Self = Self(0);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TreeNode {
    File(FileId),
    Folder(FolderId),
}

/// The new target of a name in a folder; `None`: the name no longer exists.
#[derive(Debug, Clone)]
pub(super) struct EntryChange {
    pub(super) folder: FolderId,
    name: OsString,
    pub(super) node: Option<TreeNode>,
}

/// Folders, including folders without a name. Only entries that have a name can be found.
#[derive(Debug, Clone)]
pub(super) struct FolderTree {
    folders: Vec<BTreeMap<OsString, TreeNode>>,
}

impl FolderTree {
    /// Creates a tree with only the root. The root is always durable, because the process that records it has created it.
    pub(super) fn new() -> Self {
        Self { folders: vec![BTreeMap::new()] }
    }

    /// Makes room for all folders of another tree, all of which have been created.
    pub(super) fn have_folders_of(&mut self, other: &Self) {
        self.folders.resize_with(other.folders.len(), BTreeMap::new);
    }

    pub(super) fn folder(&self, name: &Path) -> Option<FolderId> {
        match self.node(name)? {
            TreeNode::Folder(folder) => Some(folder),
            TreeNode::File(_) => None,
        }
    }

    fn node(&self, name: &Path) -> Option<TreeNode> {
        name.components().try_fold(TreeNode::Folder(FolderId::ROOT), |node, part| match (node, part) {
            (TreeNode::Folder(folder), Component::Normal(part)) => self.folders[folder.0].get(part).copied(),
            _ => None,
        })
    }

    /// Returns the changes of names that a record makes, which happen together. Empty if a name is unknown, because the call that created
    /// it was not seen.
    pub(super) fn entries(&mut self, record: &PowerRecord) -> Vec<EntryChange> {
        let entries = match record {
            PowerRecord::Folder { name } => {
                let folder = FolderId(self.folders.len());
                self.folders.push(BTreeMap::new());
                vec![self.entry(name, Some(TreeNode::Folder(folder)))]
            }
            PowerRecord::Created { file, name } | PowerRecord::Linked { file, name } => {
                vec![self.entry(name, Some(TreeNode::File(*file)))]
            }
            PowerRecord::Removed { name } => vec![self.entry(name, None)],
            PowerRecord::Renamed { from, to } => match self.node(from) {
                Some(node) => vec![self.entry(from, None), self.entry(to, Some(node))],
                None => Vec::new(),
            },
            PowerRecord::Exchanged { one, other } => {
                vec![self.entry(one, self.node(other)), self.entry(other, self.node(one))]
            }
            _ => Vec::new(),
        };
        entries.into_iter().flatten().collect()
    }

    fn entry(&self, name: &Path, node: Option<TreeNode>) -> Option<EntryChange> {
        let folder = self.folder(name.parent()?)?;
        Some(EntryChange { folder, name: name.file_name()?.to_owned(), node })
    }

    pub(super) fn set(&mut self, entry: &EntryChange) {
        let names = &mut self.folders[entry.folder.0];
        match entry.node {
            Some(node) => names.insert(entry.name.clone(), node),
            None => names.remove(&entry.name),
        };
    }

    /// Passes everything below the root to `visit` with its name, a folder before its content. A folder that contains itself, which can
    /// happen if only some names were kept, is visited once.
    pub(super) fn each(&self, mut visit: impl FnMut(PathBuf, TreeNode)) {
        let mut shown = vec![false; self.folders.len()];
        let mut waiting = vec![(PathBuf::new(), FolderId::ROOT)];
        while let Some((path, folder)) = waiting.pop() {
            if std::mem::replace(&mut shown[folder.0], true) {
                continue;
            }
            for (name, node) in &self.folders[folder.0] {
                let path = path.join::<&OsStr>(name);
                if let TreeNode::Folder(folder) = node {
                    waiting.push((path.clone(), *folder));
                }
                visit(path, *node);
            }
        }
    }
}
