//! The `vramp` command.

fn main() -> std::process::ExitCode {
    vramp::cli::main(std::env::args_os())
}
