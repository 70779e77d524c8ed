//! The one table of codes. Its order is the order of checking; a code is an identity and is never used
//! again. `recap explain`, `references/violations.md` and the enums in the schemas come from it.

/// What a code says went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The document breaks the contract; all violations of a document are reported together.
    Violation,
    /// The world is unsafe or unreadable, or the evidence does not hold; nothing is written.
    Refusal,
    /// The evidence has a known gap; listed in the manifest and in receipts, refuses nothing.
    Limitation,
}

/// Which document or stage a rule belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// Any JSON document.
    Document,
    /// The accounting, draft or sealed.
    Accounting,
    /// The synthesis draft.
    Synthesis,
    /// Repeated failing drafts.
    Attempts,
    /// The rendered recap.
    Render,
    /// The command line.
    Usage,
    /// Files and folders.
    Files,
    /// The transcript.
    Transcript,
    /// The ledger and its manifest.
    Ledger,
    /// Repository facts.
    Git,
    /// Boundary sets.
    Set,
    /// Receipts, and what they tell of a published document.
    Receipts,
}

/// One row of the table.
#[derive(Debug)]
pub struct Rule {
    /// The stable kebab-case code.
    pub code: &'static str,
    /// What kind of answer it is.
    pub kind: Kind,
    /// Where it belongs.
    pub area: Area,
    /// Exit status of a command that ends on it.
    pub exit: u8,
    /// What is so, in one public sentence without private text.
    pub statement: &'static str,
    /// Why the rule exists.
    pub why: &'static str,
    /// What to do about it.
    pub mend: &'static str,
    /// First version that had it.
    pub since: &'static str,
    /// Version that dropped it, if any; the code stays reserved.
    pub retired: Option<&'static str>,
}

macro_rules! rules {
    ($( $name:ident $code:literal $kind:ident $area:ident $exit:literal: $statement:literal; $why:literal; $mend:literal; )*) => {
        /// A stable code. Sorts by the order of checking.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $( #[doc = $statement] $name, )* }

        impl Code {
            /// Every code in the order of the table.
            pub const ALL: &'static [Self] = &[ $( Self::$name, )* ];

            /// The row of this code.
            pub const fn rule(self) -> &'static Rule {
                match self { $( Self::$name => &Rule {
                    code: $code, kind: Kind::$kind, area: Area::$area, exit: $exit, statement: $statement,
                    why: $why, mend: $mend, since: "0.1.0", retired: None,
                }, )* }
            }
        }
    };
}

