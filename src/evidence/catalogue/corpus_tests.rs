//! Homes as the real programs wrote them: every file is told, every parent is found.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;

use super::fixture::{GO_ON, LATER, THREAD};
use super::{Catalogue, Kind, NoSession, Proof, Relation, Roots, Target};
use crate::base::ids::Harness;

/// `None` where the samples do not lie beside the project.
fn corpus() -> Option<Utf8PathBuf> {
    let beside = || Utf8PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let folder = std::env::var("RECAP_CORPUS").map_or_else(|_| beside(), Utf8PathBuf::from);
    if !folder.join("codex/sessions").is_dir() {
        println!("skipped: no corpus at hand");
        return None;
    }
    Some(folder)
}

#[test]
fn the_home_of_codex_is_listed_whole() {
    let Some(corpus) = corpus() else { return };
    let roots = Roots::of_homes(&[(Harness::Codex, corpus.join("codex"))]);
    let catalogue = Catalogue::read(&roots, &GO_ON).unwrap();
    assert!(catalogue.rejected().is_empty());
    let mut kinds = BTreeMap::new();
    for entry in catalogue.entries() {
        *kinds.entry(entry.kind).or_insert(0) += 1;
        assert!(!catalogue.is_orphan(entry) && !entry.marks.damaged, "{}", entry.path);
        for link in &entry.links {
            assert!(!catalogue.targets(&link.to).is_empty(), "{} {link:?}", entry.path);
        }
    }
    assert_eq!(kinds, BTreeMap::from([(Kind::Session, 18), (Kind::Child, 4)]));
    let thread = catalogue.native(THREAD, None, &GO_ON).unwrap();
    assert_eq!(thread.rollout(), LATER);
    assert_eq!(catalogue.entries().iter().filter(|entry| catalogue.is_superseded(entry)).count(), 1);
    assert_eq!(catalogue.entries().iter().filter(|entry| entry.marks.archived).count(), 1);
}

#[test]
fn every_child_of_claude_has_its_parent_and_every_fork_its_origin() {
    let Some(corpus) = corpus() else { return };
    let mut found = BTreeMap::new();
    for case in corpus.join("claude").read_dir_utf8().unwrap() {
        let home = case.unwrap().path().to_owned();
        let catalogue = Catalogue::read(&Roots::of_homes(&[(Harness::Claude, home)]), &GO_ON).unwrap();
        for entry in catalogue.entries() {
            assert!(!entry.marks.name_disagrees, "{}", entry.path);
            let is_child = entry.identity.agent.is_some();
            assert_eq!(entry.linked(Relation::ChildOf).count(), usize::from(is_child), "{}", entry.path);
            for link in entry.links.iter().filter(|link| link.relation != Relation::Names) {
                *found.entry((link.relation, link.proof)).or_insert(0) += 1;
                let is_there = !catalogue.targets(&link.to).is_empty();
                // 2.0.76 leaves an empty file behind each session that was only resumed, with its warm-up children.
                let Target::Session { session, .. } = &link.to else { panic!("{link:?}") };
                assert!(
                    is_there || catalogue.why_not(session) == Some(NoSession::Empty),
                    "{} {link:?}",
                    entry.path
                );
            }
        }
    }
    let expected = [
        ((Relation::ChildOf, Proof::RowsOfChild), 69),
        ((Relation::ChildOf, Proof::SidecarParentAgent), 2),
        ((Relation::ForkOf, Proof::ForkedFrom), 2),
        ((Relation::ForkOf, Proof::RequestSessionId), 2),
        ((Relation::ForkOf, Proof::RowSessionId), 2),
        ((Relation::InTreeOf, Proof::RowsOfChild), 2),
    ];
    assert_eq!(found, BTreeMap::from(expected));
}
