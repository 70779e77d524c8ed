//! What we stand on: each crate has its reason, brings no defaults, and none can reach a network.

use std::fs;

use crate::tidy::tree::project;

/// Crates that open connections, or exist to run what does. None may be in the graph, not even for tests.
const NETWORK: &str = "
    actix-web async-h1 async-net async-std async-tls attohttpc awc axum boring curl curl-sys git2
    gix-transport h2 h3 hickory-resolver http http-body hyper hyper-util isahc lettre libgit2-sys
    libssh2-sys mdns minreq mio native-tls nng openssl openssl-sys paho-mqtt quinn reqwest rustls
    schannel security-framework smol socket2 ssh2 surf tokio tokio-rustls tonic trust-dns-resolver
    tungstenite ureq warp webpki-roots websocket zmq
";

/// Dependencies of ours without a reason right above them, or with the defaults of others.
pub fn unexplained() -> Vec<String> {
    let manifest = fs::read_to_string(project().join("Cargo.toml")).unwrap();
    let mut found = Vec::new();
    let mut above = "";
    let mut inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]");
        } else if let (true, Some((name, stated))) = (inside, line.split_once('=')) {
            if !above.starts_with("# ") {
                found.push(format!("`{}` has no reason above it", name.trim()));
            }
            if !stated.contains("default-features = false") {
                found.push(format!("`{}` has default features", name.trim()));
            }
        }
        above = line;
    }
    found
}

/// Crates of the locked graph that could reach a network.
pub fn network() -> Vec<String> {
    let lock = fs::read_to_string(project().join("Cargo.lock")).unwrap();
    let names = lock.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    let mut count = 0;
    let found = names
        .inspect(|_| count += 1)
        .filter(|name| NETWORK.split_whitespace().any(|network| network == *name))
        .map(str::to_owned)
        .collect();
    assert!(count > 20, "the lock file was not understood");
    found
}

/// Whether the library and the manifest both forbid unsafe code.
pub fn unsafe_is_forbidden() -> bool {
    let library = fs::read_to_string(project().join("src/lib.rs")).unwrap();
    let manifest = fs::read_to_string(project().join("Cargo.toml")).unwrap();
    library.contains("#![forbid(unsafe_code)]") && manifest.contains("unsafe_code = \"forbid\"")
}
