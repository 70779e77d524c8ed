//! Secrets that their form, their place or the name beside them shows; code elsewhere finds them, these rows
//! document and prove it.

use super::Kind;
use crate::base::credential::sum::Check;

/// JSON Web Tokens, signed or encrypted.
pub const JWT: &str = "jwt";
/// The body of a private key.
pub const PRIVATE_KEY: &str = "private-key";
/// The password of an address.
pub const URL_PASSWORD: &str = "url-password";
/// The value of an authorization header.
pub const AUTHORIZATION: &str = "authorization";
/// The value of a session cookie.
pub const COOKIE: &str = "cookie";
/// A value beside a name such as `password`.
pub const PASSWORD: &str = "password";
/// A value beside a name such as `token` or `api_key`.
pub const SECRET: &str = "secret";
/// An encoded run that holds a secret.
pub const ENCODED: &str = "encoded-secret";

/// The rows.
pub const KINDS: &[Kind] = &[
    Kind {
        name: JWT,
        source: "RFC 7515 and RFC 7516",
        check: Check::None,
        shapes: &[],
        examples: &["x «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx{U20}.{U43}» y"],
        near: &["eyJhbGciOiJIUzI1NiJ9", "eyJ.eyJ."],
    },
    Kind {
        name: PRIVATE_KEY,
        source: "RFC 7468, RFC 4716, RFC 4880, PuTTY and OpenVPN manuals",
        check: Check::None,
        shapes: &[],
        examples: &[
            "-----BEGIN PRIVATE KEY-----\n«{B64}\n{B64}\n{B20}»\n-----END PRIVATE KEY-----\n",
            "\"k\": \"-----BEGIN RSA PRIVATE KEY-----\\n«{B64}\\n{B64}\\n{B20}=»\\n-----END RSA PRIVATE KEY-----\\n\"",
            "     1\t-----BEGIN EC PRIVATE KEY-----\n     2\t«{B64}\n     3\t{B64}\n     4\t{B20}==»\n     5\t-----END EC PRIVATE KEY-----",
            "-----BEGIN OPENSSH PRIVATE KEY-----\n«{B70}\n{B70}»\n",
        ],
        near: &[
            "-----BEGIN PUBLIC KEY-----\n{B64}\n{B20}\n-----END PUBLIC KEY-----",
            "-----BEGIN CERTIFICATE-----\n{B64}\n{B20}\n-----END CERTIFICATE-----",
            "grep -c 'BEGIN RSA PRIVATE KEY' f",
            "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        ],
    },
    Kind {
        name: URL_PASSWORD,
        source: "RFC 3986, user information",
        check: Check::None,
        shapes: &[],
        examples: &["postgres://app:«s3cr3t!word»@db.host/x", "redis://:«{A14}»@host:6379/0"],
        near: &[
            "https://$USER:$PASS@host.invalid/x",
            "https://user:${PASS}@host",
            "ssh://git@host:22/x",
            "https://unpkg.com/@scope/pkg@1.2.3",
            "http://host:8080/a@b",
            "postgres://app:[redacted:url-password#1]@db",
        ],
    },
    Kind {
        name: AUTHORIZATION,
        source: "RFC 9110, authentication; headers of the providers",
        check: Check::None,
        shapes: &[],
        examples: &[
            "Authorization: Bearer «{U38}»\nAccept: a/b",
            "-H \\\"Authorization: Basic «{B28}==»\\\"",
            "\"Authorization\":[\"Bearer «{A36}»\",\"x\"]",
            "\"X-Api-Key\":«40917»,\"n\":1",
        ],
        near: &[
            "Authorization: Bearer $TOKEN",
            "Authorization: Bearer <token>",
            "authorization: required by the gateway",
            "the Bearer scheme",
        ],
    },
    Kind {
        name: COOKIE,
        source: "RFC 6265",
        check: Check::None,
        shapes: &[],
        examples: &[
            "Cookie: theme=dark; sessionid=«{N32}»; lang=en",
            "set-cookie: connect.sid=«s%3A{A32}.{A43}»; Path=/",
        ],
        near: &["Cookie: theme=dark; lang=en", "accept the cookie: yes"],
    },
    Kind {
        name: PASSWORD,
        source: "manuals of the programs and files named",
        check: Check::None,
        shapes: &[],
        examples: &[
            "password: «hunter2abc»",
            "\"password\": \"«Tr0ub4dor»\", \"n\": 1",
            "{\\\"password\\\": \\\"«a!b2c3d4»\\\"}",
            "mysql -u root -p«zpr3eBJu2O» -e x",
            "curl -sS -u root:«dVijJOte1» https://h",
            "sshpass -p '«k3oPNKuC»' ssh a@b",
            "machine a.b login c password «p9CtXzkB»",
            "<password>«rqBkE8mT»</password>",
            "the admin password is «Zinc6433!»",
        ],
        near: &[
            "password: string",
            "if (password !== confirmPassword)",
            "password = get_password()",
            "PASSWORD=${DB_PASSWORD}",
            "password=[redacted:password#12]",
            "password: ********",
            "/etc/keys.d/pump_password",
            "Password reset flow: user clicks link",
            "password_hash text NOT NULL",
            "password_min_length: 12",
            "the password is wrong",
        ],
    },
    Kind {
        name: SECRET,
        source: "names in use for keys and tokens",
        check: Check::None,
        shapes: &[],
        examples: &[
            "export MISTRAL_API_KEY=«{A32}»",
            "api_key = '«{A40}»'",
            "\"secret_key\" => \"«{H64}»\"",
            "GET /callback?code=«{U40}»&state=1",
            "AWS_SECRET_ACCESS_KEY=«{B39}x»",
            "Here is my key `«{A30}7»`, use it",
        ],
        near: &[
            "token_count: 97492",
            "next_page_token: p2",
            "const apiKey = config.apiKey ?? readSecret('api_key');",
            "export TOKEN=$(read_it)",
            "if apiKey == \"\" { return }",
            "OPENAI_API_KEY=your-api-key-here",
            "token: &str, secret_key: Option<&SecretKey>",
            "Key: keep it simple",
            "cache_key: {H40}",
            "Cache restored from key: Linux-cargo-{H64}",
            "\"key\": \"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{B43}\"",
            "\"prompt_cache_key\":\"{H8}-{H4}-{H4}-{H4}-{H12}\"",
            "STRIPE_KEY=pk_live_{A24}",
            "feat(x): rotate api key on y",
            "primary_key: {H8}-{H4}-{H4}-{H4}-{H12}",
            "set <MY_TOKEN> here",
            "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/saffron-K0EUqR",
        ],
    },
    Kind {
        name: ENCODED,
        source: "RFC 4648",
        check: Check::None,
        shapes: &[],
        examples: &["echo «UEFTU1dPUkQ9aHVudGVyMmFiY2Rl» | base64 -d > .env"],
        near: &["data:image/png;base64,iVBORw0KGgoAAAANSUhEUg{B200}"],
    },
];
