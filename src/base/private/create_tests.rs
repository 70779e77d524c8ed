//! Facts about creating and replacing artifacts.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use camino::Utf8Path;

use super::super::folder::tests::{make_pipe, scratch};
use std::io::Write as _;

use super::{BUFFER_BYTES, BufWriter, File, Folder, Unpublished, is_temporary};
use crate::base::rules::Code;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn an_artifact_appears_only_through_publish() {
    let (keep, folder) = scratch();
    let mut file = folder.create("m.json").unwrap();
    file.put(b"{").unwrap();
    file.write_all(b"}").unwrap();
    assert_eq!(file.written_bytes(), 2);
    assert!(!folder.exists("m.json").unwrap());
    file.publish().unwrap();
    assert_eq!(folder.list().unwrap(), ["m.json"]);
    assert_eq!(fs::read(keep.path().join("m.json")).unwrap(), b"{}");
}

#[test]
fn what_is_not_published_leaves_nothing() {
    let (_keep, folder) = scratch();
    let mut file = folder.create("m.json").unwrap();
    file.put(&[b'x'; 3 * BUFFER_BYTES]).unwrap();
    drop((file, folder.create_stream().unwrap()));
    assert!(folder.list().unwrap().is_empty());
}

#[test]
fn an_old_artifact_stays_whole_until_it_is_replaced() {
    let (keep, folder) = scratch();
    folder.create_exclusive("m.json", b"old").unwrap();
    let reader = folder.open_artifact("m.json").unwrap();
    let mut file = folder.create("m.json").unwrap();
    file.put(b"new").unwrap();
    assert_eq!(fs::read(keep.path().join("m.json")).unwrap(), b"old");
    file.publish().unwrap();
    assert_eq!(fs::read(keep.path().join("m.json")).unwrap(), b"new");
    assert_eq!(reader.read_all(10).unwrap(), b"old");
    assert_eq!(folder.list().unwrap(), ["m.json"]);
}

#[test]
fn a_stream_gets_its_name_at_the_end() {
    let (keep, folder) = scratch();
    let mut stream = folder.create_stream().unwrap();
    stream.put(b"line\n").unwrap();
    assert!(folder.list().unwrap().iter().all(|name| is_temporary(name)));
    stream.publish_as("digest.jsonl").unwrap();
    folder.flush().unwrap();
    assert_eq!(fs::read(keep.path().join("digest.jsonl")).unwrap(), b"line\n");
    let refused = folder.create_stream().unwrap().publish_as("../digest").unwrap_err();
    assert_eq!((refused.code(), folder.list().unwrap().len()), (Code::Usage, 1));
}

#[test]
fn what_is_no_artifact_of_ours_is_not_replaced() {
    let (keep, folder) = scratch();
    fs::write(keep.path().join("open"), "").unwrap();
    fs::set_permissions(keep.path().join("open"), Permissions::from_mode(0o644)).unwrap();
    symlink("open", keep.path().join("link")).unwrap();
    fs::create_dir(keep.path().join("folder")).unwrap();
    make_pipe(&keep.path().join("pipe"));
    folder.create_exclusive("one", b"").unwrap();
    fs::hard_link(keep.path().join("one"), keep.path().join("two")).unwrap();
    for (name, code) in [
        ("open", Code::ArtifactModeUnsafe),
        ("link", Code::ArtifactNotRegular),
        ("folder", Code::ArtifactNotRegular),
        ("pipe", Code::ArtifactNotRegular),
        ("two", Code::ArtifactLinked),
        ("a/b", Code::Usage),
    ] {
        assert_eq!(folder.create(name).unwrap_err().code(), code, "{name}");
    }
    let file = folder.create("late").unwrap();
    symlink("open", keep.path().join("late")).unwrap();
    assert_eq!(file.publish().unwrap_err().code(), Code::ArtifactNotRegular);
    assert!(folder.list().unwrap().iter().all(|name| !is_temporary(name)));
}

#[test]
fn a_secret_is_created_once() {
    let (keep, folder) = scratch();
    assert!(folder.create_exclusive("secret", b"first").unwrap());
    assert!(!folder.create_exclusive("secret", b"second").unwrap());
    let mut late = Unpublished::begin(&folder, "secret").unwrap();
    late.put(b"third").unwrap();
    assert!(!late.claim("secret").unwrap());
    drop(late);
    assert_eq!(fs::read(keep.path().join("secret")).unwrap(), b"first");
    assert_eq!(folder.list().unwrap(), ["secret"]);
}

