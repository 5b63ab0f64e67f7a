//! Parts of which two machines made other bytes. Each thing that a machine made has a file in the plan's folder, empty, whose
//! name has the part, the hash and the machine. As long as there are two hashes, the part does not count as made.

use super::folder::Folder;
use super::plan::{hex, unhex};
use crate::error::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::PathBuf;

/// Where such files lie in the folder of a plan.
pub(super) const DISPUTES: &str = "disputes";

/// What machines made of a part that they do not agree on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dispute {
    made: BTreeSet<(String, u128)>,
}

impl Dispute {
    /// The machines, in order.
    pub fn hosts(&self) -> Vec<&str> {
        let mut hosts: Vec<_> = self.made.iter().map(|(host, _)| host.as_str()).collect();
        hosts.dedup();
        hosts
    }

    /// The hashes of what settles it when `host` makes it: what another machine made. Of a machine that differs from itself alone,
    /// what it makes twice.
    pub fn settled_by(&self, host: &str) -> Vec<u128> {
        let alone = self.made.iter().all(|(maker, _)| maker == host);
        self.made.iter().filter(|(maker, _)| alone || maker != host).map(|(_, hash)| *hash).collect()
    }

    /// The machines that made something else than what has the hash `right`.
    pub fn wrong(&self, right: u128) -> Vec<String> {
        let mut wrong: Vec<_> =
            self.made.iter().filter(|(_, hash)| *hash != right).map(|(host, _)| host.clone()).collect();
        wrong.dedup();
        wrong
    }

    fn is_open(&self) -> bool {
        self.made.iter().map(|(_, hash)| hash).collect::<BTreeSet<_>>().len() > 1
    }
}

impl Folder {
    /// The parts in dispute.
    pub fn disputes(&self) -> BTreeMap<u32, Dispute> {
        let mut disputes = BTreeMap::<u32, Dispute>::new();
        for entry in fs::read_dir(self.path().join(DISPUTES)).into_iter().flatten().flatten() {
            let name = entry.file_name();
            // "00003.HASH.HOST"
            let mut words = name.to_str().unwrap_or_default().splitn(3, '.');
            if let Some(part) = words.next().and_then(|part| part.parse().ok())
                && let Some(hash) = words.next().and_then(unhex)
                && let Some(host) = words.next()
            {
                disputes.entry(part).or_default().made.insert((host.to_owned(), hash));
            }
        }
        disputes.retain(|_, dispute| dispute.is_open());
        disputes
    }

    /// Puts down that `host` made of part `number` what has the hash `hash`.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn dispute(&self, number: u32, host: &str, hash: u128) -> Result<()> {
        let path = self.disputed(number, &format!("{}.{host}", hex(hash)));
        let made = fs::create_dir_all(self.path().join(DISPUTES)).and_then(|()| File::create(&path));
        made.map(drop).map_err(|e| Error::io(path.display(), &e))
    }

    /// Ends the dispute over part `number`, which is there by now.
    pub fn settle(&self, number: u32) {
        let prefix = format!("{number:05}.");
        for entry in fs::read_dir(self.path().join(DISPUTES)).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(|name| name.starts_with(&prefix)) {
                // One that stays costs a run more, which settles it again.
                let _ = fs::remove_file(entry.path());
            }
        }
        // Of others' disputes it is not empty.
        let _ = fs::remove_dir(self.path().join(DISPUTES));
    }

    /// The file of the dispute over part `number` that ends in `rest`; `*` stands for all of them.
    pub fn disputed(&self, number: u32, rest: &str) -> PathBuf {
        self.path().join(DISPUTES).join(format!("{number:05}.{rest}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dispute(made: &[(&str, u128)]) -> Dispute {
        Dispute { made: made.iter().map(|(host, hash)| ((*host).to_owned(), *hash)).collect() }
    }

    #[test]
    fn two_machines_that_agree_settle_it() {
        let two = dispute(&[("a", 1), ("b", 2)]);
        assert!(two.is_open() && !dispute(&[("a", 1), ("b", 1)]).is_open());
        assert_eq!((two.settled_by("c"), two.hosts()), (vec![1, 2], vec!["a", "b"]));
        assert_eq!(two.settled_by("a"), [2], "what it made itself says nothing new");
        assert_eq!(two.wrong(2), ["a"]);
        // One whose memory fails, and that has nobody beside it.
        assert_eq!(dispute(&[("a", 1), ("a", 2)]).settled_by("a"), [1, 2]);
        assert_eq!(dispute(&[("a", 1), ("a", 2)]).wrong(1), ["a"]);
        assert_eq!(dispute(&[("a", 1), ("b", 2), ("c", 3)]).settled_by("d"), [1, 2, 3]);
    }

    #[test]
    fn disputes_are_files_until_they_are_settled() {
        let path = std::env::temp_dir().join(format!("vramp-disputes-{}", std::process::id()));
        let folder = Folder::at(&path);
        assert!(folder.disputes().is_empty());
        folder.dispute(3, "node.a-1", 7).unwrap();
        assert!(folder.disputes().is_empty(), "one machine alone is no dispute");
        folder.dispute(3, "b", 8).unwrap();
        folder.dispute(12, "b", 8).unwrap();
        folder.dispute(12, "c", 9).unwrap();
        File::create(folder.disputed(4, "mine")).unwrap();
        assert_eq!(folder.disputes()[&3], dispute(&[("b", 8), ("node.a-1", 7)]));
        assert_eq!(folder.disputes().keys().copied().collect::<Vec<_>>(), [3, 12]);
        folder.settle(3);
        assert_eq!(folder.disputes().keys().copied().collect::<Vec<_>>(), [12]);
        fs::remove_dir_all(path).unwrap();
    }
}
