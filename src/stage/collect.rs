//! collect: a transcript becomes a manifest and its ledger.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use camino::Utf8PathBuf;

use super::assay;
use super::assemble::{manifest, versions};
use super::place;
use super::policy::{Asked, search};
use super::repositories::{self, Surveyed};
use super::sums;
use super::world::World;
use crate::base::digest::Digest;
use crate::base::json::canonical;
use crate::base::limits::DRAFT_BYTES;
use crate::base::policy::Search;
use crate::base::private::{ArtifactPath, Folder};
use crate::base::receipt::Receipt;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::event::keys::Secret;
use crate::evidence::ledger::build::{Built, Order, build};
use crate::evidence::ledger::open::{LEDGER_SUFFIX, LOCK_SUFFIX, SECRET_FILE, read_manifest, read_secret};
use crate::evidence::ledger::resume::{self, Resume, States};
use crate::evidence::ledger::{policy, side_files};
use crate::evidence::manifest::{ANALYSIS_VERSION, Ledger, Manifest, READER_VERSION, SCRUBBER_VERSION};
use crate::evidence::packet::packets_file;
use crate::evidence::scrub::Spotted;
use crate::evidence::transcript::detect::{Inherited, identify, inherited_prefix, reader_of};
use crate::evidence::transcript::input::Input;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::Identity;

/// What to collect.
#[derive(Debug, Clone)]
pub struct Collect {
    /// The transcript.
    pub session: Utf8PathBuf,
    /// The manifest; by default in the session's own folder below `~/.recap`.
    pub output: Option<Utf8PathBuf>,
    /// Repositories that a person names.
    pub repositories: Vec<Utf8PathBuf>,
    /// A scrubbing policy.
    pub policy: Option<Utf8PathBuf>,
    /// Probe again although the transcript is unchanged.
    pub refresh_git: bool,
    /// Begin a new ledger with the same secret.
    pub fresh: bool,
}

/// Collects one session.
///
/// # Errors
/// Every refusal of the rule table that names files, the transcript or the ledger; nothing is published then.
pub fn collect(world: &World<'_>, order: &Collect) -> Result<Receipt> {
    let started = world.clock.elapsed_ms();
    let asked = search(world, order.policy.as_deref())?;
    let input = Input::open(&world.absolute(&order.session))?;
    let identity = identify(&input).map_err(|refusal| lost(world, order, &input, refusal))?;
    refuse_secret_identity(&identity, &asked.search)?;
    let output = match &order.output {
        Some(path) => path.clone(),
        None => place::default_folder(world, identity.boundary())?.join(place::MANIFEST_FILE),
    };
    let beside = [LOCK_SUFFIX, ".ledger/x", ".packets.json"];
    let output = place::output(world, &output, &beside, &[&order.session])?;
    let _lock = output.folder().lock_exclusive(&format!("{}{LOCK_SUFFIX}", output.name()))?;
    let older = read_older(&output)?;
    if let Some((older, _)) = &older {
        refuse_other(older, &identity, &asked.version(), order.fresh)?;
    }
    let folder = output.folder().child_or_create(&format!("{}{LEDGER_SUFFIX}", output.name()))?;
    folder.remove_stray_temps()?;
    let kept = older.as_ref().filter(|_| !order.fresh);
    if let Some((older, digest)) = kept {
        refuse_shrunk(older, &input)?;
        let has_policy = older.ledger.streams.contains_key(policy::STREAM) == asked.document.is_some();
        if !order.refresh_git && has_policy && is_unchanged(older, &input, &world.interrupted)? {
            return Ok(receipt(older, *digest, None, true).duration(world.clock.elapsed_ms() - started));
        }
    }
    let secret = secret(&folder, older.is_some())?;
    let place = Place {
        world,
        input: &input,
        identity: &identity,
        order,
        asked: &asked,
        folder: &folder,
        output: &output,
    };
    let made = make(&place, &secret, kept.map(|(older, _)| older)).inspect_err(|_| {
        // What was written so far has no name in any manifest. The refusal is what counts; if this fails, too, the
        // next collection clears it.
        let _ = remove_unnamed(&output, &folder, older.as_ref().map(|(older, _)| older).into_iter());
    })?;
    resume::save(&folder, &secret, &made.manifest, &made.inherited, &made.states)?;
    let digest = publish(&output, &folder, &made, older.as_ref().map(|(older, _)| older))?;
    let previous = older.map(|(_, digest)| digest);
    let receipt = receipt(&made.manifest, digest, previous, false).flag("resumed", made.resumed);
    Ok(receipt.duration(world.clock.elapsed_ms() - started))
}

