//! The stage program of `recap collect`: for pipelines and sandboxes that grant one step only.

fn main() -> std::process::ExitCode {
    recap::terminal::run::stage("collect")
}
