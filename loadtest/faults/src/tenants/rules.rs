//! Rules of the hostile organization as YAML.

use std::fmt::Write;

/// The expression of the attack that stopped detection for every organization: more counted repetitions than a rule may
/// have.
const UNBOUNDED: &str = r"a[ab]{20000}\pN";
/// Expressions of a rule of large compiled size; a rule may have 64.
const LARGE_EXPRESSIONS: u64 = 60;
/// An invalid expression: the check of the rule that ends with it has compiled all others by then, and nothing is stored.
const UNFINISHED: &str = "(";

/// Kind of hostility of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Slow to search with.
    Slow,
    /// Large when compiled.
    Large,
    /// Slow to check.
    Laborious,
    /// None: a rule with little cost.
    Small,
}

/// The YAML of a rule; ids follow from its number and the seed.
pub(crate) fn yaml(shape: Shape, number: u64, seed: u64) -> String {
    match shape {
        Shape::Slow => document(number, seed, &[slow(number)]),
        Shape::Large => {
            let expressions: Vec<String> = (0..LARGE_EXPRESSIONS).map(|index| large(number, index)).collect();
            document(number, seed, &expressions)
        }
        Shape::Laborious => {
            let permitted = (0..LARGE_EXPRESSIONS).map(|index| permitted(number, index));
            document(number, seed, &permitted.chain([UNFINISHED.to_owned()]).collect::<Vec<_>>())
        }
        Shape::Small => document(number, seed, &[format!("nobody says {number}")]),
    }
}

/// The first is the attack itself; the others are permitted, and as slow as repetitions of that many states are.
fn slow(number: u64) -> String {
    match number % 4 {
        0 if number == 0 => UNBOUNDED.to_owned(),
        0 => format!(r"(a|b)*a(a|b){{{}}}c", 900 - number),
        1 => format!(r"a[ab]{{{}}}\pN", 990 - number),
        2 => format!(r"a[ab]{{{}}}b[ab]{{{}}}\pN", 480 - number, 480 + number),
        _ => format!(r"(?i)[ab]+a.{{{}}}z\d", 700 - number),
    }
}

/// Every other rule stays within 256 KiB for each expression, and passes 16 MiB only together with the others.
fn large(number: u64, index: u64) -> String {
    if number.is_multiple_of(2) { format!(r"\w{{60}}-{number}-{index}") } else { permitted(number, index) }
}

fn permitted(number: u64, index: u64) -> String {
    format!(r"[a-z]{{950}}[0-9]-{number}-{index}")
}

fn document(number: u64, seed: u64, expressions: &[String]) -> String {
    let id = format!("{:08x}-{:04x}-4000-8000-{number:012x}", (seed >> 32) as u32, seed & 0xffff);
    let mut yaml = format!(
        "title: Hostile rule {number}\nid: {id}\nlogsource: {{product: linux, service: sshd}}\n\
         detection:\n  selection:\n    message|re:\n"
    );
    for expression in expressions {
        // Writing to a text cannot fail.
        let _ = writeln!(yaml, "      - '{expression}'");
    }
    yaml.push_str("  condition: selection\nlevel: low\n");
    yaml
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A rule may have 64 KiB (specification, Limits).
    const MOST_YAML_BYTES: usize = 65_536;

    #[test]
    fn rules_fit_into_a_request_and_have_ids_of_their_own() {
        let mut ids = BTreeSet::new();
        for shape in [Shape::Slow, Shape::Large, Shape::Laborious, Shape::Small] {
            for number in 0..40 {
                let yaml = yaml(shape, number, 20_261_121);
                assert!(yaml.len() <= MOST_YAML_BYTES, "{shape:?} {number}: {}", yaml.len());
                for line in yaml.lines().filter(|line| line.starts_with("id: ")) {
                    assert!(ids.insert((shape as u8, line.to_owned())), "{line}");
                }
            }
        }
    }

    #[test]
    fn the_first_slow_rule_is_the_attack_and_the_others_are_permitted() {
        assert!(yaml(Shape::Slow, 0, 1).contains(UNBOUNDED));
        assert!((1..12).all(|number| !yaml(Shape::Slow, number, 1).contains("20000")));
    }
}
