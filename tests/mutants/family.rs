//! Which codes fit a change: a mutant that is refused is refused at least by one of them. The first row that fits an
//! operator, its variant and the member at the place says so; `*` stands for any.

/// Operators, variants, members, codes.
type Row = (&'static str, &'static str, &'static str, &'static str);

const SYNTAX: &str = "json-malformed";
const SHAPE: &str = "schema-violation not-sealed";
/// Who owns which event.
const OWNERS: &str = "event-unaccounted event-owned-twice event-unknown claim-without-evidence group-without-range \
    range-invalid range-overlap range-out-of-bounds significant-event-set-aside claim-kind-unsupported \
    group-seal-broken schema-violation";
/// Which claims an item tells.
const CLAIMS: &str = "claim-unknown story-claim-missing story-claim-repeated projection-missing evidence-missing \
    evidence-outside-claims change-path-unobserved change-commit-unobserved agent-report-unsupported \
    session-observed-unsupported verification-stale timeline-claim-missing story-evidence-incomplete";
/// Which items there are.
const ITEMS: &str = "item-id-duplicate projection-missing story-claim-missing story-claim-repeated \
    timeline-event-missing timeline-event-repeated timeline-not-chronological verification-run-omitted \
    verification-stale schema-violation";
const GROUPS: &str = "coverage-group-missing coverage-group-repeated coverage-group-unknown";
const EDGES: &str = "edge-missing edge-repeated edge-unknown";
const RUNS: &str = "verification-command-unknown verification-run-omitted verification-result-mismatch \
    verification-needs-command";
const TIMES: &str =
    "timeline-event-missing timeline-event-repeated timeline-bounds-wrong timeline-not-chronological";
const CITED: &str = "schema-violation event-unknown evidence-duplicate evidence-missing session-observed-unsupported \
    agent-report-unsupported story-evidence-incomplete evidence-outside-claims redaction-blocks-evidence \
    range-invalid timeline-event-missing timeline-bounds-wrong";
const BINDING: &str =
    "manifest-mismatch accounting-mismatch set-mismatch accounting-ledger-mismatch group-seal-broken";
const LABEL: &str = "agent-report-unsupported session-observed-unsupported inference-without-caveat \
    caveat-misplaced git-evidence-missing git-evidence-misplaced change-path-unobserved change-commit-unobserved";
const NAMES: &str = "claim-id-duplicate group-id-duplicate id-collides id-malformed item-id-duplicate";
const PROSE: &str = "label-empty label-too-long text-empty text-too-long text-unsafe credential-shaped";

