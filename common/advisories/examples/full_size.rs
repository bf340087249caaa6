//! Makes an export of OSV at full size, imports it twice, and prints the costs of import and look-up.
//!
//! `full_size FOLDER`. The files have the forms of the real ones (OSV schema 1.7, one ZIP file for each ecosystem), and are the
//! same in every run. Counts of advisories have the order of magnitude of the exports of OSV; lengths are
//! assumptions.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a command for people, which ends where it cannot go on"
)]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use advisories::{Index, import};
use common::timestamp::Timestamp;
use serde_json::{Value, json};
use versions::Ecosystem;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const NOW: Timestamp = Timestamp(1_783_512_000_000_000_000);
/// Look-ups of one measurement.
const LOOKUPS: usize = 20_000;

/// An ecosystem: OSV's name, ours, advisories, and those of malicious packages among them.
const PARTS: [(&str, Ecosystem, usize, usize); 5] = [
    ("npm", Ecosystem::Npm, 220_000, 213_000),
    ("PyPI", Ecosystem::Pypi, 18_000, 8_500),
    ("Go", Ecosystem::Go, 5_000, 50),
    ("RubyGems", Ecosystem::RubyGems, 2_000, 900),
    ("crates.io", Ecosystem::Cargo, 2_000, 30),
];

/// SplitMix64 (Steele, Lea, Flood 2014), with a fixed seed.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Text of a number of words.
    fn words(&mut self, count: u64) -> String {
        let words: Vec<String> = (0..count).map(|_| format!("{:x}", self.next() >> 40)).collect();
        words.join(" ")
    }
}

fn main() {
    let folder = std::env::args_os().nth(1).unwrap();
    let folder = Path::new(&folder);
    let input = folder.join("osv");
    if !input.try_exists().unwrap() {
        export(&input);
    }
    println!("export: {} bytes", size(&input));
    let index = folder.join("advisories.index");
    for name in ["import", "import again"] {
        let before = processor_seconds();
        let report = import(std::slice::from_ref(&input), &index, NOW).unwrap();
        let took = processor_seconds() - before;
        println!(
            "{name}: {took:.1} CPU-s, peak {} MiB, index {} bytes; {} advisories, {} malicious, {} packages, {} corrupt",
            peak_kib() / 1_024,
            fs::metadata(&index).unwrap().len(),
            report.advisories,
            report.malicious,
            report.packages,
            report.corrupt_files
        );
    }
    lookups(&index);
}

#[expect(clippy::disallowed_methods, reason = "a measurement of time")]
fn lookups(path: &Path) {
    let before = Instant::now();
    let index = Index::open(path).unwrap();
    println!("open: {:.1} ms", before.elapsed().as_secs_f64() * 1e3);
    let mut numbers = Numbers(2);
    let mut found = 0;
    for (what, is_known) in [("known", true), ("unknown", false)] {
        let mut took = Vec::with_capacity(LOOKUPS);
        for _ in 0..LOOKUPS {
            let (_, ecosystem, count, malicious) = PARTS[usize::try_from(numbers.below(5)).unwrap()];
            let name = match is_known {
                true => name(ecosystem, numbers.below(count as u64), malicious as u64),
                false if ecosystem == Ecosystem::Go => format!("absent.example.com/{}", numbers.next()),
                false => format!("absent-{}", numbers.next()),
            };
            let before = Instant::now();
            let lookup = index.lookup(ecosystem, &name, Some("1.4.2")).unwrap();
            took.push(before.elapsed());
            found += lookup.advisories.len();
        }
        took.sort_unstable();
        let at = |share: usize| took[(LOOKUPS - 1) * share / 1_000].as_secs_f64() * 1e6;
        println!(
            "look-up, {what}: p50 {:.0} µs, p99 {:.0} µs, longest {:.0} µs",
            at(500),
            at(990),
            at(1_000)
        );
    }
    println!("{found} advisories found");
}

/// Name of the package of an advisory. Malicious packages have names of their own; the others are fewer than their advisories,
/// and some of them have hundreds.
fn name(ecosystem: Ecosystem, number: u64, malicious: u64) -> String {
    let plain = if number < malicious {
        format!("p{}-{}", Numbers(number).words(2).replace(' ', "-"), number)
    } else {
        // The smallest of three numbers is often near to zero.
        let mut numbers = Numbers(number);
        let least = (0..3).map(|_| numbers.below(3_000)).min().unwrap_or_default();
        format!("library-{least}")
    };
    match ecosystem {
        Ecosystem::Go => format!("github.com/owner-{}/{plain}", number % 400),
        _ => plain,
    }
}