/// What making a manifest needs.
struct Place<'p> {
    world: &'p World<'p>,
    input: &'p Input,
    identity: &'p Identity,
    order: &'p Collect,
    asked: &'p Asked,
    folder: &'p Folder,
    output: &'p ArtifactPath,
}

/// A manifest with its bytes, and what the next collection goes on from; nothing has the manifest's name yet.
struct Made {
    manifest: Manifest,
    bytes: Vec<u8>,
    inherited: Inherited,
    states: States,
    /// What was read before was only hashed.
    resumed: bool,
}

/// The bytes are the same, and only copied history can change what records before them are.
const NOW_INHERITED: &str = "the bytes are as they were, but more of them showed that rows told as this session's own are a \
     copy of another session's; collect with --fresh";

/// Builds the ledger and its manifest: behind what was read before, or, where that cannot be gone on from, anew.
fn make(place: &Place<'_>, secret: &Secret, kept: Option<&Manifest>) -> Result<Made> {
    // A document has no line feed behind which nothing changes: it is written anew as a whole. What is no longer read
    // in the form that it was read in, is read from its beginning.
    let form = place.identity.form;
    let resume = kept.filter(|older| !place.identity.is_document() && older.boundary.form == form);
    let resume = resume.and_then(|older| resume::open(place.folder, secret, older));
    match (kept, resume) {
        (Some(older), Some(resume)) => match make_from(place, secret, kept, Some((&older.ledger, resume))) {
            // Older files are not what they were; reading the transcript again makes them anew.
            Err(refusal)
                if matches!(
                    refusal.code(),
                    Code::StreamMissing | Code::StreamCorrupt | Code::CountsMismatch
                ) =>
            {
                make_from(place, secret, kept, None)
            }
            made => made,
        },
        _ => make_from(place, secret, kept, None),
    }
}

fn make_from(
    place: &Place<'_>,
    secret: &Secret,
    kept: Option<&Manifest>,
    resume: Option<(&Ledger, Resume)>,
) -> Result<Made> {
    let Place { world, input, identity, .. } = place;
    let size = input.size_bytes_at_open();
    // What proved own work proves it only as long as the session does not turn out to be a fork.
    let stands =
        |older: &&Inherited| older.decided && older.possible == (identity.forked && older.range.is_empty());
    let decided = resume.as_ref().map(|(_, resume)| &resume.inherited).filter(stands);
    let inherited = decided.map_or_else(|| inherited_prefix(input, size, identity), |own| Ok(own.clone()))?;
    // Where more bytes tell otherwise where the inherited history ends, everything behind it is read otherwise.
    let resume = resume.filter(|(_, resume)| resume.inherited.range == inherited.range);
    let resumed = resume.is_some();
    let mut built = build(Order {
        input,
        size,
        identity,
        reader: reader_of(identity.harness),
        inherited: inherited.range.clone(),
        resume,
        secret,
        folder: place.folder,
        extends: kept.map(|older| (older.ledger.state, older.source.size)),
        spotter: place.asked.search.spotter(),
        interrupted: &world.interrupted,
    })?;
    if let Some(older) = kept {
        let same = built.pass.watched.is_some_and(|hash| hash.to_hex().as_str() == older.source.blake3);
        if !same || !built.extends {
            let refusal = Refusal::new(Code::SourceRewritten).at(place.output.path());
            return Err(if same { refusal.hint(NOW_INHERITED) } else { refusal });
        }
    }
    let (names, folder) = (&built.side_files, place.folder);
    let (rows, gaps) = side_files::look_up(names, input.source(), identity, folder, &world.interrupted)?;
    built.streams.insert(side_files::STREAM.to_owned(), rows);
    built.limitations.extend(gaps);
    if let Some((document, _)) = &place.asked.document {
        built.streams.insert(policy::STREAM.to_owned(), policy::write(folder, document)?);
    }
    let surveyed = survey(place, &mut built);
    let states = built.states.clone();
    let manifest = manifest(world, input, identity, &inherited, built, surveyed, &place.asked.version())?;
    let bytes = canonical::to_bytes(&manifest)?;
    if bytes.len() as u64 > DRAFT_BYTES {
        return Err(Refusal::new(Code::ManifestInvalid).hint("it would be too large to be read again"));
    }
    let named = kept.map(sums::files_of).unwrap_or_default();
    let new = sums::files_of(&manifest).into_iter().filter(|name| !named.contains(name));
    assay::files(place.folder, new, &place.asked.search)?;
    assay::document(&bytes, &place.asked.search)?;
    Ok(Made { manifest, bytes, inherited, states, resumed })
}

