//! What is kept of events, what they have in common, and the bounds of both.

use proptest::prelude::*;

use super::*;

fn text(text: &str) -> Value<'static> {
    Value::String(text.to_owned().into())
}

fn event(fields: Vec<(&str, Value<'static>)>) -> Event<'static> {
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned().into(), value)).collect();
    Event { fields, ..Event::default() }
}

fn constants(fields: Vec<(&str, Value<'static>)>) -> Constants {
    Constants::of(&event(fields), &[])
}

#[test]
fn fields_are_known_by_the_names_that_lead_to_them() {
    let nested = Value::Map(vec![("b".into(), Value::Int(1)), ("c".into(), Value::Map(Vec::new()))]);
    let list = Value::Array(vec![text("x"), Value::Map(vec![("y".into(), Value::Bool(true))])]);
    let known =
        constants(vec![("a", nested), ("d", list), ("n", Value::Null), ("a.b", text("hidden no more"))]);
    let names: Vec<&str> = known.fields.iter().map(|field| field.name).collect();
    assert_eq!(names, ["a", "a.b", "a.c", "d", "d.y", "n"]);
    assert_eq!(known.event().field("a.b"), Some(&text("hidden no more")), "the literal name wins");
    assert!(!known.is_whole(), "a keyword reads what it hides");
    assert!(known.tells("a.b") && known.tells("never.there"));
    let simple = constants(vec![("a", Value::Int(1)), ("b", text("x"))]);
    assert!(simple.is_whole());
}

#[test]
fn what_differs_or_is_missing_varies_and_never_returns() {
    let mut known = constants(vec![("a", Value::Int(1)), ("b", text("x")), ("c", text("same"))]);
    assert!(!known.meet(&known.clone()), "the same event again");
    assert!(known.meet(&constants(vec![("a", text("1")), ("c", text("same")), ("d", Value::Null)])));
    assert!(known.tells("c") && known.tells("e"));
    assert!(!["a", "b", "d"].into_iter().any(|name| known.tells(name)), "{known:?}");
    assert!(!known.meet(&constants(vec![("a", Value::Int(1)), ("c", text("same"))])));
}

#[test]
fn what_does_not_fit_is_not_known() {
    let long = "v".repeat(300);
    let known = constants(vec![("long", text(&long)), ("short", text("s"))]);
    assert!(known.tells("short") && !known.tells("long") && known.tells("other"));
    let names: Vec<String> = (0..100).map(|number| format!("field{number:03}")).collect();
    let many = || names.iter().map(|name| (name.as_str(), Value::Int(7))).collect::<Vec<_>>();
    let known = Constants::of(&event(many()), &["field099"]);
    assert_eq!(known.fields.len(), MOST_FIELDS);
    assert!(known.tells("field099") && known.tells("field000") && !known.tells("field098"));
    assert!(!known.tells("never there"), "what is not kept might be anything");
    assert!(known.cost() < 2 * FIELDS_BYTES);
    let wide: Vec<_> = names.iter().map(|name| (name.as_str(), text(&"w".repeat(200)))).collect();
    let known = constants(wide);
    assert!(known.cost() < 2 * FIELDS_BYTES && !known.tells("never there"), "{}", known.cost());
    let mut deep = Value::Int(1);
    for _ in 0..60 {
        deep = Value::Map(vec![("d".into(), deep)]);
    }
    assert!(!constants(vec![("d", deep)]).tells("never there"));
}

#[test]
fn many_shapes_of_events_together_are_bounded() {
    let mut known = constants(vec![("same", Value::Int(1))]);
    for number in 0..500 {
        known.meet(&constants(vec![("same", Value::Int(1)), (&format!("own{number}"), Value::Int(1))]));
    }
    assert!(known.tells("same") && !known.tells("never there"));
    assert!(known.cost() < 4_096);
}

fn any_value() -> impl Strategy<Value = Value<'static>> {
    let leaf = prop_oneof![
        Just(Value::Null),
        "[ab\"]{0,2}".prop_map(|word| text(&word)),
        (-1_i64..2).prop_map(Value::Int),
        prop::sample::select(vec![0.1, -0.0, f64::NAN, 1e300]).prop_map(Value::Double),
        any::<bool>().prop_map(Value::Bool),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::vec(("[ab.]{0,2}", inner), 0..3).prop_map(|entries| {
                Value::Map(entries.into_iter().map(|(name, value)| (name.into(), value)).collect())
            }),
        ]
    })
}

fn any_constants() -> impl Strategy<Value = Constants> {
    prop::collection::vec(("[ab](\\.[ab])?", any_value()), 0..4).prop_map(|fields| {
        let fields = fields.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Constants::of(&Event { fields, ..Event::default() }, &[])
    })
}

fn together<'c>(all: impl IntoIterator<Item = &'c Constants>) -> Constants {
    let mut all = all.into_iter();
    let mut known = all.next().unwrap().clone();
    for other in all {
        known.meet(other);
    }
    known
}

proptest! {
    #[test]
    fn order_repetition_and_division_do_not_matter(
        events in prop::collection::vec(any_constants(), 1..6), split in 0..6_usize, turned in 0..6_usize,
    ) {
        let known = together(&events);
        let mut turned_round = events.clone();
        turned_round.rotate_left(turned % events.len());
        turned_round.reverse();
        prop_assert_eq!(&together(&turned_round), &known);
        prop_assert_eq!(&together(events.iter().chain(&events)), &known);
        let (left, right) = events.split_at(split.clamp(1, events.len()));
        let mut parts = together(left);
        if !right.is_empty() {
            parts.meet(&together(right));
        }
        prop_assert_eq!(&parts, &known);
    }

    #[test]
    fn nothing_is_lost_in_a_difference_or_on_paper(one in any_constants(), other in any_constants()) {
        let difference = one.difference(&other);
        prop_assert_eq!(&one.with(&difference), &other);
        let written = serde_json::to_string(&difference).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Difference>(&written).unwrap(), &difference);
        let written = serde_json::to_string(&one).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Constants>(&written).unwrap(), &one);
    }
}
