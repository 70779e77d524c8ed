//! What only looks like a secret and has to stay.

/// Harmless texts with made-up runs.
pub const LOOK_ALIKES: &[(&str, &str)] = &[
    (
        "git-log",
        "commit {H40}\nMerge: {H7} {H7}\nAuthor: Bob <bob@example.invalid>\n\n    rotate api token key for auth\n",
    ),
    ("git-line", "{H7} feat(auth): rotate the token key\n{H9} fix secret handling\n"),
    ("git-diff", "diff --git a/x b/x\nindex {H7}..{H7} 100644\n--- a/x\n+++ b/x\n"),
    ("git-blame", "^{H7} (Bob 2026-01-01 10:00:00 +0100  1) let token = read();\n"),
    ("uuid", "session {H8}-{H4}-{H4}-{H4}-{H12} started\n\"id\":\"{H8}-{H4}-{H4}-{H4}-{H12}\"\n"),
    ("ulid", "id=01{J24} run={U21}\n"),
    (
        "claude-ids",
        "{\"id\":\"msg_01{A22}\",\"content\":[{\"type\":\"tool_use\",\"id\":\"toolu_01{A22}\"}],\"requestId\":\"req_011C{A20}\"}",
    ),
    (
        "openai-ids",
        "{\"call_id\":\"call_{A24}\",\"id\":\"resp_{H48}\",\"item\":\"fc_{H48}\",\"c\":\"chatcmpl-{A29}\",\"t\":\"thread_{A24}\",\"f\":\"file-{A22}\",\"v\":\"vs_{H32}\"}",
    ),
    ("signature", "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"{B400}==\"}"),
    ("encrypted", "{\"type\":\"reasoning\",\"encrypted_content\":\"gAAAAAB{U500}==\"}"),
    ("digests", "sha256:{H64}\nsha1-{B27}=\nETag: \"{H32}\"\nmd5 {H32}\n"),
    ("integrity", "\"integrity\": \"sha512-{B86}==\",\nintegrity=\"sha384-{B64}\"\n"),
    ("go-sum", "github.com/a/b v1.2.3 h1:{B43}=\ngithub.com/a/b v1.2.3/go.mod h1:{B43}=\n"),
    ("cargo-lock", "[[package]]\nname = \"secrecy\"\nversion = \"0.10.3\"\nchecksum = \"{H64}\"\n"),
    ("pip", "tokenizers==0.15 \\\n    --hash=sha256:{H64}\n"),
    ("yarn", "resolved \"https://registry.yarnpkg.com/js-tokens/-/js-tokens-4.0.0.tgz#{H40}\"\n"),
    ("image", "data:image/png;base64,iVBORw0KGgo{B600}==\n"),
    (
        "public-ssh",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{B43} bob@host\nssh-rsa AAAAB3NzaC1yc2E{B300}== bob\n",
    ),
    ("known-hosts", "|1|{B27}=|{B27}= ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{B43}\n"),
    ("fingerprint", "256 SHA256:{B43} bob@host (ED25519)\n"),
    ("certificate", "-----BEGIN CERTIFICATE-----\nMIID{B60}\n{B64}\n{B40}==\n-----END CERTIFICATE-----\n"),
    ("public-pem", "-----BEGIN PUBLIC KEY-----\nMIIB{B60}\n{B64}\n-----END PUBLIC KEY-----\n"),
    ("signature-pem", "-----BEGIN PGP SIGNATURE-----\n\n{B64}\n{B64}\n={B4}\n-----END PGP SIGNATURE-----\n"),
    (
        "certificate-request",
        "-----BEGIN CERTIFICATE REQUEST-----\nMIIC{B60}\n{B30}==\n-----END CERTIFICATE REQUEST-----\n",
    ),
    (
        "kube-ca",
        "    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t{B200}==\n    server: https://10.0.0.1:6443\n",
    ),
    ("age-public", "age1{C58}\nnpub1{C58}\nxpub{K107}\n"),
    ("ethereum", "to: 0x{H40}\ntx 0x{H64} mined in block 19000000\n"),
    (
        "public-ids",
        "pk_live_{A24} pk_test_{A24} phc_{A43} sb_publishable_{U22}_{U8} pk-lf-{H8}-{H4}-{H4}-{H4}-{H12}\n",
    ),
    ("stripe-ids", "cus_{A14} pi_{A24} price_{A24} sub_{A24} evt_{A24} acct_{A16}\n"),
    (
        "cloud-ids",
        "arn:aws:iam::{D12}:role/x i-0{H16} vpc-0{H16} subnet-0{H16} sg-0{H16}\narn:aws:secretsmanager:eu-west-1:{D12}:secret:prod/db-{A6}\n",
    ),
    ("slack-ids", "channel C0{J9} user U0{J9} team T0{J9}\n"),
    ("twilio-account", "AC{H32}\n"),
    ("sentry-dsn", "https://{H32}@o{D6}.ingest.sentry.io/{D7}\n"),
    ("client-id", "client_id: {D12}-{N32}.apps.googleusercontent.com\n"),
    ("bundle", "dist/assets/index-{U8}.js 143 kB\ndist/vendor.{H20}.css\n.css-{N6} .sc-{A6}\n"),
    ("rust-build", "target/debug/deps/libfoo-{H16}.rlib\n_ZN4core3ptr17h{H16}E\n"),
    (
        "kubernetes",
        "web-api-{R9}-{R5}   1/1   Running   0   3d\ncontainer {H64}\n{H12}   Up 3 hours   web_1\n",
    ),
    ("nix", "/nix/store/{R32}-openssl-3.0.13\n"),
    ("ipfs", "Qm{K44} bafybei{R52}\n"),
    ("source-map", "{\"version\":3,\"mappings\":\"AAAA,SAAS,GAAG,{G60};AACA,{G60}\"}"),
    (
        "token-counts",
        "token_count: {D5}\nmax_tokens: 8192\n\"total_tokens\": {D5},\ntokens_per_second: 43.7\n",
    ),
    (
        "prose",
        "The secret to latency is batching. Key: keep it simple. A token bucket limits the rate; auth is handled by middleware.\n",
    ),
    (
        "prose-password",
        "The password must be at least 12 characters long. Password reset: user clicks a link.\n",
    ),
    ("regex", "ghp_[A-Za-z0-9]{36}|sk-ant-[\\w-]{90,}|AKIA[0-9A-Z]{16}\nxox[baprs]-[0-9A-Za-z-]+\n"),
    (
        "addresses",
        "git@github.com:a/b.git ssh://git@host:22/x https://unpkg.com/@scope/pkg@1.2.3 user@host:/path\n",
    ),
    (
        "placeholders",
        "API_KEY=your-api-key-here\nPASSWORD=changeme\nTOKEN=<your token>\nSECRET=xxxxxxxxxxxx\nexport KEY=...\n",
    ),
    (
        "references",
        "password: ${DB_PASSWORD}\ntoken: {{ vault_token }}\napi_key: !Ref ApiKey\nsecret: $SECRET\nkey=%API_KEY%\nPASS=$(pass show x)\n",
    ),
    (
        "code",
        "let token = get_token(&config)?;\nconst apiKey = process.env.API_KEY;\npassword = os.environ[\"PASSWORD\"]\nif (password !== confirmPassword) {\n",
    ),
    (
        "types",
        "password: string;\ntoken: Option<String>,\nsecret_key: &str\napi_key: Optional[str] = None\nauth: AuthConfig = AuthConfig::default()\n",
    ),
    (
        "names",
        "primary_key: id\nforeign_key: user_id\ncache_key: user:{D4}\npublic_key: x\nkey_size: 2048\nauthor: Bob Smith\nmonkey: banana\nkeyboard: us\n",
    ),
    (
        "paths",
        "/Users/dev/key_store/token_cache.json\n~/.config/secrets/password_file.txt\nC:\\keys\\token.txt\nid_file=/home/bob/.ssh/id_rsa\n",
    ),
    (
        "secret-names",
        "secret_name: prod-db\nsecretName: web-tls\nkey_id: {H16}\nkid: {H8}\napi_version: 2026-01-01\ntoken_type: bearer\n",
    ),
    (
        "masks",
        "password: ********\ntoken: xxxx-xxxx\nAPI_KEY=[REDACTED]\nsecret = (sensitive value)\nAuthorization: Bearer ***\n",
    ),
    (
        "sql",
        "CREATE TABLE users (id uuid PRIMARY KEY, password_hash text NOT NULL, api_token_expires_at timestamptz);\n",
    ),
    ("emails", "bob@example.invalid 10.0.0.1 fe80::1 2026-01-01T10:00:00Z\n"),
    ("trace", "traceparent: 00-{H32}-{H16}-01\nx-request-id: {H8}-{H4}-{H4}-{H4}-{H12}\netag: \"{H32}\"\n"),
    ("todo", "- [ ] rotate the API key\n- [x] move token handling to auth.rs\n"),
    (
        "words",
        "recalculateVisibleRowsWhenContainerResizesAgain abcdefghijklmnopqrstuvwxyz AbstractSingletonProxyFactoryBean\n",
    ),
    ("numbers", "{D10} {D20} 3.14159265358979 1767225600000 0x7ffd{H8}\n"),
    (
        "html",
        "<input type=\"password\" name=\"password\" placeholder=\"Password\" autocomplete=\"current-password\">\n",
    ),
    (
        "test-names",
        "test auth::token::refreshes_expired_tokens ... ok\ntest keys::private_key_is_wiped ... ok\n",
    ),
    ("css", "color: var(--token-color-primary); key: \"accent\";\n"),
    (
        "i18n",
        "{\"password\": \"Passwort\", \"token\": \"Zugangstoken\", \"secret\": \"Geheimnis\", \"password_hint\": \"Mindestens acht Zeichen\"}",
    ),
    ("docker-images", "acme/web   latest   sha256:{H64}\nacme/api   1.2   {H12}   3 days ago   120MB\n"),
    (
        "etag-cache",
        "Cache restored from key: Linux-cargo-{H64}\nprompt_cache_key: {H8}-{H4}-{H4}-{H4}-{H12}\n",
    ),
];