rules! {
    // Shape of any document.
    JsonMalformed "json-malformed" Violation Document 1: "the document is not strict JSON";
        "two readers must never see two different documents: duplicate keys, a byte order mark, NaN, trailing bytes, nesting over 64 and integers outside 0 to 2^53-1 are refused";
        "write plain UTF-8 JSON with each key once and integers as digits";
    DraftTooLarge "draft-too-large" Violation Document 1: "the draft is larger than 64 MiB";
        "a draft holds prose and ids; checking must stay bounded";
        "use ranges and shorthand instead of listing ids";
    DocumentUnknown "document-unknown" Violation Document 1: "the document is of no kind that can be checked by itself";
        "a check that does not know what it reads has checked nothing"; "give an expanded synthesis, a sealed accounting or a rendered recap as JSON";
    SchemaViolation "schema-violation" Violation Document 1: "the document does not have the shape of its schema";
        "a closed schema leaves no member that nobody checks";
        "compare the place with `recap schema NAME`";
    TextUnsafe "text-unsafe" Violation Document 1: "a text holds control, bidirectional or invisible characters, or a line break where none may be";
        "such characters can make a recap show something else than it says";
        "write plain text; titles and labels on one line";
    CredentialShaped "credential-shaped" Violation Document 1: "a text looks like a credential";
        "a recap is made to be shared; a secret must not travel in it";
        "leave the value out or name it in words";
    IdMalformed "id-malformed" Violation Document 1: "an author's id is not lower-case words joined by hyphens, at most 48 characters";
        "ids are cited in renders and reports and must be safe everywhere";
        "use `a-z`, `0-9` and single hyphens, for example `goal-1`";

    // Accounting.
    NothingToRecap "nothing-to-recap" Violation Accounting 1: "the ledger holds no event";
        "there is nothing that an accounting could own";
        "collect a session in which something happened";
    NotSealed "not-sealed" Violation Accounting 1: "the document is a draft, not a sealed accounting";
        "only sealing binds an accounting to one ledger state";
        "run `recap seal-accounting` on the draft";
    AccountingLedgerMismatch "accounting-ledger-mismatch" Violation Accounting 1: "the accounting is sealed to another ledger state";
        "an accounting says something only about the events it was checked against";
        "seal the draft again on this manifest";
    ClaimIdDuplicate "claim-id-duplicate" Violation Accounting 1: "two claims have the same id";
        "a cited claim must be one claim"; "rename one of them";
    GroupIdDuplicate "group-id-duplicate" Violation Accounting 1: "two low-signal groups have the same id";
        "a cited group must be one group"; "rename one of them";
    IdCollides "id-collides" Violation Accounting 1: "a claim and a low-signal group have the same id";
        "ids share one name space in a document"; "rename one of them";
    LabelEmpty "label-empty" Violation Accounting 1: "a label is empty";
        "the label says what the claim is"; "write a short label";
    LabelTooLong "label-too-long" Violation Accounting 1: "a label has more than 160 characters";
        "labels are read in lists"; "shorten it; the story belongs into the synthesis";
    ClaimKindUnknown "claim-kind-unknown" Violation Accounting 1: "a claim has a kind that does not exist";
        "each kind has evidence rules of its own";
        "use goal, decision, action, change, verification, failure, recovery, external_effect, final_state or open_work";
    ClaimWithoutEvidence "claim-without-evidence" Violation Accounting 1: "a claim owns no event";
        "a claim without evidence is an opinion"; "give it events or remove it";
    EventUnknown "event-unknown" Violation Accounting 1: "an event id is not in the ledger";
        "ids are keyed: an invented one fails by arithmetic"; "copy ids from `recap outline` or a packet";
    RangeInvalid "range-invalid" Violation Accounting 1: "a range ends before it begins";
        "a range is first and last ordinal, both included"; "swap the two numbers";
    RangeOutOfBounds "range-out-of-bounds" Violation Accounting 1: "a range goes beyond the last event";
        "ordinals run from 0 to the number of events minus 1"; "end it at the last ordinal";
    RangeOverlap "range-overlap" Violation Accounting 1: "two ranges of one claim or group overlap";
        "every event is listed once"; "join or trim the ranges";
    GroupWithoutRange "group-without-range" Violation Accounting 1: "a low-signal group has no range";
        "an empty group sets nothing aside"; "give it ranges or remove it";
    EventOwnedTwice "event-owned-twice" Violation Accounting 1: "an event is owned more than once";
        "exactly one owner makes the accounting add up"; "leave it in one claim or group";
    EventUnaccounted "event-unaccounted" Violation Accounting 1: "events are owned by nobody";
        "nothing may fall out of the story in silence"; "see `recap accounting-gaps` for the ordinals";
    SignificantEventSetAside "significant-event-set-aside" Violation Accounting 1: "a low-signal group holds an event that is never noise";
        "messages of people, changes, failures, runs and effects must be told"; "move it into a claim";
    ClaimKindUnsupported "claim-kind-unsupported" Violation Accounting 1: "the events of a claim do not carry its kind";
        "a kind is a statement about evidence, not a heading"; "choose another kind or add the events that carry it";
    GroupSealBroken "group-seal-broken" Violation Accounting 1: "a sealed count or digest does not match its events";
        "the seal is how anyone can see that nothing was moved later"; "seal the draft again";

    // Synthesis: binding and text.
    NotExpanded "not-expanded" Violation Synthesis 1: "a published synthesis leaves out what expansion fills in";
        "shorthand means something only beside its ledger; who reads a published draft has none"; "publish what `recap validate-synthesis --expanded FILE` writes";
    ManifestMismatch "manifest-mismatch" Violation Synthesis 1: "the synthesis is bound to another manifest";
        "a synthesis is true of one evidence state"; "carry it over with `recap synthesis-draft --from`";
    AccountingMismatch "accounting-mismatch" Violation Synthesis 1: "the synthesis is bound to another accounting";
        "a synthesis tells the claims of one accounting"; "carry it over with `recap synthesis-draft --from`";
    ItemIdDuplicate "item-id-duplicate" Violation Synthesis 1: "two items have the same id";
        "a cited item must be one item"; "rename one of them";
    TextEmpty "text-empty" Violation Synthesis 1: "a text is empty";
        "the skeleton leaves the prose to the author"; "write it";
    TextTooLong "text-too-long" Violation Synthesis 1: "a text is longer than its limit";
        "a recap is read in minutes"; "shorten it: titles 160, summaries and caveats 1,200 characters";
    // Synthesis: evidence.
    ClaimUnknown "claim-unknown" Violation Synthesis 1: "an item names a claim that the accounting does not have";
        "items speak of claims"; "copy the id from the sealed accounting";
    EvidenceMissing "evidence-missing" Violation Synthesis 1: "an item has no evidence";
        "only a fact that is verified now can stand without events"; "name claims and events";
    EvidenceDuplicate "evidence-duplicate" Violation Synthesis 1: "an item lists an event twice";
        "evidence is a set"; "remove the second";
    EvidenceOutsideClaims "evidence-outside-claims" Violation Synthesis 1: "an item cites an event that none of its claims owns";
        "evidence must belong to what is claimed"; "name the claim that owns it or drop the event";
    // Synthesis: labels.
    AgentReportUnsupported "agent-report-unsupported" Violation Synthesis 1: "the label agent_report stands on an event that is not words of an agent";
        "a report is what an agent said: the assistant's messages, and what another agent reported to it"; "use session_observed or cite the message";
    SessionObservedUnsupported "session-observed-unsupported" Violation Synthesis 1: "the label session_observed rests on words of agents alone";
        "an agent's sentence proves that it was said, not that it is so"; "use agent_report or cite calls and results";
    InferenceWithoutCaveat "inference-without-caveat" Violation Synthesis 1: "an inference has no caveat";
        "a reader must see what is concluded and what is seen"; "say in the caveat what is not observed";
    CaveatMisplaced "caveat-misplaced" Violation Synthesis 1: "a fact that is verified now has a caveat";
        "a probe either holds or is not claimed"; "drop the caveat or use another label";
    // Synthesis: git.
    GitEvidenceMissing "git-evidence-missing" Violation Synthesis 1: "an item labelled verified_now has no git evidence, or only that a repository is available";
        "the label means that a probe shows it; that a repository could be looked at says nothing about it"; "add a fact to git_evidence or use another label";
    GitEvidenceMisplaced "git-evidence-misplaced" Violation Synthesis 1: "git evidence stands on an item that is not labelled verified_now";
        "state now and actions of the session stay apart"; "remove it or change the label";
    GitEvidenceUnknownRepository "git-evidence-unknown-repository" Violation Synthesis 1: "git evidence names a repository that the manifest does not have";
        "repositories are cited by the manifest's numbering"; "use a `repo-N` of the manifest";
    GitEvidenceKindUnknown "git-evidence-kind-unknown" Violation Synthesis 1: "git evidence has a kind that does not exist";
        "each kind is compared with one field of the snapshot"; "use head, branch, changed_path, clean or available";
    GitEvidenceValueMismatch "git-evidence-value-mismatch" Violation Synthesis 1: "git evidence does not equal the snapshot";
        "a verified fact is exact"; "copy the value from the manifest";
    // Synthesis: story and timeline.
    StoryClaimMissing "story-claim-missing" Violation Synthesis 1: "a claim is in no story item";
        "the story tells everything that is significant"; "add it to an item";
    StoryClaimRepeated "story-claim-repeated" Violation Synthesis 1: "a claim is in two story items";
        "the story tells each claim once"; "leave it in one item";
    StoryEvidenceIncomplete "story-evidence-incomplete" Violation Synthesis 1: "a story item does not cite all events of its claims";
        "leaving events out would hide part of a claim"; "omit evidence_ids to cite them all";
    TimelineEventMissing "timeline-event-missing" Violation Synthesis 1: "a significant event is in no timeline entry";
        "the timeline covers everything significant"; "widen an entry";
    TimelineEventRepeated "timeline-event-repeated" Violation Synthesis 1: "a significant event is in two timeline entries";
        "the timeline tells each event once"; "trim one of the entries";
    TimelineClaimMissing "timeline-claim-missing" Violation Synthesis 1: "a timeline entry does not name a claim whose events it holds";
        "a reader must find the claim from the time"; "omit claims and evidence to have them filled";
    TimelineBoundsWrong "timeline-bounds-wrong" Violation Synthesis 1: "the bounds of a timeline entry are not its first and last event";
        "bounds are cited"; "omit claims and evidence to have the bounds tightened";
    TimelineNotChronological "timeline-not-chronological" Violation Synthesis 1: "timeline entries are not in strict order";
        "a timeline runs forward and does not overlap"; "sort the entries by first ordinal";
    ViewsSharePartition "views-share-partition" Violation Synthesis 1: "story and timeline group the events in the same way";
        "two views that agree by construction show nothing"; "group the story by meaning and the timeline by time";
    // Synthesis: changes and verification.
    ChangePathUnobserved "change-path-unobserved" Violation Synthesis 1: "a change names a path that its label's evidence does not show";
        "a changed file must have been seen changing"; "copy paths from the skeleton or drop them";
    ChangeCommitUnobserved "change-commit-unobserved" Violation Synthesis 1: "a change names a commit that its label's evidence does not show";
        "a commit must have been reported by git itself or be in the snapshot"; "copy commits from the skeleton or drop them";
    VerificationNeedsCommand "verification-needs-command" Violation Synthesis 1: "an outcome of a run names no command";
        "passed and failed are facts about one run"; "name command_event_id or use discussed_only or unverifiable_now";
    VerificationMustNotNameCommand "verification-must-not-name-command" Violation Synthesis 1: "an outcome without a run names a command";
        "what was only discussed did not run"; "set command_event_id and result_event_id to null and further_runs to empty";
    VerificationCommandUnknown "verification-command-unknown" Violation Synthesis 1: "a verification names an event that is no indexed run";
        "only observed runs can pass or fail"; "copy the id from the skeleton";
    VerificationResultMismatch "verification-result-mismatch" Violation Synthesis 1: "the result event is not the result of the command";
        "an outcome belongs to its own result"; "copy both ids from the skeleton";
    VerificationOutcomeMismatch "verification-outcome-mismatch" Violation Synthesis 1: "the outcome is not the one that the evidence shows";
        "a masked or missing status is unknown, never passed"; "copy outcome and basis from the skeleton";
    VerificationStale "verification-stale" Violation Synthesis 1: "a final state rests on a run that changes followed, without a caveat";
        "what was tested is not what was left"; "add a caveat or cite a later run";
    ProjectionMissing "projection-missing" Violation Synthesis 1: "a claim is not named in the section of its kind";
        "changes, runs, failures, recoveries, final state and open work have sections of their own"; "add an item to that section";
    VerificationRunOmitted "verification-run-omitted" Violation Synthesis 1: "a verification run that must be told is in no item";
        "the last run of each command and every failure without a later pass are what a reader asks for";
        "name it as command_event_id or in further_runs";
    CoverageGroupMissing "coverage-group-missing" Violation Synthesis 1: "a low-signal group is not listed in the coverage";
        "what was set aside is said"; "list every group of the accounting";
    CoverageGroupUnknown "coverage-group-unknown" Violation Synthesis 1: "the coverage lists a group that the accounting does not have";
        "coverage repeats the accounting"; "remove it";
    CoverageGroupRepeated "coverage-group-repeated" Violation Synthesis 1: "the coverage lists a group twice";
        "coverage is a set"; "remove the second";
    RedactionBlocksEvidence "redaction-blocks-evidence" Violation Synthesis 1: "an item rests only on redaction marks and has no caveat";
        "hidden text shows nothing"; "say so in a caveat or cite other events";
    // Edges of a boundary set.
    SetMismatch "set-mismatch" Violation Set 1: "the draft is bound to another set";
        "a handoff is true of one state of every member"; "set set_sha256 to the digest that `recap collect-set` prints, and check the items again";
    EdgeUnknown "edge-unknown" Violation Set 1: "an item names an edge that the set does not have";
        "items speak of proven edges"; "copy the id from the set document";
    EdgeRepeated "edge-repeated" Violation Set 1: "an edge has two items";
        "each edge is told once"; "join the two items";
    EdgeMissing "edge-missing" Violation Set 1: "an edge has no item";
        "what passed between two sessions is what a handoff is for"; "add one item for it";
    RenderTooLong "render-too-long" Violation Render 1: "the recap would have more than 2,500 words";
        "a recap that nobody reads is no recap"; "shorten or join items; `validate-synthesis` prints `render_words`";
    RenderContradicts "render-contradicts" Violation Render 1: "a member of a rendered recap says something else than the rest of it";
        "that evidence is incomplete cannot be taken out, and a number of words is counted, not claimed"; "publish the file as `recap render --format json` wrote it";
    AttemptsExhausted "attempts-exhausted" Violation Attempts 1: "three different drafts of this ledger state failed";
        "guessing until it passes is not accounting"; "a person may run `recap attempts reset M --confirm ROOT8`";
    // Receipts, and what they tell of a published document.
    ReceiptsMissing "receipts-missing" Violation Receipts 1: "there is no receipt in what was given as receipts";
        "an empty file proves nothing and must not pass for proof"; "give the lines that the stages printed";
    ReceiptMalformed "receipt-malformed" Violation Receipts 1: "a line is not a receipt of this program";
        "what is not read strictly can say two things"; "give the lines as the stages printed them, one a line";
    ReceiptContradicts "receipt-contradicts" Violation Receipts 1: "a receipt contradicts itself, another receipt or the document";
        "one artifact has one origin and one content; what says otherwise was changed by hand"; "run the stages again and keep their lines as they are";
    ReceiptOfAnotherSession "receipt-of-another-session" Violation Receipts 1: "a receipt is of another session than the others";
        "what was found of one session proves nothing of another"; "give the receipts of one session";
    ReceiptUnlinked "receipt-unlinked" Violation Receipts 1: "a receipt shares no artifact with the others";
        "stages belong together by the digests of what they read and wrote"; "give the receipts of one run, with those of the stages between";
    DocumentRefused "document-refused" Violation Receipts 1: "the receipts tell of the document only that it was refused";
        "a refused draft has no authority"; "publish the draft that `recap validate-synthesis` accepted, with its receipt";
    DocumentUnlinked "document-unlinked" Violation Receipts 1: "no receipt tells of the document";
        "receipts of other documents say nothing about this one"; "give the receipt of the stage that accepted or wrote exactly this document";

    // Refusals.
    Usage "usage" Refusal Usage 2: "the command was not understood"; "unknown words are errors, never guesses"; "see `--help`";
    PathNotUtf8 "path-not-utf8" Refusal Usage 2: "a path is not UTF-8"; "documents and receipts are UTF-8"; "rename the file or folder";
    CodeUnknown "code-unknown" Refusal Usage 2: "there is no such code"; "codes are listed in references/violations.md"; "run `recap explain` with a code of a report";
    SchemaUnknown "schema-unknown" Refusal Usage 2: "there is no such schema"; "schemas have fixed names"; "run `recap schema` to list them";
    PolicyInvalid "policy-invalid" Refusal Usage 2: "the policy is not one"; "a policy that is half read would hide less than its authors believe"; "compare it with `recap schema policy`";
    PacketUnknown "packet-unknown" Refusal Usage 2: "there is no such packet or part"; "packet ids are printed by `packetize` and `outline`"; "copy the id from the output of `recap outline` or `recap packetize`";
    SliceInvalid "slice-invalid" Refusal Usage 2: "the slice is not A..B inside the event"; "a slice is a byte range of the text"; "use two numbers, A at most B";
    Interrupted "interrupted" Refusal Usage 4: "the command was interrupted; nothing was published"; "an artifact appears whole or not at all"; "run it again";
    DefaultFolderAmbiguous "default-folder-ambiguous" Refusal Usage 2: "no single default folder could be chosen"; "leaving paths out works only where one session is meant"; "`cd` into the folder of the session, or give all paths";

    ArtifactMissing "artifact-missing" Refusal Files 4: "an artifact does not exist"; "each stage reads what the one before wrote"; "run the stage before, or check the path";
    ArtifactNotRegular "artifact-not-regular" Refusal Files 3: "an artifact is not a regular file"; "a symlink, folder, device or pipe can change under the reader"; "give a plain file";
    ArtifactLinked "artifact-linked" Refusal Files 3: "an artifact has more than one hard link"; "a second name could be open to others"; "copy it to a new file";
    ArtifactNotOurs "artifact-not-ours" Refusal Files 3: "an artifact belongs to another user"; "others could change it while it is read"; "make a copy that you own";
    ArtifactModeUnsafe "artifact-mode-unsafe" Refusal Files 3: "an artifact can be read or written by others"; "artifacts are owner-only"; "chmod 600 it";
    FolderUnsafe "folder-unsafe" Refusal Files 3: "a folder above the artifact can be changed by others"; "whoever writes the folder can replace the file"; "use a folder that only you can write, with mode 700";
    FolderNotOurs "folder-not-ours" Refusal Files 3: "the folder of an artifact belongs to another user or is open to others"; "artifacts lie in a folder of mode 0700 that you own"; "create one with mkdir -m 700";
    PathHasSymlink "path-has-symlink" Refusal Files 3: "a path to an artifact goes through a symbolic link"; "the link can be turned elsewhere between check and use"; "give the resolved path";
    PathCredentialShaped "path-credential-shaped" Refusal Files 3: "a path looks like a credential"; "paths are printed and stored"; "choose another name";
    OutputNotIgnored "output-not-ignored" Refusal Files 3: "the output lies in a git work tree that does not ignore it"; "private evidence must not be committed by accident"; "add the output to .gitignore or write elsewhere";
    DraftExists "draft-exists" Refusal Files 2: "a draft with an author's words lies where the skeleton would go"; "a skeleton must not take the place of an author's work"; "give another --output, or move the draft away";
    OutputIsInput "output-is-input" Refusal Files 3: "the output is also an input"; "evidence is never overwritten by what is made from it"; "choose another output";
    SourceMissing "source-missing" Refusal Files 4: "the source cannot be found or opened"; "there is nothing to read"; "check the path";
    SourceNotRegular "source-not-regular" Refusal Files 3: "the source is not a regular file"; "a pipe or device has no bytes that anyone could check again"; "give a plain file";
    ReadFailed "read-failed" Refusal Files 4: "a file could not be read"; "the system said no"; "check the medium and the permissions";
    WriteFailed "write-failed" Refusal Files 4: "a file could not be written"; "the system said no; the old artifact, if any, is whole"; "check free space and permissions";
    LockBusy "lock-busy" Refusal Files 4: "another process writes to this ledger"; "writers exclude one another"; "wait for it to end";

    NotATranscript "not-a-transcript" Refusal Transcript 1: "the file is not a transcript of a known harness"; "only known formats are read"; "give a Claude Code or Codex session file";
    CompressedDamaged "compressed-damaged" Refusal Transcript 1: "the compressed transcript does not decode"; "bytes behind the damage are lost, and a checksum that does not hold makes all of them doubtful"; "restore the file; `zstd -t` shows the same";
    CompressedTooLarge "compressed-too-large" Refusal Transcript 1: "the compressed transcript would become more than 200 times as large, or more than 64 GiB"; "a small file must not fill the disk"; "decompress it yourself and give the plain file";
    SessionNotFound "session-not-found" Refusal Transcript 1: "no session of that identity was found"; "sessions are found by identity alone"; "give the path of the transcript";
    SessionAmbiguous "session-ambiguous" Refusal Transcript 3: "more than one file has that identity"; "the nearest by time is a guess"; "give the path of the transcript";
    CurrentUnknown "current-unknown" Refusal Transcript 1: "no harness names a current session"; "--current takes the identity from the harness's environment"; "use --session";
    CurrentAmbiguous "current-ambiguous" Refusal Transcript 3: "two harnesses name a current session"; "one of them would be a guess"; "use --session";
    IdentityCredentialShaped "identity-credential-shaped" Refusal Transcript 3: "the native identity looks like a credential"; "identities are stored and printed"; "rename the transcript file";
    SourceTruncated "source-truncated" Refusal Transcript 1: "the transcript is shorter than what was collected"; "a ledger only grows"; "collect into a new folder";
    SourceRewritten "source-rewritten" Refusal Transcript 1: "bytes that were collected have changed"; "a ledger only grows"; "collect into a new folder";
    SourceShrankWhileRead "source-shrank-while-read" Limitation Transcript 1: "the transcript shrank while it was read"; "what is gone cannot be re-checked"; "collect again when the session rests";
    SourceRewrittenWhileRead "source-rewritten-while-read" Limitation Transcript 1: "bytes of the transcript changed while it was read"; "what is gone cannot be re-checked"; "collect again when the session rests";

    ManifestInvalid "manifest-invalid" Refusal Ledger 1: "the manifest is not a valid manifest"; "no stage trusts parsed JSON"; "collect again";
    SecretLeft "secret-left" Refusal Ledger 3: "what was about to be published still holds what looks like a secret; nothing was published"; "a second look by other means has to find nothing that the first should have hidden"; "report the kind of text, without the text; a policy can allow a value that is none";
    LedgerOfOtherVersion "ledger-of-other-version" Refusal Ledger 1: "the ledger was made by other versions of reader, scrubber or policy"; "a ledger is one function of its bytes"; "use --fresh for a new ledger with the same secret";
    LedgerOfAnotherSession "ledger-of-another-session" Refusal Ledger 1: "the manifest belongs to another session"; "a boundary is exactly one native session"; "choose another output";
    SecretMissing "secret-missing" Refusal Ledger 1: "the ledger's secret is missing"; "ids and salts of new events could not be made"; "restore the folder or collect into a new one";
    SecretInvalid "secret-invalid" Refusal Ledger 1: "the ledger's secret is not 32 bytes"; "ids and salts depend on it"; "restore the folder or collect into a new one";
    StreamMissing "stream-missing" Refusal Ledger 1: "a stream file that the manifest names is missing"; "evidence must be whole"; "collect again";
    StreamCorrupt "stream-corrupt" Refusal Ledger 1: "a stream file does not have its digest"; "streams are named by their content"; "collect again";
    LineInvalid "line-invalid" Refusal Ledger 1: "a ledger line is not in its strict form"; "lines are read strictly"; "collect again";
    TreeMismatch "tree-mismatch" Refusal Ledger 1: "the tree over the lines does not have the recorded root"; "the root is what seals bind"; "collect again";
    TilingBroken "tiling-broken" Refusal Ledger 1: "records and framing do not tile the transcript"; "every byte is accounted for"; "collect again";
    EventIdMismatch "event-id-mismatch" Refusal Ledger 1: "an event id or salt does not follow from the secret"; "ids prove that an author saw the ledger"; "collect again";
    CountsMismatch "counts-mismatch" Refusal Ledger 1: "counts of the manifest do not match the ledger"; "coverage is recomputed, never believed"; "collect again";
    RelationsMismatch "relations-mismatch" Refusal Ledger 1: "the relations do not follow from the ledger"; "derived files are rebuilt from evidence"; "collect again";
    ObservationsMismatch "observations-mismatch" Refusal Ledger 1: "the observations do not follow from the ledger"; "derived files are rebuilt from evidence"; "collect again";
    SideFilesMismatch "side-files-mismatch" Refusal Ledger 1: "the rows about side files do not follow from the ledger"; "a row stands for exactly one name that an event gives"; "collect again";
    PacketsMissing "packets-missing" Refusal Ledger 1: "there are no packets yet"; "reading goes by packets"; "run `recap packetize`";
    PacketsStale "packets-stale" Refusal Ledger 1: "the packets belong to an older state of the ledger"; "reading must cover what is sealed"; "run `recap packetize` again";
    PacketsMismatch "packets-mismatch" Refusal Ledger 1: "the packets do not follow from the ledger"; "packets are one pure function of the events"; "run `recap packetize` again";
    EventMissing "event-missing" Refusal Ledger 1: "there is no such event in this ledger"; "ids are keyed to one ledger"; "copy the id from `recap outline`";
    SetWithoutUnknown "set-without-unknown" Refusal Set 2: "an id given to leave out is no relative of the selected session"; "a name that leaves nothing out may be a mistake"; "copy the boundary id from the refusal or the set, or drop it";
    SetRelationUnsafe "set-relation-unsafe" Refusal Set 3: "a transcript names a relative by something that is no plain id"; "an id that is a path, a secret or a text must not lead to a file"; "leave the member out with --without, or collect it alone";
    SetRelationMissing "set-relation-missing" Refusal Set 1: "a child or an origin that a member names has no transcript"; "a set that is silent about it would look whole"; "restore the file, or leave it out by name with --without";
    SetRelationAmbiguous "set-relation-ambiguous" Refusal Set 1: "more than one transcript fits a relation, or two members claim the same child"; "the nearest by time or folder is a guess"; "leave one out by name with --without";
    SetRelationDuplicate "set-relation-duplicate" Refusal Set 1: "two transcripts are the same session, or two relations join the same members"; "each boundary and each edge stands once in a set"; "move one of the copies away";
    SetRelationSelf "set-relation-self" Refusal Set 1: "a session is named as its own parent or origin"; "nothing begins itself"; "collect the session alone";
    SetRelationLoop "set-relation-loop" Refusal Set 1: "relations lead back to where they began"; "what began or continued what could not be told"; "leave one of the sessions out with --without";
    SetMemberUnreachable "set-member-unreachable" Refusal Set 1: "a member does not hang on the selected session"; "a set is one piece of work, not a folder"; "collect the set again";
    SetEdgeUnproven "set-edge-unproven" Refusal Set 1: "an edge is not proven by what it names"; "time, text and folder prove nothing"; "collect the set again";
    SetTooLarge "set-too-large" Refusal Set 1: "more than 10,000 sessions belong together"; "a search over hostile files must end"; "select a smaller tree, or leave some out with --without";
    SetOfAnotherSession "set-of-another-session" Refusal Set 1: "the set document was made for another session"; "a set grows around one selected session"; "choose another output";
    SetInvalid "set-invalid" Refusal Set 1: "the set document is not a valid set"; "no stage trusts parsed JSON"; "collect the set again";
    SetMemberMissing "set-member-missing" Refusal Set 1: "a member of the set has no manifest"; "a set is whole or refused"; "collect the set again";
    SetMemberMismatch "set-member-mismatch" Refusal Set 1: "a member is not in the state that the set binds"; "a handoff is true of one state of every member"; "collect the set again";
    ConfirmMismatch "confirm-mismatch" Refusal Attempts 2: "the confirmation is not the start of the ledger root"; "a reset is a person's deliberate act"; "give the first eight digits that `recap attempts` prints";
    TerminalNeeded "terminal-needed" Refusal Attempts 3: "a reset needs a terminal"; "an agent must not open what it closed"; "run it yourself in a terminal";
    AttemptsUnwritable "attempts-unwritable" Refusal Attempts 4: "the attempts file could not be written, so no verdict is given"; "a failing draft that is not counted could be tried for ever"; "make the ledger folder writable";

    // Limitations.
    UnknownRecordType "unknown-record-type" Limitation Transcript 1: "record types that this version does not know were kept as structural records"; "formats change between releases"; "update the program and collect afresh";
    MalformedRecords "malformed-records" Limitation Transcript 1: "damaged bytes were counted and not shown"; "a session can die while it writes"; "nothing can be done after the fact";
    PartialTail "partial-tail" Limitation Transcript 1: "the transcript ends inside a record"; "a live or killed session leaves a cut line"; "collect again when the session rests";
    LiveSource "live-source" Limitation Transcript 1: "the transcript grew while it was read; this is a snapshot"; "a live session goes on"; "collect again later";
    DuplicateKeys "duplicate-keys" Limitation Transcript 1: "records with duplicate keys were read with the last value"; "two readers could see two records"; "nothing can be done after the fact";
    RepairedRecords "repaired-records" Limitation Transcript 1: "lone surrogates were replaced by U+FFFD"; "UTF-8 cannot hold them"; "nothing can be done after the fact";
    ForeignIds "foreign-ids" Limitation Transcript 1: "records name other session ids"; "forks and resumes mix ids in one file"; "see the counts in the manifest";
    DanglingParent "dangling-parent" Limitation Transcript 1: "records name parents that are not in the transcript"; "files can start in the middle of a conversation"; "nothing needs to be done";
    PossibleInheritedPrefix "possible-inherited-prefix" Limitation Transcript 1: "the head may repeat another session's history, which this file alone cannot prove"; "some forks carry no marks"; "compare with the parent session";
    UnknownHistoryMode "unknown-history-mode" Limitation Transcript 1: "the thread keeps its history in a mode that this version does not know"; "its copies of facts may not be known as copies"; "update the program and collect afresh";
    RecordTooLong "record-too-long" Limitation Transcript 1: "records over 256 MiB were counted and not parsed"; "memory is bounded"; "nothing can be done after the fact";
    SideFileMissing "side-file-missing" Limitation Transcript 1: "outputs kept in side files were not found beside the transcript"; "a large output is stored in a file of its own, and the transcript has only its beginning"; "keep the session's folder with the transcript";
    SideFileRefused "side-file-refused" Limitation Transcript 1: "side files were not read because their names lead elsewhere or they are no plain files"; "a transcript must not aim what is read"; "inspect the session's folder by hand";
    SideFilesOmitted "side-files-omitted" Limitation Transcript 1: "side files beyond the bounds were counted and not read"; "collection must end"; "inspect the session's folder by hand";
    SecretSplitOverRecords "secret-split-over-records" Limitation Transcript 1: "texts completed a secret that an earlier text began; they are hidden from there on, its beginning is not"; "scrubbing looks back, never forward"; "read the records flagged `split_secret`, and change the secret";
    ObservationsOmitted "observations-omitted" Limitation Transcript 1: "observations over their bounds were counted and left out"; "derived files are bounded"; "read the packets";
    CommandUnparsed "command-unparsed" Limitation Transcript 1: "commands, or parts of them, were not analysed: the shell grammar does not take them, or what they run is not in them"; "half-read commands would mislead"; "read the events";

    NotARepository "not-a-repository" Limitation Git 1: "a recorded folder is in no repository"; "nothing can be verified there"; "nothing needs to be done";
    FolderMissing "folder-missing" Limitation Git 1: "a recorded folder is gone"; "a repository around a deleted folder is another matter"; "nothing can be done after the fact";
    NotProbed "not-probed" Limitation Git 1: "repository candidates were not probed"; "a transcript must not aim probes"; "name the repository with --repo";
    GitMissing "git-missing" Limitation Git 1: "git was not found"; "probes need it"; "install git";
    GitTooOld "git-too-old" Limitation Git 1: "git is too old for hardened probes"; "an unhardened probe could run code"; "update git";
    RepositoryUnusual "repository-unusual" Limitation Git 1: "a repository is laid out in a way that is not probed"; "its git folder points where it should not"; "inspect it by hand";
    RepositoryNotOurs "repository-not-ours" Limitation Git 1: "a repository belongs to another user"; "its configuration is not trusted"; "inspect it by hand";
    PartialClone "partial-clone" Limitation Git 1: "a repository may fetch lazily"; "probes never use the network"; "inspect it by hand";
    ExternalTransport "external-transport" Limitation Git 1: "a repository has a remote that runs a program"; "probes never run foreign programs"; "inspect it by hand";
    ProbeTimeout "probe-timeout" Limitation Git 1: "a probe, or all probes together, took longer than they may"; "collection must end"; "inspect it by hand";
    ProbeTruncated "probe-truncated" Limitation Git 1: "a probe gave more than 2 MiB"; "memory is bounded"; "inspect it by hand";
    ProbeFailed "probe-failed" Limitation Git 1: "a probe failed"; "git said no"; "inspect it by hand";
    DetachedHead "detached-head" Limitation Git 1: "HEAD is detached"; "there is no branch to name"; "nothing needs to be done";
    NoUpstream "no-upstream" Limitation Git 1: "the branch has no upstream"; "nothing can be said about what was pushed"; "nothing needs to be done";
    NoCommits "no-commits" Limitation Git 1: "the repository has no commit"; "there is no HEAD to name"; "nothing needs to be done";
    BareRepository "bare-repository" Limitation Git 1: "the repository has no work tree"; "there is no status to show"; "nothing needs to be done";
    RepositoriesOmitted "repositories-omitted" Limitation Git 1: "more repositories were named than are probed"; "collection must end"; "name the important one with --repo";
    ShallowRepository "shallow-repository" Limitation Git 1: "a repository holds only the newest part of its history"; "ancestors beyond the cut are unknown, so counts and merge base may be wrong"; "inspect a full clone";
    UpstreamGone "upstream-gone" Limitation Git 1: "the upstream of the branch is configured but not there"; "nothing can be said about what was pushed"; "inspect it by hand";
    NoMergeBase "no-merge-base" Limitation Git 1: "the branch and its upstream have no common commit"; "unrelated histories have no base"; "nothing needs to be done";
    ReflogMissing "reflog-missing" Limitation Git 1: "a repository has commits and no reflog"; "an expired or disabled reflog says nothing about what happened"; "nothing can be done after the fact";
    WorktreeMissing "worktree-missing" Limitation Git 1: "the folder of a linked worktree is gone"; "its state is unknown, not clean"; "nothing can be done after the fact";
    IndexHidesPaths "index-hides-paths" Limitation Git 1: "the index tells git not to look at some paths"; "changes to them would not show, so clean is not claimed"; "see `git ls-files -v`";
    SplitIndex "split-index" Limitation Git 1: "the index of a repository is kept in two files"; "git touches the second one whenever it reads it, and a probe changes nothing; there is no status"; "see `git update-index --no-split-index`";
    SubmodulesNotRead "submodules-not-read" Limitation Git 1: "a repository has submodules, which are not looked into"; "each is a repository with a configuration of its own; clean is not claimed"; "probe the submodule's own repository by hand";
    FilteredPaths "filtered-paths" Limitation Git 1: "paths shown as changed are stored through filters, which were not run"; "a filter is a program; without it an unchanged file can look changed"; "inspect them by hand";
    StatusIncomplete "status-incomplete" Limitation Git 1: "git could not look at everything in the work tree"; "clean may be claimed only from a complete status"; "inspect it by hand";
    GitFactsOmitted "git-facts-omitted" Limitation Git 1: "more paths, references or worktrees were found than are listed"; "the manifest is bounded; the rest is counted"; "inspect it by hand";
    ChildWithoutId "child-without-id" Limitation Set 1: "a member reports of children whose ids the format does not tell"; "old versions name no id, so that none can be expected"; "nothing can be done after the fact";
    RelativesLeftOut "relatives-left-out" Limitation Set 1: "relatives were left out of the set by name"; "a person may narrow a set, and it is said"; "collect the set without --without";
}

impl Code {
    /// The kebab-case code.
    pub const fn as_str(self) -> &'static str {
        self.rule().code
    }

    /// Finds a code by its text.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == text)
    }
}

impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> serde::Deserialize<'de> for Code {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a code"))
    }
}
