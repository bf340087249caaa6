//! Command line of the trainer.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use train::TrainError;
use train::data::Data;
use train::trainer::{REDACT, TRAINERS, Trainer, report};

/// Trains the models of Palisade.
#[derive(Parser)]
#[command(name = "palisade-train")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Train the model that recognises attacks on language models.
    Guard(Make),
    /// Train the model that finds names of people, places and organizations.
    Names(Make),
    /// Train the model that recognises malicious code.
    Payload(Make),
    /// Choose the windows of popular packages that the model of malicious code learns from.
    PopularPackages {
        /// Directory of unpacked packages: `registry/name`.
        #[arg(long)]
        packages: PathBuf,
        /// File to write.
        #[arg(long)]
        out: PathBuf,
    },
    /// Train the model that recognises phishing.
    Pretext(Make),
    /// Train the model that compares claims with their evidence.
    Verify(Make),
    /// Print the tables of the documentation: of models that are trained without one project at a time and tested on it, or
    /// of redaction as a whole.
    Report {
        /// Name of the model: guard, names, payload, pretext or verify; or redact.
        model: String,
        /// Directory of the training data.
        #[arg(long)]
        data: PathBuf,
    },
    /// Train every model again and compare it with the file that the product contains.
    VerifyManifest {
        /// Directory of the training data.
        #[arg(long)]
        data: PathBuf,
        /// Directory of the model files.
        #[arg(long, default_value = "models")]
        models: PathBuf,
    },
}

#[derive(Args)]
struct Make {
    /// Directory of the training data.
    #[arg(long)]
    data: PathBuf,
    /// File to write.
    #[arg(long)]
    out: PathBuf,
    /// Seed of everything random.
    #[arg(long, default_value_t = train::trainer::SEED)]
    seed: u64,
}

fn main() -> ExitCode {
    let result = run(Arguments::parse().command);
    let Err(error) = result else { return ExitCode::SUCCESS };
    let _ = writeln!(std::io::stderr(), "palisade-train: {error}");
    ExitCode::FAILURE
}

fn run(command: Command) -> Result<(), TrainError> {
    match command {
        Command::Guard(make) => make_model("guard", &make),
        Command::Names(make) => make_model("names", &make),
        Command::Payload(make) => make_model("payload", &make),
        Command::PopularPackages { packages, out } => {
            let mut chosen = Vec::new();
            train::payload::choose::choose(&packages, train::trainer::SEED, &mut chosen)?;
            fs::write(&out, chosen).map_err(|source| TrainError::File { path: out, source })
        }
        Command::Pretext(make) => make_model("pretext", &make),
        Command::Verify(make) => make_model("verify", &make),
        Command::Report { model, data } => {
            let report = report(&model).ok_or_else(|| unknown(&model))?;
            report(&mut Data::open(&data), &mut std::io::stdout())
        }
        Command::VerifyManifest { data, models } => {
            TRAINERS.iter().try_for_each(|trainer| verify(trainer, &data, &models))
        }
    }
}

fn named(name: &str) -> Result<&'static Trainer, TrainError> {
    TRAINERS.iter().find(|trainer| trainer.name == name).ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> TrainError {
    let mut names: Vec<_> = TRAINERS.iter().map(|trainer| trainer.name).collect();
    names.push(REDACT);
    TrainError::Unknown { found: name.to_owned(), expected: names.join(", ") }
}

fn make_model(name: &str, make: &Make) -> Result<(), TrainError> {
    let bytes = (named(name)?.train)(&mut Data::open(&make.data), make.seed)?;
    fs::write(&make.out, bytes).map_err(|source| TrainError::File { path: make.out.clone(), source })
}

fn verify(trainer: &Trainer, data: &Path, models: &Path) -> Result<(), TrainError> {
    let path = models.join(trainer.file);
    let shipped = fs::read(&path).map_err(|source| TrainError::File { path: path.clone(), source })?;
    let seed = linear_model::Model::read(&shipped)?.manifest().seed;
    let trained = (trainer.train)(&mut Data::open(data), seed)?;
    if trained != shipped {
        return Err(TrainError::Differs(path));
    }
    writeln!(std::io::stdout(), "{}: the same {} bytes", path.display(), shipped.len())?;
    Ok(())
}
