//! Order, repetition, and the bounds of endless sites.

use super::*;

fn offer(frontier: &mut Frontier, path: &str, depth: u8) -> Offer {
    frontier.offer(&Url::parse(&format!("https://a.test{path}")).unwrap(), depth, 0)
}

#[test]
fn tables_are_ordered() {
    assert!(FILES.is_sorted());
}

#[test]
fn pages_come_in_breadth_first_order_and_once() {
    let mut frontier = Frontier::default();
    assert_eq!(offer(&mut frontier, "/a", 1), Offer::Accepted);
    assert_eq!(offer(&mut frontier, "/b?x=1&y=2", 1), Offer::Accepted);
    assert_eq!(offer(&mut frontier, "/b?y=2&x=1&utm_source=mail", 2), Offer::Known);
    assert_eq!(offer(&mut frontier, "/c", 2), Offer::Accepted);
    let order: Vec<String> = std::iter::from_fn(|| frontier.take()).map(|waiting| waiting.url).collect();
    assert_eq!(order, ["https://a.test/a", "https://a.test/b?x=1&y=2", "https://a.test/c"]);
    assert_eq!(offer(&mut frontier, "/a", 1), Offer::Known);
}

#[test]
fn an_endless_calendar_takes_few_pages() {
    let mut frontier = Frontier::default();
    for day in 0..2_000 {
        offer(
            &mut frontier,
            &format!("/calendar/{}/{}/{}", 2000 + day / 372, day / 31 % 12 + 1, day % 31 + 1),
            1,
        );
        offer(&mut frontier, &format!("/agenda?date=2024-01-{day}"), 1);
        offer(&mut frontier, &format!("/p{day}"), 1);
    }
    assert_eq!(frontier.waiting(), 3 * usize::from(MOST_PER_TEMPLATE));
    assert_eq!(frontier.refused.template, 6_000 - 3 * u64::from(MOST_PER_TEMPLATE));
    assert_eq!(offer(&mut frontier, "/about", 1), Offer::Accepted);
}

#[test]
fn bounds_of_pages_depth_redirects_and_length_hold() {
    let mut frontier = Frontier::default();
    assert_eq!(offer(&mut frontier, "/deep", MOST_DEPTH + 1), Offer::Limit);
    let redirected = Url::parse("https://a.test/r").unwrap();
    assert_eq!(frontier.offer(&redirected, 0, MOST_REDIRECTS + 1), Offer::Limit);
    assert_eq!(offer(&mut frontier, &"/x".repeat(LONGEST_URL), 1), Offer::Limit);
    for page in 0..MOST_PAGES + 10 {
        let words: String = page.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect();
        offer(&mut frontier, &format!("/{words}-page"), 1);
    }
    assert_eq!(frontier.waiting(), MOST_PAGES);
    assert_eq!(frontier.refused.limit, 3 + 10);
}

#[test]
fn files_and_hazards_are_not_fetched() {
    let mut frontier = Frontier::default();
    assert_eq!(offer(&mut frontier, "/a.PDF", 1), Offer::File);
    assert_eq!(offer(&mut frontier, "/logout", 1), Offer::Hazard);
    assert_eq!((frontier.waiting(), frontier.refused.hazard), (0, 1));
}
