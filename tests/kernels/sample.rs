//! How much of the product of filters, arguments, formats and shapes is run.

/// What `VRAMP_CASES` asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sample {
    /// Unset: a ninth, for the inner loop. Every format still has its turn with every argument.
    Few,
    /// `third`, as `make test` sets it: every shape has its turn as well.
    Third,
    /// `all`: everything.
    All,
}

impl Sample {
    pub fn asked() -> Sample {
        match std::env::var("VRAMP_CASES").as_deref() {
            Err(_) => Sample::Few,
            Ok("third") => Sample::Third,
            Ok("all") => Sample::All,
            Ok(other) => panic!("VRAMP_CASES is third or all, not {other}"),
        }
    }

    /// Of so many cases one is run.
    pub fn step(self) -> u64 {
        match self {
            Sample::Few => 9,
            Sample::Third => 3,
            Sample::All => 1,
        }
    }
}

/// `VRAMP_SEED`: other cases, with other samples. A failure prints it.
pub fn run_seed() -> u64 {
    std::env::var("VRAMP_SEED").map_or(0, |seed| seed.parse().expect("VRAMP_SEED is a number"))
}

/// What a test says that found `failures`: with the seed, the same cases and samples come again.
pub fn report(failures: &[String]) -> String {
    format!("VRAMP_SEED={}, the first failures:\n{}", run_seed(), failures.join("\n"))
}