fn export(input: &Path) {
    let mut numbers = Numbers(1);
    for (osv, ecosystem, count, malicious) in PARTS {
        let folder = input.join(osv);
        fs::create_dir_all(&folder).unwrap();
        let mut zip = ZipWriter::new(BufWriter::new(File::create(folder.join("all.zip")).unwrap()));
        for number in 0..count as u64 {
            let package = name(ecosystem, number, malicious as u64);
            let (id, document) = if number < malicious as u64 {
                (format!("MAL-2026-{osv}-{number}"), None)
            } else {
                (format!("GHSA-{osv}-{number}"), Some(&mut numbers))
            };
            let document = match document {
                None => malware(&id, osv, &package, &mut numbers),
                Some(numbers) => vulnerability(&id, osv, &package, numbers),
            };
            zip.start_file(format!("{id}.json"), SimpleFileOptions::default()).unwrap();
            zip.write_all(document.to_string().as_bytes()).unwrap();
        }
        zip.finish().unwrap();
    }
}

/// The form of OpenSSF Malicious Packages.
fn malware(id: &str, osv: &str, package: &str, numbers: &mut Numbers) -> Value {
    let hash = format!("{:016x}{:016x}", numbers.next(), numbers.next());
    let versions: Vec<String> = (0..1 + numbers.below(4)).map(|patch| format!("1.0.{patch}")).collect();
    let extent = if numbers.below(3) > 0 {
        json!({"ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}]})
    } else {
        json!({"versions": versions})
    };
    let mut affected = json!({
        "package": {"ecosystem": osv, "name": package, "purl": format!("pkg:{}/{package}", osv.to_lowercase())},
        "database_specific": {"cwes": [{"cweId": "CWE-506", "name": "Embedded Malicious Code", "description": numbers.words(14)}]},
    });
    affected.as_object_mut().unwrap().extend(extent.as_object().cloned().unwrap_or_default());
    json!({
        "schema_version": "1.7.3", "id": id, "modified": modified(numbers), "published": "2025-03-01T08:00:00Z",
        "summary": format!("Malicious code in {package} ({osv})"), "details": numbers.words(90),
        "aliases": [format!("GHSA-{}", numbers.words(1))], "affected": [affected],
        "references": [{"type": "WEB", "url": format!("https://registry.example.org/{package}")}],
        "credits": [{"name": "reporter", "type": "FINDER", "contact": ["https://reporter.example.org"]}],
        "database_specific": {"malicious-packages-origins": [{
            "import_time": "2025-03-02T08:00:00Z", "modified_time": "2025-03-02T08:00:00Z", "sha256": hash,
            "source": "source", "versions": versions,
        }]},
    })
}

/// The form of GitHub's database and of that of Python, which lists all versions.
fn vulnerability(id: &str, osv: &str, package: &str, numbers: &mut Numbers) -> Value {
    let ranges: Vec<Value> = (0..1 + numbers.below(4))
        .map(|major| {
            let fixed = format!("{major}.{}.{}", numbers.below(30), numbers.below(20));
            let events = json!([{"introduced": if major == 0 { "0".to_owned() } else { format!("{major}.0.0") }}, {"fixed": fixed}]);
            json!({"type": if osv == "PyPI" { "ECOSYSTEM" } else { "SEMVER" }, "events": events})
        })
        .collect();
    let listed = if osv == "PyPI" { 20 + numbers.below(400) } else { 0 };
    let versions: Vec<String> =
        (0..listed).map(|minor| format!("{}.{}.{}", minor / 60, minor % 60, minor % 7)).collect();
    let symbols: Vec<String> = (0..if osv == "Go" { 20 } else { 0 }).map(|_| numbers.words(1)).collect();
    let affected = json!({
        "package": {"ecosystem": osv, "name": package, "purl": format!("pkg:{}/{package}", osv.to_lowercase())},
        "ranges": ranges, "versions": versions, "ecosystem_specific": {"imports": [{"path": package, "symbols": symbols}]},
        "database_specific": {"source": format!("https://advisories.example.org/{id}.json")},
    });
    json!({
        "schema_version": "1.7.3", "id": id, "modified": modified(numbers), "published": "2025-03-01T08:00:00Z",
        "summary": numbers.words(9), "details": numbers.words(300),
        "aliases": [format!("CVE-2026-{}", numbers.below(90_000)), format!("PYSEC-2026-{}", numbers.below(9_000))],
        "affected": [affected],
        "severity": [{"type": "CVSS_V3", "score": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"}],
        "references": (0..5).map(|at| json!({"type": "WEB", "url": format!("https://example.org/{id}/{at}")})).collect::<Vec<_>>(),
        "database_specific": {"cwe_ids": ["CWE-79"], "severity": "HIGH", "github_reviewed": true},
    })
}

fn modified(numbers: &mut Numbers) -> String {
    format!("2026-{:02}-{:02}T{:02}:11:12Z", 1 + numbers.below(12), 1 + numbers.below(28), numbers.below(24))
}

fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(
            |entry| if entry.path().is_dir() { size(&entry.path()) } else { entry.metadata().unwrap().len() },
        )
        .sum()
}

/// Processor time of this process, of the file that Linux provides.
fn processor_seconds() -> f64 {
    let text = fs::read_to_string("/proc/self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// The largest resident memory of this process.
fn peak_kib() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
