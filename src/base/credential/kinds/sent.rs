//! Places in addresses, headers and commands: what of them is secret, and what stays.

use super::Place;
use super::places::{AUTHORIZATION, COOKIE, PASSWORD, SECRET, URL_PASSWORD};

/// The rows.
pub const PLACES: &[Place] = &[
    Place {
        name: "user-information",
        source: "RFC 3986, user information",
        kinds: &[URL_PASSWORD, "github-token"],
        examples: &[
            "mongodb+srv://svc:«{A18}»@cluster0.ab1cd.mongodb.net/?retryWrites=true",
            "amqps://guest:«{A14}»@mq.invalid/vhost",
            "origin  https://«ghp_{A36}»@github.com/acme/web.git (fetch)",
            "https://x-access-token:«{A40}»@github.com/acme/web.git",
        ],
        near: &["https://{H32}@o{D6}.ingest.sentry.io/{D7}", "git@github.com:a/b.git", "user@host:/path"],
    },
    Place {
        name: "connection-string",
        source: "ADO.NET and Azure Storage documentation",
        kinds: &[PASSWORD, SECRET],
        examples: &[
            "Server=tcp:db.invalid,1433;Database=app;User Id=sa;Password=«{A20}»;Encrypt=True;",
            "Data Source=db;UID=sa;PWD=«{A14}»;",
            "AccountName=acme;AccountKey=«{B86}==»;EndpointSuffix=core.windows.net",
            "SharedAccessKeyName=Root;SharedAccessKey=«{B43}=»",
            "jdbc:postgresql://db:5432/app?user=app&password=«{A16}»&ssl=true",
        ],
        near: &[
            "Server=tcp:db.invalid,1433;Database=app;User Id=sa;Encrypt=True;",
            "SharedAccessKeyName=Root",
        ],
    },
    Place {
        name: "signed-address",
        source: "AWS Signature Version 4; Azure shared access signatures; RFC 6749",
        kinds: &[SECRET],
        examples: &[
            "https://b.s3.amazonaws.com/k?X-Amz-Date=20260101T000000Z&X-Amz-Signature=«{H64}»",
            "https://a.blob.core.windows.net/c/f?sv=2024-01-01&sig=«{A40}%2B{A20}%3D»",
            "https://a.blob.core.windows.net/c/f?sp=r&sig=«{A20}\n{A23}%3D»",
            "https://api.invalid/v1?access_token=«{A40}»",
            "otpauth://totp/acme:bob?secret=«{S32}»&issuer=acme",
        ],
        near: &[
            "https://h/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=60",
            "https://h/k?code=200&page=2",
            "?sig=none",
        ],
    },
    Place {
        name: "authorization-header",
        source: "RFC 9110 and the providers' documentation",
        kinds: &[AUTHORIZATION],
        examples: &[
            "Authorization: Basic «{B38}==»\nAccept: */*",
            "authorization: token «{A40}»",
            "Authorization: Bot «{A59}7»",
            "Authorization: ApiKey «{B58}==»",
            "Authorization: SSWS «00{U40}»",
            "X-Vault-Token: «{A26}»",
            "PRIVATE-TOKEN: «{A20}»",
            "DD-API-KEY: «{H32}»",
            "X-Api-Key: «{A40}»",
        ],
        near: &[
            "Authorization: Basic <credentials>",
            "Authorization: Bearer {token}",
            "Access-Control-Allow-Headers: Authorization, X-Api-Key",
        ],
    },
    Place {
        name: "key-header",
        source: "documentation of the providers",
        kinds: &[SECRET],
        examples: &[
            "api-key: «{H32}»\nContent-Type: a/b",
            "Circle-Token: «{H40}»",
            "DD-APPLICATION-KEY: «{H40}»",
        ],
        near: &["Idempotency-Key: {H8}-{H4}-{H4}-{H4}-{H12}", "Sec-WebSocket-Key1: {D8}"],
    },
    Place {
        name: "cookie-header",
        source: "RFC 6265",
        kinds: &[COOKIE],
        examples: &[
            "Cookie: theme=dark; csrftoken=«{A64}»; locale=de",
            "Set-Cookie: remember_user_token=«{A80}»; expires=Wed, 01 Jan 2030 00:00:00 GMT",
            "Cookie: theme=dark; sessionid=«{A20}\n    {A20}»; lang=en",
        ],
        near: &["Set-Cookie: lang=en; Path=/; HttpOnly", "Cookie: sid=$SID"],
    },
    Place {
        name: "command",
        source: "manuals of the programs",
        kinds: &[PASSWORD],
        examples: &[
            "curl --user 'admin:«{A6}#{A6}»' https://h.invalid/x",
            "mysqldump -u root --password=«{A12}» app > d.sql",
            "mysql -h db -u root -p«{A12}» app",
            "docker login -u acme -p «{A16}» registry.invalid",
            "redis-cli -h cache -a «{A16}» ping",
            "openssl rsa -in k.pem -passin pass:«{A12}» -out k2.pem",
            "htpasswd -b /etc/nginx/.htpasswd admin «{A12}»",
            "PGPASSWORD=«{A12}» psql -h db -U app",
            "tool login --username bob --password «{A12}» --quiet",
            "smbclient -U bob%«{A12}» //nas/share",
            "ldapsearch -x -D cn=admin,dc=x -w «{A12}» -b dc=x",
            "echo '«{A10}{D2}»' | sudo -S apt update",
            "gpg --batch --passphrase «{A16}» -d f.gpg",
        ],
        near: &[
            "curl -u $USER:$PASS https://h",
            "mysql -u root -p",
            "docker run -p 8080:8080 acme/web",
            "mkdir -p build/out",
            "ssh -p 2222 host",
            "redis-cli -a $REDIS_PASS ping",
        ],
    },
    Place {
        name: "statement",
        source: "manuals of PostgreSQL and MySQL",
        kinds: &[PASSWORD],
        examples: &[
            "CREATE USER app WITH PASSWORD '«{A14}»';",
            "CREATE USER 'app'@'%' IDENTIFIED BY '«{A14}»';",
            "ALTER ROLE app PASSWORD '«{A14}»';",
        ],
        near: &["ALTER TABLE users ADD COLUMN password_hash text;", "SELECT password FROM users;"],
    },
    Place {
        name: "prose",
        source: "what people write",
        kinds: &[PASSWORD],
        examples: &["The admin password is «{A5}{D4}!» for now.", "You can login with password: «{A5}{D4}!»"],
        near: &[
            "The password must be at least 12 characters long.",
            "Password reset: user clicks a link.",
            "The secret to latency is batching.",
        ],
    },
];
