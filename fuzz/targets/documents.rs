//! Manifests, packets, sets and their edges, policies: the documents that tell of files. Whatever bytes stand in their
//! place, what is read from them is exactly those bytes, and whoever goes on from there refuses with a code.

use std::collections::BTreeMap;
use std::fs;

use recap::base::credential::Spotter;
use recap::base::json::canonical;
use recap::base::policy::Policy;
use recap::base::private::ArtifactPath;
use recap::evidence::kinship::set::Set;
use recap::evidence::ledger::open::{OpenLedger, read_manifest};
use recap::evidence::packet::packets_file;
use recap::meaning::handoff::check::{Basis, check};
use recap::stage::read::outline;
use recap::stage::validate::validate;
use recap::stage::validate_set::{self, validate_set};

use super::ground::{Ground, SmallSet, golden_files, patiently, replaced};
use super::verdicts::{canonical_form, is_told, places};

// Of the thread, not of the process: these targets write into what they read, and a folder goes with its thread.
thread_local! {
    static FOLDER: Ground = {
        let ground = Ground::new();
        golden_files(&ground);
        ground
    };
    static SET: SmallSet = SmallSet::new();
}

/// A manifest is what we write, byte for byte, or it is refused; one that says other things of the same files is
/// refused by `validate`, or says only what no file can show.
pub fn manifest(data: &[u8]) {
    FOLDER.with(|ground| manifest_in(ground, data));
}

fn manifest_in(ground: &Ground, data: &[u8]) {
    let path = ground.path("out/manifest.json");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, data).unwrap();
    if let Ok((manifest, _)) = read_manifest(&ArtifactPath::parse(&path).unwrap()) {
        assert_eq!(canonical::to_bytes(&manifest).unwrap(), data);
        let valid = patiently(|| validate(&ground.world(), &path));
        if valid.is_ok() {
            assert!(patiently(|| outline(&ground.world(), &path, 1)).is_ok());
        }
    }
    fs::write(&path, whole).unwrap();
}

/// Packets are what we write, byte for byte, or they are refused; none that says other things is valid.
pub fn packets(data: &[u8]) {
    FOLDER.with(|ground| packets_in(ground, data));
}

fn packets_in(ground: &Ground, data: &[u8]) {
    let manifest = ground.path("out/manifest.json");
    let path = ground.path("out/manifest.json.packets.json");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, data).unwrap();
    let world = ground.world();
    let artifact = ArtifactPath::parse(&manifest).unwrap();
    let found = patiently(|| OpenLedger::open(&artifact, &world.interrupted))
        .map(|ledger| packets_file::find(&ledger));
    if let Ok(Some(packets)) = found.unwrap() {
        assert_eq!(canonical::to_bytes(&packets).unwrap(), data);
        if patiently(|| validate(&world, &manifest)).is_ok() {
            assert_eq!(data, whole, "other packets of the same events");
        }
    }
    fs::write(&path, whole).unwrap();
}

/// A set document is what we write, byte for byte, or it is refused.
pub fn set(data: &[u8]) {
    SET.with(|set| set_in(set, data));
}

fn set_in(set: &SmallSet, data: &[u8]) {
    let whole = fs::read(&set.path).unwrap();
    fs::write(&set.path, data).unwrap();
    if let Ok((read, _)) = Set::read(&ArtifactPath::parse(&set.path).unwrap()) {
        assert_eq!(read.to_bytes().unwrap(), data);
        if patiently(|| validate_set(&set.ground.world(), &set.path)).is_ok() {
            assert_eq!(data, whole, "another set of the same members");
        }
    }
    fs::write(&set.path, whole).unwrap();
}

/// What is said of the edges of a set: another spelling has the same verdict.
pub fn edges(data: &[u8]) {
    SET.with(|small| edges_in(small, data));
}

fn edges_in(small: &SmallSet, data: &[u8]) {
    let world = small.ground.world();
    let valid = patiently(|| validate_set::open(&world, &small.path)).unwrap();
    let mut tables = BTreeMap::new();
    for member in &valid.set.members {
        let ledger = patiently(|| validate_set::open_member(&world, &valid.path, member)).unwrap();
        tables.insert(member.boundary, ledger.table().unwrap());
    }
    let basis = Basis { set: &valid.set, set_sha256: valid.sha256, tables: &tables };
    let data = replaced(data, "@set@", &small.sha256.to_string());
    match check(&data, &basis) {
        Ok(handoff) => {
            let again = check(&canonical_form(&data).unwrap(), &basis).unwrap();
            assert_eq!(again.items(), handoff.items());
        }
        Err(violations) => {
            is_told(&violations);
            let Some(canonical) = canonical_form(&data) else { return };
            let again = check(&canonical, &basis).expect_err("another spelling is accepted");
            assert_eq!(places(&again), places(&violations));
        }
    }
}

/// A policy that is accepted makes a search that finds at least what the built-in one finds, in any text.
pub fn policy(data: &[u8]) {
    let Ok(policy) = Policy::parse(data) else { return };
    let search = policy.search();
    let spotter = search.spotter();
    let token = ["ghp_", &"a1B2c3D4e".repeat(4)].concat();
    let text = format!("a {token} and {}", String::from_utf8_lossy(data));
    let own = spotter.look(&text);
    assert!(own.spans.windows(2).all(|two| two[0].end <= two[1].start));
    assert!(!own.spans.is_empty() || !own.allowed.is_empty() || Spotter::global().spot(&text).is_empty());
}