/// What is recognised no more, where a ledger of it stands, was cut off or written over.
fn lost(world: &World<'_>, order: &Collect, input: &Input, refusal: Refusal) -> Refusal {
    let manifest = order.output.as_ref().filter(|_| refusal.code() == Code::NotATranscript && !order.fresh);
    let older = manifest.and_then(|path| ArtifactPath::parse(&world.absolute(path)).ok());
    let Some((older, _)) = older.and_then(|path| read_manifest(&path).ok()) else { return refusal };
    let shrank = input.size_bytes_at_open() < older.source.size;
    Refusal::new(if shrank { Code::SourceTruncated } else { Code::SourceRewritten })
}

fn refuse_secret_identity(identity: &Identity, search: &Search) -> Result<()> {
    let parts = [Some(&identity.session), identity.agent.as_ref(), identity.rollout.as_ref()];
    if parts.into_iter().flatten().any(|part| search.has_secret(part)) {
        return Err(Refusal::new(Code::IdentityCredentialShaped));
    }
    Ok(())
}

fn read_older(output: &ArtifactPath) -> Result<Option<(Manifest, Digest)>> {
    if output.folder().exists(output.name())? { read_manifest(output).map(Some) } else { Ok(None) }
}

fn refuse_other(older: &Manifest, identity: &Identity, policy: &str, fresh: bool) -> Result<()> {
    if older.boundary.id != identity.boundary() {
        return Err(Refusal::new(Code::LedgerOfAnotherSession));
    }
    let mut versions = versions(policy);
    versions.recap.clone_from(&older.versions.recap);
    if !fresh && older.versions != versions {
        return Err(Refusal::new(Code::LedgerOfOtherVersion));
    }
    Ok(())
}

fn refuse_shrunk(older: &Manifest, input: &Input) -> Result<()> {
    if input.size_bytes_at_open() < older.source.size {
        return Err(Refusal::new(Code::SourceTruncated));
    }
    Ok(())
}

/// Same size, same bytes, same analysis: nothing needs to be written.
fn is_unchanged(older: &Manifest, input: &Input, interrupted: &AtomicBool) -> Result<bool> {
    if input.size_bytes_at_open() != older.source.size {
        return Ok(false);
    }
    // A live session may grow meanwhile: what follows the snapshot is not compared.
    let hashed = input.hash(older.source.size, 0, interrupted)?;
    if hashed.blake3.to_hex().as_str() != older.source.blake3 {
        return Err(Refusal::new(Code::SourceRewritten));
    }
    Ok(older.git.session_observed.analysis_version == ANALYSIS_VERSION)
}

/// The ledger's secret: read, or created before anything else of a new ledger.
fn secret(folder: &Folder, ledger_exists: bool) -> Result<Secret> {
    if let Some(secret) = read_secret(folder)? {
        return Ok(secret);
    }
    if ledger_exists {
        return Err(Refusal::new(Code::SecretMissing));
    }
    let secret = Secret::generate()?;
    if folder.create_exclusive(SECRET_FILE, secret.expose())? {
        return Ok(secret);
    }
    read_secret(folder)?.ok_or_else(|| Refusal::new(Code::SecretMissing))
}

fn survey(place: &Place<'_>, built: &mut Built) -> Surveyed {
    let numbering = &mut built.numbering;
    let spotter = place.asked.search.spotter();
    let mut scrub = |text: String| numbering.scrub(Spotted::new(Raw::from(text), spotter)).into_string();
    repositories::probe(
        place.world,
        place.input.source(),
        &place.order.repositories,
        &built.session.work_directories,
        &built.observations.candidates,
        &mut scrub,
    )
}

/// The one commit: stream files are whole and flushed, then the folder, then the manifest gets its name.
fn publish(
    output: &ArtifactPath,
    folder: &Folder,
    Made { manifest, bytes, .. }: &Made,
    older: Option<&Manifest>,
) -> Result<Digest> {
    folder.flush()?;
    // Durable: every stream file under its digest. A crash from here on leaves the older manifest with its files.
    output.write(bytes)?;
    // Durable: the new manifest. What follows is derived or no longer named; if it fails, the next collection does it,
    // and a refusal now would deny what stands.
    let _ = clear_up(output, folder, manifest, older);
    Ok(Digest::of(bytes))
}

