//! Conditions: precedence, quantifiers, lists, and parse errors.

use crate::front_door::{meets, refusal, rule, rule_set};

/// Three selections, `a`, `b` and `c`, each true when the field of its name is 1, and `_hidden`.
fn conditions(condition: &str) -> String {
    rule(&format!(
        "sel_a: {{a: 1}}\nsel_b: {{b: 1}}\nother: {{c: 1}}\n_hidden: {{h: 1}}\ncondition: {condition}"
    ))
}

/// The events in which a condition holds, as the letters of the fields that are 1.
fn truth(condition: &str) -> String {
    let set = rule_set(&conditions(condition));
    let combinations = ["-", "a", "b", "c", "ab", "ac", "bc", "abc"];
    let holds = |letters: &&str| {
        let field = |letter: char| format!(r#""{letter}": 1"#);
        let fields: Vec<_> = letters.chars().filter(|letter| *letter != '-').map(field).collect();
        meets(&set, &format!("{{{}}}", fields.join(", ")))
    };
    combinations.iter().filter(|letters| holds(letters)).copied().collect::<Vec<_>>().join(" ")
}

#[test]
fn operators_bind_as_specified() {
    let table = [
        ("sel_a", "a ab ac abc"),
        ("sel_a and sel_b", "ab abc"),
        ("sel_a or sel_b and other", "a ab ac bc abc"),
        ("(sel_a or sel_b) and other", "ac bc abc"),
        ("not sel_a and sel_b", "b bc"),
        ("not (sel_a and sel_b)", "- a b c ac bc"),
        ("not not sel_a", "a ab ac abc"),
        ("NOT sel_a AND Not sel_b oR other", "- c ac bc abc"),
        ("sel_a and not 1 of other", "a ab"),
        ("1 of sel_*", "a b ab ac bc abc"),
        ("any of sel_*", "a b ab ac bc abc"),
        ("all of sel_*", "ab abc"),
        ("all of them", "abc"),
        ("1 OF Them", "a b c ab ac bc abc"),
        ("1 of *_a", "a ab ac abc"),
        ("1 of s*l*a", "a ab ac abc"),
        ("all of sel_* and (not other)", "ab"),
        ("[sel_a and sel_b, other]", "c ab ac bc abc"),
        ("not 1 of _hid*", "- a b c ab ac bc abc"),
    ];
    for (condition, expected) in table {
        assert_eq!(truth(condition), expected, "{condition}");
    }
}

#[test]
fn what_does_not_parse_is_refused() {
    let table = [
        ("''", "invalid"),
        ("[]", "invalid"),
        ("5", "invalid"),
        ("sel_a and", "condition"),
        ("and sel_a", "condition"),
        ("sel_a sel_b", "condition"),
        ("(sel_a", "condition"),
        ("sel_a)", "condition"),
        ("()", "condition"),
        ("2 of sel_*", "condition"),
        ("none of them", "condition"),
        ("1 of", "condition"),
        ("1 of (sel_a)", "condition"),
        ("not", "condition"),
        ("selection", "unknown_selection"),
        ("sel_*", "unknown_selection"),
        ("1 of nothing_*", "unknown_selection"),
        ("sel_a | count() > 5", "legacy_aggregation"),
        ("sel_a|near sel_b", "legacy_aggregation"),
    ];
    for (condition, kind) in table {
        let found = refusal(&conditions(condition));
        assert_eq!(found.cause.kind(), kind, "{condition}: {found}");
        assert_eq!(&*found.field, "detection.condition");
        assert_eq!(found.origin.line, 9, "{condition}: {found}");
    }
}

#[test]
fn an_old_time_frame_is_refused() {
    let found = refusal(&rule("a: {b: c}\ntimeframe: 5m\ncondition: a"));
    assert_eq!(found.cause.kind(), "legacy_aggregation");
    assert_eq!(&*found.field, "detection.timeframe");
}
