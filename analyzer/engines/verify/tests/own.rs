//! Claims of our own, which no training reads: `pairs/own.txt`, and `pairs/later.txt`, which was written after the model was
//! final.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::print_stdout, reason = "the figures of the documentation")]

use verify::{Source, Verify};

static MODEL: &[u8] = include_bytes!("../../../../models/verify.plm");
static OWN: &str = include_str!("pairs/own.txt");
static LATER: &str = include_str!("pairs/later.txt");

/// A claim with its source.
struct Pair {
    source: &'static str,
    claim: &'static str,
    /// None if it is true.
    wrong: Option<&'static str>,
}

fn read(file: &'static str) -> Vec<Pair> {
    let mut source = "";
    let mut pairs = Vec::new();
    for line in file.lines().filter(|line| !line.starts_with(['#', '=']) && !line.is_empty()) {
        if let Some(claim) = line.strip_prefix("+ ") {
            pairs.push(Pair { source, claim, wrong: None });
        } else if let Some((kind, claim)) = line.strip_prefix("- ").and_then(|line| line.split_once(": ")) {
            pairs.push(Pair { source, claim, wrong: Some(kind) });
        } else {
            source = line;
        }
    }
    pairs
}

/// Probability of support: that of the weakest of its claims.
fn support(verify: &Verify<'_>, pair: &Pair) -> f32 {
    let source = Source { content: pair.source, name: "page", url: None };
    let claims = verify.check(pair.claim, &[source], 1 << 20).unwrap().claims;
    assert!(!claims.is_empty(), "no claim in {}", pair.claim);
    let support =
        claims.iter().map(|claim| if claim.verdict() { claim.confidence } else { 1.0 - claim.confidence });
    support.fold(1.0, f32::min)
}

/// Probability that a true claim has more support than a false one.
fn area(right: &[f32], wrong: &[f32]) -> f64 {
    let ranks = right.iter().flat_map(|one| wrong.iter().map(move |other| one.total_cmp(other)));
    let points = ranks.map(|order| match order {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    });
    points.sum::<f64>() / (right.len() * wrong.len()) as f64
}

fn share(all: &[f32], fits: impl Fn(f32) -> bool) -> f64 {
    all.iter().filter(|support| fits(**support)).count() as f64 / all.len() as f64
}

/// Area and balanced accuracy of a file. Prints those of each kind, and the claims that are judged wrong.
fn judge(file: &'static str, least: usize) -> (f64, f64) {
    let verify = Verify::load(MODEL).unwrap();
    let pairs = read(file);
    let scored: Vec<(f32, &Pair)> = pairs.iter().map(|pair| (support(&verify, pair), pair)).collect();
    let of = |fits: &dyn Fn(&Pair) -> bool| -> Vec<f32> {
        scored.iter().filter(|(_, pair)| fits(pair)).map(|(support, _)| *support).collect()
    };
    let (right, wrong) = (of(&|pair| pair.wrong.is_none()), of(&|pair| pair.wrong.is_some()));
    assert!(right.len() >= least && wrong.len() >= least);
    let accuracy =
        f64::midpoint(share(&right, |support| support > 0.5), share(&wrong, |support| support <= 0.5));
    let mut kinds: Vec<&str> = pairs.iter().filter_map(|pair| pair.wrong).collect();
    kinds.sort_unstable();
    kinds.dedup();
    println!("true: {} of {}", share(&right, |support| support > 0.5), right.len());
    for kind in kinds {
        let of_kind = of(&|pair| pair.wrong == Some(kind));
        let found = share(&of_kind, |support| support <= 0.5);
        println!("{kind}: {found:.3} of {}, AUC {:.3}", of_kind.len(), area(&right, &of_kind));
    }
    for (support, pair) in &scored {
        if (*support > 0.5) != pair.wrong.is_none() {
            println!("{support:.2} {:?} {}", pair.wrong, pair.claim);
        }
    }
    println!("AUC {:.3}, balanced accuracy {accuracy:.3}", area(&right, &wrong));
    (area(&right, &wrong), accuracy)
}

#[test]
fn claims_of_our_own_are_judged_as_the_documentation_says() {
    let (area, accuracy) = judge(OWN, 150);
    assert!(area >= 0.82 && accuracy >= 0.735, "{area} and {accuracy}");
}

#[test]
fn claims_that_were_written_later_are_judged_as_the_documentation_says() {
    let (area, accuracy) = judge(LATER, 30);
    assert!(area >= 0.82 && accuracy >= 0.73, "{area} and {accuracy}");
}
