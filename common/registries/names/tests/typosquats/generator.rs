//! Typosquats as attackers make them, by tables and operations of its own.

use versions::Ecosystem;

/// A typosquat.
pub(crate) struct Squat {
    pub(crate) name: String,
    pub(crate) operation: &'static str,
}

/// Keys beside each key, as a table of typing errors.
const BESIDE: [(char, &str); 26] = [
    ('a', "qwsz"),
    ('b', "vghn"),
    ('c', "xdfv"),
    ('d', "serfcx"),
    ('e', "wsdr"),
    ('f', "drtgvc"),
    ('g', "ftyhbv"),
    ('h', "gyujnb"),
    ('i', "ujko"),
    ('j', "huikmn"),
    ('k', "jiolm"),
    ('l', "kop"),
    ('m', "njk"),
    ('n', "bhjm"),
    ('o', "iklp"),
    ('p', "ol"),
    ('q', "wa"),
    ('r', "edft"),
    ('s', "awedxz"),
    ('t', "rfgy"),
    ('u', "yhji"),
    ('v', "cfgb"),
    ('w', "qase"),
    ('x', "zsdc"),
    ('y', "tghu"),
    ('z', "asx"),
];

/// Replacements that look alike.
const ALIKE: [(&str, &str); 9] = [
    ("l", "1"),
    ("o", "0"),
    ("i", "l"),
    ("l", "i"),
    ("m", "rn"),
    ("w", "vv"),
    ("e", "3"),
    ("s", "5"),
    ("d", "cl"),
];

/// The typosquats of a name that an attacker can register: those with another owner, where names have owners.
pub(crate) fn squats(ecosystem: Ecosystem, name: &str) -> Vec<Squat> {
    match ecosystem {
        Ecosystem::Npm if name.starts_with('@') => scoped(name),
        Ecosystem::Go => module(&name.to_lowercase()),
        Ecosystem::GitHubAction => {
            let (owner, rest) = name.split_once('/').unwrap();
            typos(owner)
                .into_iter()
                .map(|squat| Squat { name: format!("{}/{rest}", squat.name), ..squat })
                .collect()
        }
        _ => [typos(name), words(ecosystem, name)].into_iter().flatten().collect(),
    }
}

fn scoped(name: &str) -> Vec<Squat> {
    let (scope, rest) = name[1..].split_once('/').unwrap();
    let mut all: Vec<Squat> = typos(scope)
        .into_iter()
        .map(|squat| Squat { name: format!("@{}/{rest}", squat.name), ..squat })
        .collect();
    // Packages of babel and angular without scope are honest, so that nobody else can have them.
    if !matches!(scope, "babel" | "angular") {
        all.push(Squat { name: format!("{scope}-{rest}"), operation: "scope joined" });
    }
    all
}

fn module(name: &str) -> Vec<Squat> {
    let parts: Vec<&str> = name.split('/').collect();
    let at = usize::from(parts[0] == "github.com");
    let replaced = |part: &str| {
        let mut parts = parts.clone();
        parts[at] = part;
        parts.join("/")
    };
    // A host has labels; only the one before its suffix can be imitated.
    typos(parts[at])
        .into_iter()
        .filter(|squat| at == 1 || !squat.name.starts_with(['.', '-']))
        .map(|squat| Squat { name: replaced(&squat.name), ..squat })
        .collect()
}

/// Errors of letters: at the beginning, in the middle and at the end.
fn typos(name: &str) -> Vec<Squat> {
    let letters: Vec<char> = name.chars().collect();
    let count = letters.len();
    let mut all = Vec::new();
    let mut add = |letters: &[char], operation| {
        let name: String = letters.iter().collect();
        let is_delimiter = |letter: Option<&char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
        // Registries refuse delimiters at the ends.
        if !is_delimiter(letters.first()) && !is_delimiter(letters.last()) {
            all.push(Squat { name, operation });
        }
    };
    for at in [1, count / 3, count / 2, count * 2 / 3, count - 2] {
        let at = at.min(count - 1);
        let mut omitted = letters.clone();
        omitted.remove(at);
        add(&omitted, "omission");
        let mut doubled = letters.clone();
        doubled.insert(at, letters[at]);
        add(&doubled, "repetition");
        if at + 1 < count && letters[at] != letters[at + 1] {
            let mut swapped = letters.clone();
            swapped.swap(at, at + 1);
            add(&swapped, "swap");
        }
        if let Some((_, beside)) = BESIDE.iter().find(|(key, _)| *key == letters[at]) {
            let key = beside.chars().nth(at % beside.len()).unwrap();
            let mut missed = letters.clone();
            missed[at] = key;
            add(&missed, "neighbouring key");
        }
    }
    for (from, to) in ALIKE {
        if name.contains(from) {
            all.push(Squat { name: name.replacen(from, to, 1), operation: "homoglyph" });
        }
    }
    all
}

/// Errors of words.
fn words(ecosystem: Ecosystem, name: &str) -> Vec<Squat> {
    let mut all = Vec::new();
    let words: Vec<&str> = name.split(['-', '_', '.']).collect();
    if words.len() > 1 {
        all.push(Squat { name: words.concat(), operation: "delimiter removed" });
        let reversed: Vec<&str> = words.iter().rev().copied().collect();
        all.push(Squat { name: reversed.join("-"), operation: "words reversed" });
        if ecosystem != Ecosystem::Pypi {
            all.push(Squat { name: words.join("_"), operation: "delimiter changed" });
        }
    }
    let affixes: [String; 3] = match ecosystem {
        Ecosystem::Npm => [format!("{name}-js"), format!("node-{name}"), format!("{name}js")],
        Ecosystem::Pypi => [format!("python-{name}"), format!("py-{name}"), format!("{name}-python")],
        _ => [format!("ruby-{name}"), format!("{name}-ruby"), format!("{name}-gem")],
    };
    all.extend(affixes.into_iter().map(|name| Squat { name, operation: "affix" }));
    all.retain(|squat| squat.name != name);
    all
}
