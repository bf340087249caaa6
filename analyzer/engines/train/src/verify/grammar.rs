//! Statements of our own in several wordings (`claims/`): claims that share few words with their source, and claims that
//! share all words but say something else.

use std::collections::BTreeMap;

use super::errors::Wrong;
use super::pairs::Pair;
use crate::seeded::Seeded;

const STATEMENTS: &str = include_str!("../../claims/en.txt");
const SLOTS: &str = include_str!("../../claims/slots.txt");

/// A statement: its wordings, and statements that it makes false.
#[derive(Clone, Debug, Default)]
struct Statement {
    right: Vec<&'static str>,
    wrong: Vec<&'static str>,
}

fn statements() -> Vec<Statement> {
    let blocks = STATEMENTS.split("\n\n").map(|block| {
        let of = |mark: &'static str| block.lines().filter_map(move |line| line.strip_prefix(mark)).collect();
        Statement { right: of("= "), wrong: of("x ") }
    });
    blocks.filter(|statement| statement.right.len() > 1).collect()
}

/// Pairs of slots that are filled from one list.
const ALIKE: [(char, char); 6] = [('A', 'B'), ('C', 'D'), ('P', 'Q'), ('T', 'S'), ('G', 'H'), ('N', 'K')];

type Fillings = BTreeMap<char, String>;

fn fill(random: &mut Seeded) -> Fillings {
    let mut filled = Fillings::new();
    for line in SLOTS.lines() {
        let Some((slot, words)) = line.split_once(' ') else { continue };
        let mut words: Vec<&str> = words.split('|').collect();
        random.shuffle(&mut words);
        let other = |slot: char| ALIKE.iter().find(|pair| pair.0 == slot).map(|pair| pair.1);
        let slots = slot.chars().next().into_iter().flat_map(|slot| [Some(slot), other(slot)]).flatten();
        filled.extend(slots.zip(words).map(|(slot, word)| (slot, word.to_owned())));
    }
    filled.insert('Y', (1900 + random.below(125)).to_string());
    filled.insert('N', number(random));
    filled.insert('K', number(random));
    filled
}

fn number(random: &mut Seeded) -> String {
    let most = [20, 100, 1_000].get(random.below(3)).copied().unwrap_or(100);
    (2 + random.below(most)).to_string()
}

fn say(wording: &str, filled: &Fillings) -> String {
    let mut said = wording.to_owned();
    for (slot, word) in filled {
        said = said.replace(&format!("{{{slot}}}"), word);
    }
    let mut chars = said.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Pairs of a group of statements, which are left out of training together.
const GROUP: usize = 4;

/// Statements of a source.
const IN_SOURCE: usize = 4;

/// Generates pairs. `first` is the number of the first text; statements are the texts, so that a report can leave out
/// whole statements.
#[must_use]
pub fn generate(count: usize, first: usize, seed: u64) -> Vec<Pair> {
    let statements = statements();
    let mut random = Seeded::new(seed, "statements");
    let mut pairs = Vec::with_capacity(count);
    for turn in 0..count {
        let number = (turn / 2) % statements.len();
        let Some(statement) = statements.get(number) else { continue };
        let filled = fill(&mut random);
        let mut wordings = statement.right.clone();
        random.shuffle(&mut wordings);
        let (Some(stated), Some(other)) = (wordings.first(), wordings.get(1)) else { continue };
        let mut source = vec![say(stated, &filled)];
        for _ in 1..IN_SOURCE {
            let beside = random.pick(&statements).and_then(|other| random.pick(&other.right));
            source.extend(beside.map(|beside| say(beside, &fill(&mut random))));
        }
        random.shuffle(&mut source);
        // In the wording of the source as well, where nothing differs but the error, if there is one.
        let wording = if random.chance(0.1) { *stated } else { *other };
        let (claim, wrong) = if turn % 2 == 0 {
            (say(wording, &filled), None)
        } else {
            let (claim, kind) = spoil(statement, wording, filled, &mut random);
            (claim, Some(kind))
        };
        let lower = random.chance(0.2);
        let source = source.join(" ");
        let (claim, source) =
            if lower { (claim.to_lowercase(), source.to_lowercase()) } else { (claim, source) };
        pairs.push(Pair { text: first + number / GROUP, claim, source, wrong });
    }
    pairs
}

fn spoil(statement: &Statement, wording: &str, mut filled: Fillings, random: &mut Seeded) -> (String, Wrong) {
    let slots: Vec<char> =
        filled.keys().copied().filter(|slot| wording.contains(&format!("{{{slot}}}"))).collect();
    let swapped = ALIKE.iter().find(|pair| slots.contains(&pair.0) && slots.contains(&pair.1));
    // A meeting of two has no roles.
    let symmetric = wording.contains("met");
    if let Some((one, other)) = swapped.filter(|_| !symmetric && random.chance(0.4)) {
        let words = [filled.remove(one), filled.remove(other)];
        if let [Some(first), Some(second)] = words {
            filled.extend([(*one, second), (*other, first)]);
        }
        return (say(wording, &filled), Wrong::Roles);
    }
    if random.chance(0.5) {
        let wrong = random.pick(&statement.wrong).copied().unwrap_or_default();
        return (say(wrong, &filled), Wrong::Antonym);
    }
    let Some(slot) = random.pick(&slots).copied() else { return (say(wording, &filled), Wrong::Name) };
    let (kind, before) = match slot {
        'N' | 'K' | 'Y' => (Wrong::Number, filled.get(&slot).cloned()),
        'M' => (Wrong::Date, filled.get(&slot).cloned()),
        _ => (Wrong::Name, filled.get(&slot).cloned()),
    };
    for _ in 0..8 {
        let other = fill(random).remove(&slot);
        if other != before {
            filled.extend(other.map(|other| (slot, other)));
            break;
        }
    }
    (say(wording, &filled), kind)
}