#[test]
fn leftovers_go_and_everything_else_stays() {
    let (keep, folder) = scratch();
    let leftover = |name: &str| fs::write(keep.path().join(name), "cut").unwrap();
    leftover(".m.json.0123456789abcdef.tmp");
    leftover("m.json.tmp");
    leftover(".m.json.tmp");
    symlink("m.json.tmp", keep.path().join(".link.0123456789abcdef.tmp")).unwrap();
    let running = folder.create("m.json").unwrap();
    assert_eq!(folder.remove_stray_temps().unwrap(), 1);
    running.publish().unwrap();
    assert_eq!(
        folder.list().unwrap(),
        [".link.0123456789abcdef.tmp", ".m.json.tmp", "m.json", "m.json.tmp"],
        "a running writer keeps its file"
    );
}

#[test]
fn a_crash_between_two_names_is_mended() {
    let (keep, folder) = scratch();
    folder.create_exclusive("secret", b"x").unwrap();
    fs::hard_link(keep.path().join("secret"), keep.path().join(".secret.0123456789abcdef.tmp")).unwrap();
    assert_eq!(folder.open_artifact("secret").unwrap_err().code(), Code::ArtifactLinked);
    folder.remove_stray_temps().unwrap();
    assert!(folder.open_artifact("secret").is_ok());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_artifact() {
    let (keep, folder) = scratch();
    folder.create_exclusive("m.json", b"old").unwrap();
    let mut file = folder.create("m.json").unwrap();
    file.draft.file = BufWriter::new(File::options().write(true).open("/dev/full").unwrap());
    file.put(b"new").unwrap();
    let refusal = file.publish().unwrap_err();
    assert_eq!(refusal.code(), Code::WriteFailed);
    assert!(refusal.remedy().contains("no space") && refusal.place().unwrap().ends_with("/m.json"));
    assert_eq!(fs::read(keep.path().join("m.json")).unwrap(), b"old");
    assert_eq!(folder.list().unwrap(), ["m.json"]);
}

#[test]
fn a_folder_that_is_gone_refuses_as_write_failed() {
    let (keep, folder) = scratch();
    let inner = folder.child_or_create("inner").unwrap();
    fs::remove_dir(keep.path().join("inner")).unwrap();
    assert_eq!(inner.create("m.json").unwrap_err().code(), Code::WriteFailed);
    assert_eq!(inner.lock_exclusive("m.lock").unwrap_err().code(), Code::WriteFailed);
    assert_eq!(inner.append_locked("attempts", b"x").unwrap_err().code(), Code::WriteFailed);
}

/// The umask belongs to the whole process, so the test runs itself again under others.
#[test]
fn modes_are_exact_under_any_umask() {
    const SCRATCH: &str = "RECAP_TEST_UMASK_SCRATCH";
    if let Ok(path) = std::env::var(SCRATCH) {
        let folder = Folder::open_or_create(&Utf8Path::new(&path).join("new")).unwrap();
        let inner = folder.child_or_create("inner").unwrap();
        inner.create("artifact").unwrap().publish().unwrap();
        inner.create_exclusive("secret", b"x").unwrap();
        inner.append_locked("journal", b"x").unwrap();
        drop(inner.lock_exclusive("lock").unwrap());
        return;
    }
    for umask in ["000", "077", "777"] {
        let (keep, folder) = scratch();
        let status = std::process::Command::new("sh")
            .args(["-c", "umask \"$1\"; exec \"$0\" --exact \"$2\""])
            .arg(std::env::current_exe().unwrap())
            .args([umask, "base::private::create::tests::modes_are_exact_under_any_umask"])
            .env(SCRATCH, folder.path())
            .stdout(std::process::Stdio::null())
            .status();
        assert!(status.unwrap().success());
        for name in ["new", "new/inner"] {
            assert_eq!(mode(&keep.path().join(name)), 0o700, "{umask} {name}");
        }
        for name in ["artifact", "secret", "journal", "lock"] {
            assert_eq!(mode(&keep.path().join("new/inner").join(name)), 0o600, "{umask} {name}");
        }
    }
}
