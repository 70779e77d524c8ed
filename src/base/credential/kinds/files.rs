//! Places in files: what of a file that programs keep credentials in is secret, and what stays.

use super::Place;
use super::places::{JWT, PASSWORD, PRIVATE_KEY, SECRET, URL_PASSWORD};

/// The rows.
pub const PLACES: &[Place] = &[
    Place {
        name: "login-file",
        source: "manuals of ftp(1), libpq, MySQL and git-credential-store",
        kinds: &[PASSWORD, URL_PASSWORD],
        examples: &[
            "machine api.invalid login bob password «{A12}»\n",
            "machine api.invalid\n  login bob\n  password «{A12}»\n",
            "db.invalid:5432:app:bob:«{A14}»\n",
            "[client]\nuser=root\npassword=«{A14}»\nhost=db\n",
            "https://bob:«{A24}»@git.invalid\n",
        ],
        near: &["machine api.invalid login bob\n", "db.invalid:5432:app\n", "[client]\nuser=root\nhost=db\n"],
    },
    Place {
        name: "package-registry-file",
        source: "documentation of npm, PyPI, Maven and Cargo",
        kinds: &[PASSWORD, SECRET],
        examples: &[
            "//registry.invalid/:_authToken=«{A40}»\n//r.invalid/:_password=«{B26}==»\n",
            "//r.invalid/:_auth=«{B30}==»\nalways-auth=true\n",
            "<server><id>r</id><username>ci</username><password>«{A16}»</password></server>",
            "[registry]\ntoken = \"«{A32}»\"\n",
        ],
        near: &[
            "//registry.invalid/:_authToken=${NPM_TOKEN}\n",
            "<password>${env.PASS}</password>",
            "always-auth=true",
        ],
    },
    Place {
        name: "application-file",
        source: "documentation of Rails, Spring, WordPress, Terraform, rclone and wpa_supplicant",
        kinds: &[PASSWORD, SECRET, "aws-key-id"],
        examples: &[
            "production:\n  adapter: postgresql\n  username: app\n  password: «{A16}»\n",
            "spring.datasource.username=app\nspring.datasource.password=«{A16}»\n",
            "define( 'DB_PASSWORD', '«{A16}»' );\ndefine('AUTH_KEY', '«{A20}%{A20}#{A20}»');\n",
            "db_password = \"«{A16}»\"\nregion = \"eu\"\n",
            "[s3]\ntype = s3\naccess_key_id = «AKIA{S16}»\nsecret_access_key = «{B40}»\n",
            "network={\n  ssid=\"home\"\n  psk=\"«{A14}»\"\n}\n",
        ],
        near: &[
            "  username: app\n  database: app_production\n",
            "password: <%= ENV['DB_PASSWORD'] %>\n",
            "variable \"db_password\" {\n  type = string\n}\n",
        ],
    },
    Place {
        name: "container-file",
        source: "documentation of Docker and Kubernetes",
        kinds: &[PASSWORD, SECRET],
        examples: &[
            "{\"auths\":{\"registry.invalid\":{\"auth\":\"«{B38}==»\"}}}",
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ndata:\n  dsn: «{B46}==»\n  user: «YWRtaW4tdXNlcg==»\n",
            "users:\n- name: admin\n  user:\n    token: «{A64}»\n",
            "    client-key-data: «LS0tLS1CRUdJTi{B60}7==»\n",
        ],
        near: &[
            "    certificate-authority-data: LS0tLS1CRUdJTi{B60}7==\n    server: https://10.0.0.1:6443\n",
            "kind: ConfigMap\ndata:\n  dsn: {H40}\n",
            "kind: Secret\nmetadata:\n  name: app\n",
        ],
    },
    Place {
        name: "infrastructure-state",
        source: "documentation of Terraform and HashiCorp Vault",
        kinds: &[PASSWORD, SECRET, PRIVATE_KEY],
        examples: &[
            "\"attributes\": {\"username\": \"root\", \"password\": \"«{A14}»\", \"endpoint\": \"db:5432\"}",
            "{\"serial\":4,\"secret_string\":\"«{A24}»\"}",
            "\"private_key_pem\": \"-----BEGIN RSA PRIVATE KEY-----\\n«{B64}\\n{B20}=»\\n-----END RSA PRIVATE KEY-----\\n\"",
            "Unseal Key 1: «{B44}»\nUnseal Key 2: «{H66}»\n",
        ],
        near: &["{\"lineage\":\"{H8}-{H4}-{H4}-{H4}-{H12}\",\"serial\":4}", "Unseal Key Shares: 5\n"],
    },
    Place {
        name: "agent-file",
        source: "files of the agents and of gh",
        kinds: &["anthropic-key", "openai-key", "github-token", JWT, SECRET],
        examples: &[
            "{\"claudeAiOauth\":{\"accessToken\":\"«sk-ant-oat01-{U95}»\",\"expiresAt\":1767225600000}}",
            "{\"tokens\":{\"id_token\":\"«eyJhbGciOiJSUzI1NiJ9.{U200}.{U342}»\",\"refresh_token\":\"«rt_{U60}»\"}}",
            "{\"mcpServers\":{\"x\":{\"env\":{\"SEARCH_API_KEY\":\"«{A40}»\"}}}}",
            "github.com:\n    user: bob\n    oauth_token: «gho_{A36}»\n    git_protocol: https\n",
        ],
        near: &["\"account_id\":\"{H8}-{H4}-{H4}-{H4}-{H12}\"", "{\"OPENAI_API_KEY\":null}"],
    },
    Place {
        name: "service-account",
        source: "documentation of Google Cloud and AWS",
        kinds: &[PRIVATE_KEY, SECRET, "google-key", "aws-key-id", "aws-session-token"],
        examples: &[
            "{\"type\":\"service_account\",\"private_key_id\":\"{H40}\",\"private_key\":\"-----BEGIN PRIVATE KEY-----\\n«{B64}\\n{B20}=»\\n-----END PRIVATE KEY-----\\n\",\"client_email\":\"a@b.invalid\"}",
            "{\"client_secret\":\"«GOCSPX-{U28}»\",\"refresh_token\":\"«1//0{U60}»\",\"type\":\"authorized_user\"}",
            "{\"AccessKeyId\":\"«ASIA{S16}»\",\"SecretAccessKey\":\"«{B40}»\",\"SessionToken\":\"«IQoJb3JpZ2luX2Vj{B200}»\"}",
        ],
        near: &["{\"client_id\":\"{D12}-{N32}.apps.googleusercontent.com\",\"type\":\"authorized_user\"}"],
    },
    Place {
        name: "tunnel-file",
        source: "manuals of WireGuard and OpenVPN",
        kinds: &[SECRET, PRIVATE_KEY],
        examples: &[
            "[Interface]\nPrivateKey = «{B43}=»\n[Peer]\nPublicKey = {B43}=\nPresharedKey = «{B43}=»\n",
            "-----BEGIN OpenVPN Static key V1-----\n«{H32}\n{H32}\n{H32}»\n-----END OpenVPN Static key V1-----\n",
        ],
        near: &["[Peer]\nPublicKey = {B43}=\nAllowedIPs = 10.0.0.0/24\n"],
    },
];
