//! Documents of organizations: smaller expressions, and a number of steps for each record.

use sigma::{
    Author, Document, LEAST_SEARCHED, NativeFields, ORGANIZATION_RECORD_STEPS, Placeholders, RECORD_STEPS,
    Refusal, RuleSet, Spender, parse,
};

use crate::front_door::{compile, event, rule};
use crate::letters::random_letters;

fn of_organization(yaml: &str) -> (RuleSet, Vec<Refusal>) {
    let documents = parse("own.yml", yaml).into_iter().map(Result::unwrap);
    compile(
        documents.map(|document| document.written_by(Author::Organization)).collect(),
        &Placeholders::default(),
    )
}

fn own(detection: &str) -> RuleSet {
    let (set, refusals) = of_organization(&rule(detection));
    assert!(refusals.is_empty(), "{}", refusals[0]);
    set
}

fn refused(expression: &str) -> Option<String> {
    let yaml = rule(&format!("a: {{b|re: '{expression}'}}\ncondition: a"));
    let (_, refusals) = of_organization(&yaml);
    let documents = parse("operator.yml", &yaml).into_iter().map(Result::unwrap).collect();
    let (_, of_operator) = RuleSet::compile(documents, &NativeFields);
    assert!(of_operator.is_empty(), "an operator may use it: {}", of_operator[0]);
    refusals.first().map(ToString::to_string)
}

/// Whether the only rule matches, and its cost: steps, searches that were cut short, whether it is inconclusive.
fn searched(set: &RuleSet, text: &str) -> (bool, u64, u32, bool) {
    let event = event(&serde_json::json!({"b": text}).to_string());
    let (mut matcher, mut found) = (set.matcher(), Vec::new());
    matcher.matches_and_filters(&event, &mut found);
    let [spent] = matcher.spent() else { panic!("one document: {:?}", matcher.spent()) };
    assert_eq!(spent.spender, Spender::Rule(0));
    (!found.is_empty(), spent.steps, spent.cut_short, spent.inconclusive)
}

#[test]
fn an_organizations_expression_is_refused_beyond_its_limits_and_an_operators_is_not() {
    let counted = refused(r"a[ab]{20000}\pN").unwrap();
    assert!(counted.contains("at most 1000 counted repetitions, found 20000"), "{counted}");
    let nested = refused("(a{50}b){50}").unwrap();
    assert!(nested.contains("found 2500"), "{nested}");
    let large = refused(r"\w{40}").unwrap();
    assert!(large.contains("compiled program exceeds 262144 bytes"), "{large}");
    for allowed in ["[ab]{1000}", r"a[ab]{999}\pN", r"(\d{1,3}\.){3}\d{1,3}", r"(a+b*c?)+"] {
        assert_eq!(refused(allowed), None, "{allowed}");
    }
}

#[test]
fn a_search_that_is_cut_short_without_a_match_is_inconclusive_under_not_too() {
    let expression = r"a[ab]{990}\pN";
    let long = random_letters(1 << 17);
    for condition in ["a", "not a"] {
        let set = own(&format!("a: {{b|re: '{expression}'}}\ncondition: {condition}"));
        let (matches, steps, cut_short, inconclusive) = searched(&set, &long);
        assert_eq!((matches, cut_short, inconclusive), (false, 1, true), "{condition}");
        assert!((RECORD_STEPS / 2..=RECORD_STEPS).contains(&steps), "{steps}");
        let (matches, _, cut_short, inconclusive) = searched(&set, &random_letters(4_000));
        assert_eq!((matches, cut_short, inconclusive), (condition == "not a", 0, false), "{condition}");
    }
    let set = own(&format!("a: {{b|re: '{expression}'}}\ncondition: a"));
    let early = format!("{}a{}7{long}", random_letters(50), random_letters(990));
    assert!(searched(&set, &early).0, "found in the part that is searched");
    let either = own(&format!("a: {{b|re: '{expression}'}}\nc: {{b|contains: 'a'}}\ncondition: a or c"));
    assert!(searched(&either, &long).0, "the other part tells");
}

