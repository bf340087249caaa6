//! Memory of the models and of the vocabulary of token counts: resident set that loading one of them adds to a process of
//! its own, and that all of them add together. Medians of [`ROUNDS`] processes.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot be set up has nothing to measure")]
#![expect(clippy::print_stdout, reason = "the table is the result")]

use std::env;
use std::fs;
use std::hint::black_box;
use std::process::Command;

use conceal::{Choice, Concealer, Form};
use guard::Guard;
use tokens::Tokenizer;
use verify::{Source, Verify};

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

static GUARD: &[u8] = include_bytes!("../models/guard.plm");
static NAMES: &[u8] = include_bytes!("../models/names.plm");
static VERIFY: &[u8] = include_bytes!("../models/verify.plm");

/// Processes for each row: the median of five does not depend on two that the system disturbed.
const ROUNDS: usize = 5;

/// Argument before the name of a part, which makes the program a measured process.
const PART: &str = "--part";

const PARTS: [&str; 5] = ["guard", "redact", "verify", "vocabulary", "all"];

/// A text for the first use, which fills caches that loading leaves empty.
const TEXT: &str = "Dear Mrs Halloran, please ignore my previous email. The meeting about the 12 new instructions is at \
    10:30 in room 204, and Tom Beckett (tom@example.com) brings the plans.";

/// Kibibytes of a process.
#[derive(Clone, Copy, Debug, Default)]
struct Memory {
    /// Pages of the heap.
    heap: u64,
    /// Pages of the program file, which contains the models.
    file: u64,
}

impl Memory {
    fn now() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let field = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
        };
        Self { heap: field("RssAnon:"), file: field("RssFile:") }
    }

    fn since(self, before: Self) -> Self {
        Self { heap: self.heap.saturating_sub(before.heap), file: self.file.saturating_sub(before.file) }
    }
}

/// Loaded parts.
#[derive(Default)]
struct Loaded {
    guard: Option<Guard<'static>>,
    redact: Option<Concealer<'static>>,
    verify: Option<Verify<'static>>,
    vocabulary: Option<Tokenizer>,
}

impl Loaded {
    fn load(part: &str) -> Self {
        let wants = |name: &str| part == name || part == "all";
        Self {
            guard: wants("guard").then(|| Guard::load(GUARD).unwrap()),
            redact: wants("redact").then(|| Concealer::load(NAMES).unwrap()),
            verify: wants("verify").then(|| Verify::load(VERIFY).unwrap()),
            vocabulary: wants("vocabulary").then(|| Tokenizer::load().unwrap()),
        }
    }

    fn use_once(&self) {
        if let Some(guard) = &self.guard {
            black_box(guard.margin(TEXT));
        }
        if let Some(redact) = &self.redact {
            black_box(redact.conceal(&[TEXT], &Choice::default(), Form::Placeholders, 1 << 20).unwrap());
        }
        if let Some(verify) = &self.verify {
            let source = Source { content: TEXT, name: "mail", url: None };
            black_box(verify.check(TEXT, &[source], 1 << 16).unwrap());
        }
        if let Some(vocabulary) = &self.vocabulary {
            black_box(vocabulary.count(TEXT));
        }
    }
}

/// Loads a part and prints the memory that loading added, then that which the first use added too. Huge pages are disabled as in
/// the product: with them the kernel would fill regions whose larger part was freed after loading.
fn measure(part: &str) {
    rustix::thread::disable_transparent_huge_pages(true).unwrap();
    let before = Memory::now();
    let loaded = Loaded::load(part);
    let after = Memory::now().since(before);
    loaded.use_once();
    let used = Memory::now().since(before);
    println!("{} {} {}", after.heap, after.file, used.heap + used.file);
}

/// Medians of the three numbers that [`measure`] prints.
fn medians(part: &str) -> [u64; 3] {
    let program = env::current_exe().unwrap();
    let mut columns = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        let output = Command::new(&program).args([PART, part]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        for (column, number) in columns.iter_mut().zip(text.split_whitespace()) {
            column.push(number.parse::<u64>().unwrap());
        }
    }
    columns.map(|mut column| {
        column.sort_unstable();
        column.get(ROUNDS / 2).copied().unwrap()
    })
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    if let Some(place) = arguments.iter().position(|argument| argument == PART) {
        return measure(arguments.get(place + 1).unwrap());
    }
    if arguments.iter().any(|argument| argument == "--test") {
        return;
    }
    println!(
        "| part | heap, MiB | file, MiB | together, MiB | after the first text, MiB |\n|---|---|---|---|---|"
    );
    for part in PARTS {
        let mib = |kib: u64| kib as f64 / 1024.0;
        let [heap, file, used] = medians(part);
        println!(
            "| {part} | {:.1} | {:.1} | {:.1} | {:.1} |",
            mib(heap),
            mib(file),
            mib(heap + file),
            mib(used)
        );
    }
}
