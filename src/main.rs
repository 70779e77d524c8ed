//! recap: hands arguments and streams to the terminal folder and returns its exit status.

fn main() -> std::process::ExitCode {
    recap::terminal::run::main()
}
