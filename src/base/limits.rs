//! Every bound of the program in one place, each with its reason.

/// Largest author's draft that is read, in bytes: far above any real draft, far below memory.
pub const DRAFT_BYTES: u64 = 64 * 1024 * 1024;
/// Deepest nesting of a document of ours or of an author's draft.
pub const DOCUMENT_DEPTH: usize = 64;
/// Values of a document up to which every fault of shape is listed; above it only the first is. A fault costs
/// some hundred bytes before it is counted, so that this is a few hundred megabytes at the very worst.
pub const SCHEMA_VALUES: usize = 1_000_000;
/// Largest integer of a document, 2^53 - 1: exact in every JSON reader (RFC 8785 uses doubles).
pub const INTEGER_MAX: u64 = 9_007_199_254_740_991;
/// Longest transcript record that is parsed, in bytes; longer ones are counted as malformed. Real records
/// of 92 MB have been reported; above this a record would not fit the memory of a small machine.
pub const RECORD_BYTES: usize = 256 * 1024 * 1024;
/// Most events of one packet.
pub const PACKET_EVENTS: u64 = 1_000;
/// Most text of one packet, in bytes, each event counted with at most [`PACKET_EVENT_BYTES`].
pub const PACKET_TEXT_BYTES: u64 = 128 * 1024;
/// What one event counts for in a packet and shows in a reading part, in bytes.
pub const PACKET_EVENT_BYTES: u64 = 8 * 1024;
/// Size after which a segment is closed at the next packet border, in bytes.
pub const SEGMENT_BYTES: u64 = 8 * 1024 * 1024;
/// A gap between two events that opens a new episode, in milliseconds (30 minutes).
pub const EPISODE_GAP_MS: i64 = 30 * 60 * 1_000;
/// Events of equal surface and text in a row that make a repeat group.
pub const REPEAT_EVENTS: u64 = 3;
/// Most bytes that one reading command prints: an agent's shell shows about 30,000 characters.
pub const PART_BYTES: usize = 24_000;
/// Places listed for one violation code; counts stay exact.
pub const PLACES_PER_CODE: usize = 200;
/// Longest author's id, in characters.
pub const AUTHOR_ID_CHARS: usize = 48;
/// Longest label or title, in characters.
pub const LABEL_CHARS: usize = 160;
/// Longest summary or caveat, in characters.
pub const SUMMARY_CHARS: usize = 1_200;
/// Most words of a render.
pub const RENDER_WORDS: usize = 2_500;
/// Most claim ids, evidence ranges, repository facts and snapshots that one line shows; the rest is a number.
pub const RENDER_CITED: usize = 3;
/// Most commits that one line shows: who comes back looks for the last one.
pub const RENDER_COMMITS: usize = 12;
/// Most paths that one line shows; the rest is a number.
pub const RENDER_PATHS: usize = 6;
/// Words below which a synthesis skeleton must stay, so that the author's prose has room.
pub const SKELETON_WORDS: usize = 1_200;
/// Most events that the shorthand of one draft may stand for: story and timeline of over a million events
/// each, with room for the other sections; a small draft must not grow without bound.
pub const EXPANDED_EVENTS: usize = 4_000_000;
/// Most claims of an accounting skeleton.
pub const SKELETON_CLAIMS: usize = 60;
/// Failed drafts after which a ledger state has no authoritative recap: one try and two repairs.
pub const ATTEMPTS: usize = 3;
/// Longest run of one repository probe, in milliseconds.
pub const PROBE_MS: u64 = 8_000;
/// Longest run of all probes of one repository, in milliseconds: three slow ones.
pub const REPOSITORY_MS: u64 = 24_000;
/// Longest run of the probes of all repositories, in milliseconds: four slow ones. A person waits for them.
pub const SURVEY_MS: u64 = 96_000;
/// Most output of one repository probe, in bytes.
pub const PROBE_BYTES: usize = 2 * 1024 * 1024;
/// Most bytes that a probe may print on its error stream; only whether there are any is used.
pub const PROBE_ERROR_BYTES: usize = 64 * 1024;
/// Most memory that a probe may allocate, in bytes: what git takes for millions of files or commits.
pub const PROBE_MEMORY_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// Largest index that is read for its flags, in bytes: five million files.
pub const INDEX_BYTES: u64 = 512 * 1024 * 1024;
/// Largest configuration file of a repository, in bytes; real ones have some kilobytes.
pub const GIT_CONFIG_BYTES: u64 = 1024 * 1024;
/// Most loose references and reflogs that are looked at for links and pipes before git reads them.
pub const GIT_FOLDER_ENTRIES: usize = 200_000;
/// Longest one-line file that links the parts of a repository, in bytes: a path and its label.
pub const GIT_LINK_BYTES: u64 = 8 * 1024;
/// Most filter drivers and hooks of a configuration that are switched off one by one; real repositories have a
/// handful.
pub const CONFIGURED_PROGRAMS: usize = 64;
/// Changed paths of which is asked at once whether they pass a filter; they stand on one command line.
pub const FILTER_PATHS: usize = 200;
/// Most changed paths listed for one repository; the rest is counted.
pub const PROBED_PATHS: usize = 2_000;
/// Most references listed for one repository; the rest is counted.
pub const PROBED_REFERENCES: usize = 200;
/// Most linked worktrees listed for one repository; the rest is counted.
pub const PROBED_WORKTREES: usize = 50;
/// Newest commits, and newest reflog entries, listed for one repository.
pub const PROBED_COMMITS: usize = 50;
/// Most side files of a session that are looked up: their names are kept in memory until the end.
pub const SIDE_FILES: usize = 10_000;
/// Most bytes of side files that are read for their digests, in all (1 GiB): collection must end.
pub const SIDE_FILE_BYTES: u64 = 1024 * 1024 * 1024;
/// Longest name of a side file, in bytes; what systems allow.
pub const SIDE_FILE_NAME_BYTES: usize = 255;
/// Longest name of an unknown type, work directory, branch, model or version that a manifest lists, in bytes; longer
/// ones end with an ellipsis. One hostile record must not make a manifest that is too large to be read again.
pub const LISTED_TEXT_BYTES: usize = 1_024;
/// Most repository candidates that a manifest lists as not probed; the limitation counts them all.
pub const LISTED_CANDIDATES: usize = 1_000;
/// Most repositories that are probed.
pub const PROBED_REPOSITORIES: usize = 16;
/// Most rows of each kind in the observations; omissions are counted.
pub const OBSERVATION_ROWS: usize = 200_000;
/// Most facts about the end of a session; the last ones are kept.
pub const END_FACTS: usize = 32;
/// Most calls without an end before the end of a session is unknown.
pub const OPEN_CALLS: usize = 10_000;
/// Longest command text that is parsed, in bytes; longer ones are `unknown`.
pub const COMMAND_BYTES: usize = 64 * 1024;
/// Deepest nesting of groups and keywords in a command that is parsed: real scripts stay below six, and the
/// grammar recurses with each.
pub const COMMAND_NESTING: usize = 12;
/// Deepest nesting of parentheses and `case` in a command that is parsed: the grammar's work doubles with each.
pub const COMMAND_DOUBLING: usize = 4;
/// Most substitutions in a command that is parsed.
pub const COMMAND_SUBSTITUTIONS: usize = 200;
/// Most `&&` and `||` in a command that uses `[[`, whose conditions the grammar nests.
pub const COMMAND_OPERATORS: usize = 200;
/// Most scripts inside scripts (`bash -c`, substitutions) that are followed.
pub const SCRIPT_DEPTH: usize = 4;
/// Most simple commands of one call that are looked at.
pub const COMMAND_MEMBERS: usize = 1_024;
/// Longest text of a word or command kept in a row, in bytes; longer ones end with an ellipsis.
pub const OBSERVED_TEXT_BYTES: usize = 1_024;
/// Most words of an argument list kept in a row.
pub const OBSERVED_WORDS: usize = 64;
/// The end of a result in which a runner's closing lines are looked for, in bytes: more than the harnesses keep of an
/// output, so that the lines of every crate or project are among them.
pub const CLOSING_BYTES: usize = 64 * 1024;
/// Most components of a path to an artifact, links resolved: far above what systems take, bounds the walk.
pub const PATH_COMPONENTS: usize = 4_096;
/// Most symbolic links that are followed on the way to a folder; what systems allow too.
pub const PATH_LINKS: usize = 40;
/// Most names of a folder of artifacts that are listed: segments of a ledger of 800 GB, about 10 MB of memory.
pub const FOLDER_ENTRIES: usize = 100_000;
/// How far compressed data may grow, to one: transcripts compress to a tenth, those of repeated images to a hundredth.
pub const DECOMPRESSED_RATIO: u64 = 200;
/// What compressed data may grow to whatever its size, in bytes: a small file of blanks is no attack.
pub const DECOMPRESSED_FREE_BYTES: u64 = 1024 * 1024;
/// Most bytes that one compressed transcript may become (64 GiB): above every size that was reported but a few.
pub const DECOMPRESSED_BYTES: u64 = 64 * 1024 * 1024 * 1024;
/// Largest window of a zstd frame, in bytes: Codex needs 2 MiB, levels up to 20 need no more than this.
pub const DECOMPRESSION_WINDOW_BYTES: u64 = 32 * 1024 * 1024;
/// Most transcripts below one root that a search takes: ten times the largest collections that were reported.
pub const SESSION_FILES: usize = 200_000;
/// Deepest folder below a root that is searched; harnesses write at most five deep.
pub const SESSION_FOLDER_DEPTH: usize = 8;
/// Most different work directories or branches that a search keeps of one session.
pub const SESSION_PLACES: usize = 8;
/// Most members of a boundary set, and most relatives that one transcript may name: the largest real trees have some
/// hundred agents; hostile files must not make a search without end.
pub const SET_MEMBERS: usize = 10_000;
/// Records of a transcript's head that are asked for relatives before it is known to matter.
pub const KIN_HEAD_RECORDS: usize = 64;
/// Records of a head that are looked through for the first row of a conversation: state rows can stand before it.
pub const KIN_ROOT_RECORDS: usize = 4_096;
/// The end of a transcript that is asked whether the conversation goes on elsewhere, in bytes: the row that says so is
/// among the last ones.
pub const KIN_TAIL_BYTES: u64 = 256 * 1024;
/// Longest line that is read as a receipt, in bytes: ours stay below 8 KiB, whatever was found.
pub const RECEIPT_BYTES: usize = 256 * 1024;
/// Most bytes of one file of receipts: ten thousand of them, and a check stays bounded.
pub const RECEIPTS_BYTES: u64 = 16 * 1024 * 1024;