#[test]
fn the_end_of_the_part_that_is_searched_is_no_end_of_the_value() {
    let anchored = own(r"a: {b|re: '[ab][ab]{990}(\pN|$)'}
condition: a");
    let (matches, _, cut_short, _) = searched(&anchored, &random_letters(1 << 20));
    assert_eq!((matches, cut_short), (false, 1));
    assert!(searched(&anchored, &random_letters(1 << 12)).0);
}

#[test]
fn every_expression_of_a_rule_searches_the_least() {
    let expensive = (10..20).map(|number| format!(r"'(?:{number})?a[ab]{{990}}(\pN|x{number}y)'"));
    let detection = format!("a: {{b|re: [{}]}}\ncondition: a", expensive.collect::<Vec<_>>().join(", "));
    let set = own(&detection);
    let text = format!("{}a{}x19y{}", random_letters(5_000), random_letters(990), random_letters(1 << 17));
    assert!(text.find("x19y").unwrap() < usize::try_from(LEAST_SEARCHED).unwrap());
    let (matches, _, cut_short, _) = searched(&set, &text);
    assert!(matches && cut_short > 0, "the last expression finds it although the others have spent all");
}

#[test]
fn expressions_that_stay_linear_search_everything() {
    let set = own(r"a: {b|re: '\w+@\w+\.example'}
condition: a");
    let long = random_letters(1 << 20) + " eve@mail.example";
    let (matches, steps, ..) = searched(&set, &long);
    assert!(matches && steps <= long.len() as u64 + 1, "{steps}");
}

#[test]
fn wildcards_cost_steps_where_they_are_tried_at_every_character() {
    let pattern = "?a".repeat(5_000);
    let set = own(&format!("a: {{b|contains: '{pattern}?b'}}\ncondition: a"));
    let (matches, steps, cut_short, inconclusive) = searched(&set, &("b".to_owned() + &"a".repeat(1 << 20)));
    assert_eq!((matches, cut_short, inconclusive), (false, 1, true));
    assert!(steps <= RECORD_STEPS);
}

#[test]
fn all_documents_of_an_organization_share_the_steps_of_a_record() {
    let pattern = "?a".repeat(2_000);
    let yaml = (0..5).map(|number| {
        let detection = rule(&format!("a: {{b|contains: '{pattern}?b'}}\ncondition: a"));
        format!("{detection}id: rule-{number}\n")
    });
    let (set, refusals) = of_organization(&yaml.collect::<Vec<_>>().join("---\n"));
    assert!(refusals.is_empty(), "{}", refusals[0]);
    // Each takes just less than a document may: the fifth finds nothing left.
    let steps_per_byte = 2 * 2_000 + 2;
    let length = usize::try_from(RECORD_STEPS).unwrap() / steps_per_byte - 1;
    let event = event(&serde_json::json!({"b": "ab".to_owned() + &"c".repeat(length - 2)}).to_string());
    let (mut matcher, mut found) = (set.matcher(), Vec::new());
    matcher.matches_and_filters(&event, &mut found);
    let inconclusive: Vec<bool> = matcher.spent().iter().map(|spent| spent.inconclusive).collect();
    let total: u64 = matcher.spent().iter().map(|spent| spent.steps).sum();
    assert!(total <= ORGANIZATION_RECORD_STEPS, "{total}");
    assert_eq!(inconclusive, [vec![false; 4], vec![true]].concat());
}

#[test]
fn a_filter_that_is_cut_short_takes_nothing_away() {
    let all = "title: all\nid: all\nlogsource: {product: any}\ndetection: {all: {b|exists: true}, condition: all}\n";
    let filter = r"title: some
id: some
logsource: {product: any}
filter: {rules: any, s: {b|re: 'a[ab]{990}\pN'}, condition: s}
";
    let mut documents: Vec<Document> = parse("operator.yml", all).into_iter().map(Result::unwrap).collect();
    let own = parse("own.yml", filter).into_iter().map(Result::unwrap);
    documents.extend(own.map(|document| document.written_by(Author::Organization)));
    let (set, refusals) = compile(documents, &Placeholders::default());
    assert!(refusals.is_empty(), "{}", refusals[0]);
    let (mut matcher, mut found) = (set.matcher(), Vec::new());
    for (text, filtered, cut_short) in
        [(format!("a{}7", random_letters(990)), true, 0), (random_letters(1 << 20) + "7", false, 1)]
    {
        matcher.matches_and_filters(&event(&serde_json::json!({"b": text}).to_string()), &mut found);
        assert_eq!(found[0].filter.is_some(), filtered);
        let [spent] = matcher.spent() else { panic!("{:?}", matcher.spent()) };
        assert_eq!((spent.spender, spent.cut_short), (Spender::Filter(0), cut_short));
    }
}