const ROWS: &[Row] = &[
    // What is no strict JSON. A value of digits is a number without its quotes.
    ("quotes", "*", "value", "json-malformed schema-violation"),
    ("before behind cut deep encoding escapes quotes spelling duplicate-key", "*", "*", SYNTAX),
    // What has another shape.
    ("add-member rename-member", "*", "*", SHAPE),
    ("drop-member", "*", "basis", "verification-outcome-mismatch"),
    ("drop-member", "*", "caveat", "inference-without-caveat verification-stale redaction-blocks-evidence"),
    ("drop-member", "*", "git_evidence", "git-evidence-missing"),
    ("drop-member", "*", "event_ids ranges select", OWNERS),
    ("drop-member", "*", "evidence_ids evidence_ranges", CITED),
    ("drop-member", "*", "*", SHAPE),
    ("retype", "null", "command_event_id result_event_id", RUNS),
    ("retype", "*", "*", SHAPE),
    // Lists and their order.
    ("drop-element duplicate-element empty move copy swap reverse", "*", "ranges event_ids", OWNERS),
    ("drop-element duplicate-element empty move copy swap reverse", "*", "accounting_claim_ids", CLAIMS),
    (
        "drop-element duplicate-element empty move copy swap reverse",
        "*",
        "evidence_ids evidence_ranges",
        CITED,
    ),
    ("drop-element duplicate-element empty move copy swap reverse", "*", "paths", "change-path-unobserved"),
    (
        "drop-element duplicate-element empty move copy swap reverse",
        "*",
        "commits",
        "change-commit-unobserved",
    ),
    (
        "drop-element duplicate-element empty move copy swap reverse",
        "*",
        "git_evidence",
        "git-evidence-missing git-evidence-misplaced",
    ),
    ("drop-element duplicate-element empty move copy swap reverse", "*", "further_runs", RUNS),
    ("drop-element duplicate-element empty move copy swap reverse", "*", "low_signal_group_ids", GROUPS),
    ("drop-element duplicate-element empty move copy swap reverse", "*", "items", EDGES),
    (
        "drop-element empty move swap reverse",
        "*",
        "claims low_signal_groups",
        "event-unaccounted claim-without-evidence group-seal-broken schema-violation",
    ),
    (
        "duplicate-element copy",
        "*",
        "claims low_signal_groups",
        "claim-id-duplicate group-id-duplicate event-owned-twice schema-violation",
    ),
    ("drop-element duplicate-element empty move copy swap reverse", "*", "*", ITEMS),
    // Numbers.
    ("off-by-one large-number", "*", "count", "group-seal-broken"),
    ("off-by-one large-number", "*", "size records", "accounting-ledger-mismatch"),
    // One more than the largest number that a document may hold is none.
    (
        "off-by-one",
        "+1",
        "last_ordinal",
        "json-malformed timeline-bounds-wrong timeline-event-missing \
        timeline-event-repeated timeline-not-chronological",
    ),
    ("off-by-one large-number", "*", "first_ordinal last_ordinal", TIMES),
    (
        "off-by-one large-number",
        "*",
        "evidence_ranges",
        "range-invalid range-out-of-bounds evidence-duplicate \
        evidence-outside-claims story-evidence-incomplete",
    ),
    ("off-by-one large-number", "*", "ranges", OWNERS),
    // Texts.
    ("prose", "blank", "*", "label-empty text-empty"),
    ("prose", "empty", "*", "label-empty text-empty"),
    ("prose", "too long", "*", "label-too-long text-too-long"),
    ("prose", "a secret", "*", "credential-shaped"),
    ("prose", "line break", "*", "text-unsafe"),
    ("prose", "*", "*", PROSE),
    ("unsafe", "lone joiner", "label title summary caveat", "text-unsafe label-too-long text-too-long"),
    ("unsafe", "*", "label title summary caveat", "text-unsafe"),
    ("unsafe", "*", "claim_id group_id id", "text-unsafe id-malformed"),
    ("unsafe spelled", "*", "kind", "claim-kind-unknown git-evidence-kind-unknown"),
    ("unsafe spelled", "*", "accounting_claim_ids", "claim-unknown"),
    ("unsafe spelled", "*", "low_signal_group_ids", "coverage-group-unknown"),
    ("unsafe spelled", "*", "edge_id", "edge-unknown"),
    ("unsafe spelled", "*", "event_ids", "event-unknown"),
    ("unsafe spelled", "*", "paths", "change-path-unobserved"),
    ("unsafe spelled", "*", "commits", "change-commit-unobserved"),
    ("unsafe spelled", "*", "repository", "git-evidence-unknown-repository"),
    ("unsafe spelled", "*", "value", "git-evidence-value-mismatch"),
    ("spelled", "*", "claim_id group_id id", "id-malformed"),
    ("unsafe spelled", "*", "*", "schema-violation"),
    // Words of a list.
    (
        "another-word",
        "*",
        "kind",
        "claim-kind-unknown claim-kind-unsupported git-evidence-kind-unknown git-evidence-value-mismatch",
    ),
    (
        "another-word",
        "*",
        "class",
        "schema-violation claim-without-evidence event-unaccounted claim-kind-unsupported",
    ),
    ("another-word", "no word of it", "source_label", "schema-violation"),
    ("another-word", "capitals", "source_label", "schema-violation"),
    ("another-word", "verified_now", "source_label", "git-evidence-missing schema-violation"),
    ("another-word", "*", "source_label", LABEL),
    (
        "another-word",
        "*",
        "outcome",
        "schema-violation verification-outcome-mismatch verification-must-not-name-command verification-needs-command",
    ),
    ("another-word", "*", "repository", "git-evidence-unknown-repository"),
    ("another-word", "*", "*", "schema-violation"),
    // Names, ids, digests.
    (
        "name",
        "of another",
        "claim_id group_id id",
        "claim-id-duplicate group-id-duplicate id-collides item-id-duplicate",
    ),
    // In an accounting that goes on, a name of nothing is a new entry, which needs a label.
    ("name", "of nothing", "claim_id group_id", "label-empty id-malformed"),
    ("name", "*", "claim_id group_id id", "id-malformed"),
    ("name", "of another", "accounting_claim_ids", CLAIMS),
    ("name", "*", "accounting_claim_ids", "claim-unknown"),
    ("name", "*", "low_signal_group_ids", GROUPS),
    ("name", "*", "edge_id", EDGES),
    ("name", "*", "*", NAMES),
    (
        "another-event event-id borrow",
        "*",
        "command_event_id result_event_id further_runs",
        "schema-violation verification-command-unknown verification-result-mismatch",
    ),
    (
        "another-event event-id borrow",
        "*",
        "evidence_ids",
        "schema-violation event-unknown evidence-duplicate evidence-outside-claims session-observed-unsupported agent-report-unsupported",
    ),
    ("another-event", "*", "event_ids", OWNERS),
    ("event-id borrow", "*", "event_ids", "event-unknown"),
    (
        "digest",
        "*",
        "*",
        "schema-violation manifest-mismatch accounting-mismatch set-mismatch accounting-ledger-mismatch group-seal-broken",
    ),
    ("borrow", "*", "*", BINDING),
    ("another-text", "*", "paths", "change-path-unobserved"),
    ("another-text", "*", "commits", "change-commit-unobserved"),
    ("another-text", "*", "value", "git-evidence-value-mismatch"),
];

/// The codes that fit.
pub fn family(operator: &str, variant: &str, member: &str) -> impl Iterator<Item = &'static str> {
    let holds = |words: &str, word: &str| words == "*" || words.split_whitespace().any(|own| own == word);
    let fits =
        |row: &&Row| holds(row.0, operator) && (row.1 == "*" || row.1 == variant) && holds(row.2, member);
    let codes = ROWS.iter().find(fits).map_or("", |row| row.3);
    codes.split_whitespace()
}
