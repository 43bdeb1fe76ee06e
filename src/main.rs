//! The `ibid` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ibid::cli::main()
}