fn clear_up(
    output: &ArtifactPath,
    folder: &Folder,
    manifest: &Manifest,
    older: Option<&Manifest>,
) -> Result<()> {
    let packets = packets_file::named_streams(output)?;
    sums::write(folder, sums::files_of(manifest).into_iter().chain(packets))?;
    remove_unnamed(output, folder, std::iter::once(manifest).chain(older))
}

/// Removes stream files that neither these manifests nor the packets name.
fn remove_unnamed<'m>(
    output: &ArtifactPath,
    folder: &Folder,
    manifests: impl Iterator<Item = &'m Manifest>,
) -> Result<()> {
    let mut named: BTreeSet<String> = manifests.flat_map(sums::files_of).collect();
    named.extend(packets_file::named_streams(output)?);
    named.extend(resume::named_streams(folder));
    for name in folder.list()? {
        if sums::digest_of(&name).is_some() && !named.contains(&name) {
            folder.remove(&name)?;
        }
    }
    Ok(())
}

fn receipt(manifest: &Manifest, digest: Digest, previous: Option<Digest>, unchanged: bool) -> Receipt {
    let coverage = &manifest.coverage;
    let count = |name: &str| coverage.records.get(name).copied().unwrap_or_default();
    Receipt::new("collect")
        .boundary(manifest.boundary.id)
        .digest("manifest_sha256", digest)
        .digest("ledger_root", manifest.ledger.state.root)
        .digest("records_root", manifest.ledger.state.records_root)
        .count("events", manifest.ledger.state.size)
        .count("records", manifest.ledger.state.records)
        .count("records_mirror", count("mirror"))
        .count("records_inherited", count("inherited"))
        .count("records_structural", count("structural"))
        .count("records_withheld", count("withheld"))
        .count("records_malformed", count("malformed"))
        .count("calls", coverage.calls.total)
        .count("calls_open", coverage.calls.open)
        .count("redactions", manifest.redactions.values().sum())
        .count("marks_kept", manifest.kept.marks)
        .count("values_allowed", manifest.kept.allowed)
        .count("repositories_verified", manifest.git.verified_now.len() as u64)
        .flag("source_complete", coverage.source_complete)
        .flag("live", manifest.source.live)
        .flag("unchanged", unchanged)
        .limitations(&manifest.limitations)
        .version("reader", READER_VERSION)
        .version("scrubber", SCRUBBER_VERSION)
        .version("analysis", ANALYSIS_VERSION)
        .previous(previous)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::sync::Arc;

    use super::{ArtifactPath, Collect, Input, Utf8PathBuf, World, collect, is_unchanged, read_manifest};
    use crate::base::clock::SystemClock;

    #[test]
    fn a_source_that_grows_while_it_is_compared_is_not_rewritten() {
        let closed = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        let keep = tempfile::Builder::new().permissions(closed).tempdir().unwrap();
        let folder = Utf8PathBuf::from_path_buf(keep.path().canonicalize().unwrap()).unwrap();
        let session = folder.join("s.jsonl");
        let row = "{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"2d2e2f20-1111-4222-8333-444455556666\",\
                   \"message\":{\"role\":\"user\",\"content\":\"x\"}}\n";
        std::fs::write(&session, row).unwrap();
        let clock = SystemClock::default();
        let world = World {
            clock: &clock,
            environment: std::collections::BTreeMap::new(),
            working_directory: folder.clone(),
            interrupted: Arc::default(),
            terminal: false,
        };
        let output = folder.join("out/manifest.json");
        let order = Collect {
            session: session.clone(),
            output: Some(output.clone()),
            repositories: Vec::new(),
            policy: None,
            refresh_git: false,
            fresh: false,
        };
        collect(&world, &order).unwrap();
        let (older, _) = read_manifest(&ArtifactPath::parse(&output).unwrap()).unwrap();
        let input = Input::open(&session).unwrap();
        let mut file = std::fs::File::options().append(true).open(&session).unwrap();
        file.write_all(row.as_bytes()).unwrap();
        assert!(is_unchanged(&older, &input, &world.interrupted).unwrap());
    }
}
