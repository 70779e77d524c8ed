//! The stage program of `recap render`: for pipelines and sandboxes that grant one step only.

fn main() -> std::process::ExitCode {
    recap::terminal::run::stage("render")
}
