//! The transcripts of one harness as far as a boundary set needs them: their ends first, and all of those that the search
//! for relatives asks for.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::find::{self, Found as Selected};
use super::world::World;
use crate::base::Result;
use crate::base::ids::{BoundaryId, Harness};
use crate::base::rules::Code;
use crate::evidence::catalogue::entry::NoSession;
use crate::evidence::catalogue::sidecar::Sidecar;
use crate::evidence::catalogue::{Catalogue, Entry};
use crate::evidence::kinship::copied::{ids_of, repeated};
use crate::evidence::kinship::find::{Found, Kin, find};
use crate::evidence::kinship::listen::{self, Question};
use crate::evidence::kinship::said::{By, Heard, Native, Relation};
use crate::evidence::kinship::search::Wanted;
use crate::evidence::kinship::set::Follows;
use crate::evidence::transcript::input::Input;
use crate::evidence::transcript::reading::Identity;

/// Everything that is known of one harness's transcripts; the selected one stands first.
pub struct Relatives {
    files: Vec<File>,
    heard: Vec<Heard>,
    question: Question,
    collected: Collected,
}

/// Up to where transcripts were collected, in bytes: what a set says of them must not come from behind.
pub type Collected = BTreeMap<BoundaryId, u64>;

/// One transcript.
struct File {
    path: Utf8PathBuf,
    /// What files beside transcripts say, by native ids.
    beside: Vec<Relation>,
}

impl Relatives {
    /// Searches the harness's roots for everything that may be related to the selected session. Of transcripts that were
    /// collected already only that much is heard.
    ///
    /// # Errors
    /// `interrupted`; what opening and reading the selected transcript refuses.
    pub fn read(
        world: &World<'_>,
        selected: &Selected,
        follows: Follows,
        collected: Collected,
    ) -> Result<Self> {
        let harness = selected.identity.harness;
        let catalogue = find::search(world, Some(harness))?;
        let lonely = lonely_sidecars(&catalogue);
        let question = Question::default();
        let mut relatives = Self { files: Vec::new(), heard: Vec::new(), question, collected };
        let own = catalogue.entries().iter().find(|entry| entry.path == selected.path);
        relatives.add(
            &selected.path,
            &selected.identity,
            own.and_then(|entry| entry.sidecar.as_ref()),
            &lonely,
        );
        for entry in chosen(&catalogue, selected, world) {
            relatives.add(&entry.path, &entry.identity, entry.sidecar.as_ref(), &lonely);
        }
        // Agents of Claude Code name their tree on their rows; nobody else's relation can be told without reading.
        let asked = |heard: &Heard| match harness {
            Harness::Claude => follows.chain && heard.identity.agent.is_none(),
            Harness::Codex => true,
        };
        for index in 0..relatives.files.len() {
            if !relatives.heard.get(index).is_some_and(asked) {
                continue;
            }
            match relatives.listen(index, &|path, identity| listen::ends(path, identity)) {
                // Whoever needs all of it will be told; one file among thousands that is gone since stops nothing.
                Err(refusal) if index > 0 && refusal.code() != Code::Interrupted => {}
                listened => listened?,
            }
        }
        relatives.question.rows.extend(relatives.heard.iter().filter_map(|heard| heard.follows.clone()));
        Ok(relatives)
    }

    /// Everything that belongs to the selected session.
    ///
    /// # Errors
    /// What the search refuses; what opening and reading a transcript refuses; `interrupted`.
    pub fn kin(&mut self, world: &World<'_>, follows: Follows, without: &[String]) -> Result<Kin> {
        loop {
            match find(&self.heard, &Wanted { selected: 0, follows, without })? {
                Found::Kin(kin) => return Ok(kin),
                Found::NeedsWhole(needs) => {
                    for index in needs {
                        self.listen_whole(world, index)?;
                    }
                }
            }
        }
    }

    /// Records at the head of `to` that the transcript of `from` holds, too, in the states that were collected.
    ///
    /// # Errors
    /// What opening and reading a transcript refuses; `interrupted`.
    pub fn repeated(&self, world: &World<'_>, from: BoundaryId, to: BoundaryId) -> Result<u64> {
        let at = |boundary| self.heard.iter().position(|heard| heard.boundary() == boundary);
        let of = |index: usize| Some((self.files.get(index)?, self.heard.get(index)?));
        let (Some((from, origin)), Some((to, copy))) = (at(from).and_then(of), at(to).and_then(of)) else {
            return Ok(0);
        };
        let stop = &world.interrupted;
        let ids = ids_of(&Input::open(&from.path)?, origin.bytes, &copy.identity, stop)?;
        repeated(&Input::open(&to.path)?, copy.bytes, copy.identity.harness, &ids, stop)
    }

