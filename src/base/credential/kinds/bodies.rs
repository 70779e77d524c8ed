//! Bodies of private keys: whole, cut at either end, in listings and logs.

use super::Place;
use super::places::PRIVATE_KEY;

/// The rows.
pub const PLACES: &[Place] = &[
    Place {
        name: "pem",
        source: "RFC 7468, RFC 5958, RFC 1421",
        kinds: &[PRIVATE_KEY],
        examples: &[
            "-----BEGIN DSA PRIVATE KEY-----\n«{B64}\n{B11}=»\n-----END DSA PRIVATE KEY-----\n",
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\n«{B64}\n{B30}==»\n-----END ENCRYPTED PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----\n«MC4CAQAwBQYDK2VwBCIEI{B43}»\n-----END PRIVATE KEY-----\n",
            "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{H32}\n\n«{B64}\n{B30}==»\n-----END RSA PRIVATE KEY-----\n",
            "KEY=\"-----BEGIN EC PRIVATE KEY----- «{B64} {B20}==» -----END EC PRIVATE KEY-----\"",
        ],
        near: &[
            "-----BEGIN CERTIFICATE REQUEST-----\n{B64}\n{B20}\n-----END CERTIFICATE REQUEST-----",
            "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{H32}\n",
        ],
    },
    Place {
        name: "pem-cut",
        source: "what head and tail leave of a file",
        kinds: &[PRIVATE_KEY],
        examples: &[
            "-----BEGIN RSA PRIVATE KEY-----\n«{B64}\n{B64}»\n\ndone in 3 ms\n",
            "plain words\n«{B64}\n{B40}==»\n-----END RSA PRIVATE KEY-----\n",
            "2026-03-01T10:00:00.123Z INFO -----BEGIN RSA PRIVATE KEY-----\n2026-03-01T10:00:01.123Z INFO «{B64}\n2026-03-01T10:00:02.123Z INFO {B64}»\n2026-03-01T10:00:03.123Z INFO done\n",
            "src/a.pem:7:plain words\nsrc/a.pem:8:«{B64}\nsrc/a.pem:9:{B40}==»\nsrc/a.pem:10:-----END EC PRIVATE KEY-----\n",
            "web-1  | -----BEGIN PRIVATE KEY-----\nweb-1  | «{B64}\nweb-1  | {B64}»\nweb-1  | listening\n",
            "> «{B64}\n> {B20}»\n> -----END PRIVATE KEY-----\n",
        ],
        near: &[
            "-----BEGIN RSA PRIVATE KEY-----\n...\n\nplain words here\nand more of them\n",
            "plain words here\n-----END RSA PRIVATE KEY-----\n",
        ],
    },
    Place {
        name: "ssh2",
        source: "RFC 4716; manual of ssh-keygen",
        kinds: &[PRIVATE_KEY],
        examples: &[
            "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"2048-bit RSA, alice/production/server\"\n«P2/5{B66}\n{B30}==»\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\n",
            "+---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n+Subject: alice\n+Comment: \"rsa\"\n+«P2/5{B66}\n+{B70}»\n",
            "> «{B70}\n> {B30}==»\n> ---- END SSH2 ENCRYPTED PRIVATE KEY ----\n",
            "2026-03-01T10:00:00Z INFO ---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n2026-03-01T10:00:00Z INFO «{B70}\n2026-03-01T10:00:00Z INFO {B30}==»\n2026-03-01T10:00:00Z INFO ---- END SSH2 ENCRYPTED PRIVATE KEY ----\n",
        ],
        near: &[
            "---- BEGIN SSH2 PUBLIC KEY ----\nComment: \"rsa\"\nAAAAB3NzaC1yc2E{B50}\n---- END SSH2 PUBLIC KEY ----\n",
        ],
    },
    Place {
        name: "putty",
        source: "PuTTY manual, appendix on the format of key files",
        kinds: &[PRIVATE_KEY],
        examples: &[
            "Public-Lines: 2\n{B64}\n{B40}\nPrivate-Lines: 3\n«{B64}\n{B64}\n{B22}==»\nPrivate-MAC: «{H64}»\n",
            "Private-Lines: 14\n«{B64}\n{B64}»\n\nplain words\nand more\nof them\n",
            "«{B64}\n{B22}==»\nPrivate-MAC: «{H40}»\n",
            "   18\tPrivate-Lines: 2\n   19\t«{B64}\n   20\t{B22}==»\n   21\tPrivate-MAC: «{H64}»\n",
            "2026-03-01T10:00:00Z INFO Private-Lines: 2\n2026-03-01T10:00:00Z INFO «{B64}\n2026-03-01T10:00:00Z INFO {B22}==»\n2026-03-01T10:00:00Z INFO Private-MAC: «{H64}»\n",
            "-«{B64}\n-{B22}==»\n-Private-MAC: «{H64}»\n",
        ],
        near: &["Public-Lines: 2\n{B64}\n{B40}\nPrivate-Lines: 3\n", "Private-MAC: none\n"],
    },
    Place {
        name: "openssh",
        source: "PROTOCOL.key of OpenSSH",
        kinds: &[PRIVATE_KEY],
        examples: &[
            "-----BEGIN OPENSSH PRIVATE KEY-----\n«b3BlbnNzaC1rZXktdjE{B51}\n{B70}\n{B30}=»\n-----END OPENSSH PRIVATE KEY-----\n",
            "{\"out\":\"-----BEGIN OPENSSH PRIVATE KEY-----\\n«b3BlbnNzaC1rZXktdjE{B51}\\n{B70}»\\n\"}",
        ],
        near: &[
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{B43} bob@host\n",
            "256 SHA256:{B43} bob@host (ED25519)\n",
        ],
    },
    Place {
        name: "openpgp",
        source: "RFC 9580, ASCII armour",
        kinds: &[PRIVATE_KEY],
        examples: &[
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n«lQOY{B60}\n{B64}\n{B38}==\n={B4}»\n-----END PGP PRIVATE KEY BLOCK-----\n",
            "gpg said\n«lQBdBzBZgqvU/SZPeKHK8xxFbpfA6RI7ZI223wgxWoOs1f4nUHmiy/QdRm+YweoT\nPGWOt+AJMluErdb/KFF6o8z1HkdwmcLrFD1mj7jhCjNcha7XAClSe6TN9h9IcZrD\n=sdkT»\nand more\n",
        ],
        near: &[
            "-----BEGIN PGP SIGNATURE-----\n\n{B64}\n{B64}\n={B4}\n-----END PGP SIGNATURE-----\n",
            "lQOY{B60}\n{B20}\n={B4}\n",
        ],
    },
];