    /// Where a transcript lies.
    pub fn path(&self, index: usize) -> Option<&Utf8Path> {
        self.files.get(index).map(|file| file.path.as_path())
    }

    /// What a transcript says.
    pub fn heard(&self, index: usize) -> Option<&Heard> {
        self.heard.get(index)
    }

    fn add(&mut self, path: &Utf8Path, identity: &Identity, sidecar: Option<&Sidecar>, lonely: &Lonely) {
        let mut beside: Vec<Relation> =
            sidecar.into_iter().filter_map(|sidecar| said_beside(identity, sidecar)).collect();
        if identity.harness == Harness::Claude && identity.agent.is_none() {
            let agents = lonely.get(&identity.session).into_iter().flatten();
            beside.extend(agents.map(|agent| {
                let (session, agent) = (identity.session.clone(), agent.clone());
                Relation::Knows(Native::Agent { session, agent })
            }));
        }
        let call = sidecar.and_then(|sidecar| sidecar.tool_use_id.clone());
        if let (Some(call), Some(agent)) = (call, identity.agent.clone()) {
            self.question.calls.insert(call, Native::Agent { session: identity.session.clone(), agent });
        }
        let mut heard = Heard::of(identity.clone());
        beside.iter().for_each(|relation| heard.add(relation.clone(), By::MetaFile, None));
        self.heard.push(heard);
        self.files.push(File { path: path.to_owned(), beside });
    }

    fn listen_whole(&mut self, world: &World<'_>, index: usize) -> Result<()> {
        let bytes = self.heard(index).and_then(|heard| self.collected.get(&heard.boundary())).copied();
        let question = std::mem::take(&mut self.question);
        let stop = &world.interrupted;
        let listened = self.listen(index, &|path, identity| {
            let input = Input::open(path)?;
            let bytes = bytes.unwrap_or_else(|| input.size_bytes_at_open());
            listen::whole(&input, bytes, identity, &question, stop)
        });
        self.question = question;
        listened
    }

    fn listen(&mut self, index: usize, how: &dyn Fn(&Utf8Path, &Identity) -> Result<Heard>) -> Result<()> {
        let (Some(file), Some(slot)) = (self.files.get(index), self.heard.get_mut(index)) else {
            return Ok(());
        };
        let mut heard = how(&file.path, &slot.identity)?;
        file.beside.iter().for_each(|relation| heard.add(relation.clone(), By::MetaFile, None));
        *slot = heard;
        Ok(())
    }
}

/// One file for each boundary but the selected one. Where several are there and their contents do not settle which is
/// meant, all of them: a relation that leads there is then refused.
fn chosen<'c>(catalogue: &'c Catalogue, selected: &Selected, world: &World<'_>) -> Vec<&'c Entry> {
    let boundaries: BTreeSet<BoundaryId> = catalogue.entries().iter().map(|entry| entry.boundary).collect();
    let others = boundaries.into_iter().filter(|boundary| *boundary != selected.boundary);
    others
        .flat_map(|boundary| {
            let files = catalogue.files_of(boundary);
            match catalogue.boundary(boundary, &world.interrupted) {
                Ok(one) if files.len() > 1 => vec![one],
                _ => files,
            }
        })
        .collect()
}

/// What the file beside a child's transcript says of its parent.
fn said_beside(identity: &Identity, sidecar: &Sidecar) -> Option<Relation> {
    identity.agent.as_ref()?;
    let session = identity.session.clone();
    match (&sidecar.parent_agent_id, sidecar.spawn_depth) {
        (Some(agent), _) => Some(Relation::BegunBy(Native::Agent { session, agent: agent.clone() })),
        // Deeper down it must have been another child, which it does not name.
        (None, Some(depth)) if depth > 1 => None,
        (None, _) => Some(Relation::Within(Native::Session(session))),
    }
}

/// Agents of which only the file beside a transcript is there, by the session in whose folder it lies. It proves nothing:
/// such a child is expected, and missing.
type Lonely = BTreeMap<String, Vec<String>>;

fn lonely_sidecars(catalogue: &Catalogue) -> Lonely {
    let mut lonely = Lonely::new();
    for rejected in catalogue.rejected().iter().filter(|rejected| rejected.why == NoSession::SidecarAlone) {
        let name = rejected.path.file_name().and_then(|name| name.strip_suffix(".meta.json"));
        let agent = name.and_then(|name| name.strip_prefix("agent-"));
        let mut folders = rejected.path.ancestors().skip(1);
        let below = folders.find(|folder| folder.file_name() == Some("subagents"));
        let session = below.and_then(Utf8Path::parent).and_then(Utf8Path::file_name);
        if let (Some(agent), Some(session)) = (agent, session) {
            lonely.entry(session.to_owned()).or_default().push(agent.to_owned());
        }
    }
    lonely
}
