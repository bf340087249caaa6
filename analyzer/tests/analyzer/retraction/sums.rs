//! What signs of an entity or a rule add up to is taken back in part or as a whole.

use super::*;

#[tokio::test(start_paused = true)]
async fn the_sum_of_an_entitys_signs_loses_what_a_filter_takes_away() {
    let odd = filter("[odd]", &format!("client.address: {ADDRESS}"));
    let three = [sign("odd", ADDRESS, 1), sign("strange", ADDRESS, 2), sign("queer", ADDRESS, 3)];
    let world = after(&rules::all(), &three, &odd).await;
    let head = world.head();
    let said = assessment(&world, &head);
    assert_eq!((head.analysis.severity, said.peak_severity), (Severity::Low, Severity::Medium));
    assert!(said.summary.contains("do not qualify as an incident"), "{}", said.summary);
    assert_eq!(standing(&world, &head), ["Sign strange", "Sign queer"]);
    let reasons = world.revisions(&head).pop().unwrap().reasons;
    assert!(reasons.iter().any(|reason| reason.contains("(Our scanner)")), "{reasons:?}");
    assert_eq!(head.analysis.revision, 2);
    // One more makes it add up again, without what was taken back.
    world.take(&[sign("strange", ADDRESS, 4)]).await;
    let head = world.head();
    assert_eq!((head.analysis.severity, standing(&world, &head).len()), (Severity::Medium, 2));

    let four = [three.to_vec(), vec![sign("queer", ADDRESS, 4)]].concat();
    let world = after(&rules::all(), &four, &odd).await;
    assert_eq!(world.head().analysis.severity, Severity::Medium, "what is left still adds up");
    assert_eq!(standing(&world, &world.head()), ["Sign strange", "Sign queer"]);
}

#[tokio::test(start_paused = true)]
async fn a_sum_of_which_signs_are_forgotten_stays() {
    const DAY: u64 = 24 * 60 * 60;
    let three = |first: &str, day| [first, "strange", "queer"].map(|name| sign(name, ADDRESS, day * DAY));
    let filter = filter("[odd]", &format!("client.address: {ADDRESS}"));
    for (unfiltered, last, severity) in [
        (None, 10, Severity::Low),
        // What adds up without the filter is remembered, then forgotten.
        (Some(0), 6, Severity::Medium),
        (Some(0), 10, Severity::Medium),
    ] {
        let mut happened = Vec::new();
        if let Some(day) = unfiltered {
            happened.extend(three("strange", day));
            happened.push(sign("queer", ADDRESS, day * DAY + 1));
        }
        happened.extend(three("odd", 6));
        happened.push(sign("nothing", ADDRESS, last * DAY));
        if last > 6 {
            happened.push(sign("queer", ADDRESS, last * DAY));
        }
        let world = after(&rules::all(), &happened, &filter).await;
        let head = world.head();
        assert_eq!(head.analysis.severity, severity, "{unfiltered:?} {last}");
        assert_eq!(standing(&world, &head), ["Sign strange", "Sign queer"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_sum_of_which_repetitions_were_let_go_stays() {
    for (repetitions, severity) in [(5, Severity::Low), (6, Severity::Medium), (257, Severity::Medium)] {
        // Where there are many, all between the first two and the last two are let go.
        let user = |second: u64| if (2..repetitions - 2).contains(&second) { "bob" } else { "eve" };
        let line = |second| Line::sign("strange", ADDRESS).with("user.name", user(second)).at(second);
        let (bob, eve): (Vec<u64>, Vec<u64>) = (0..repetitions).partition(|second| user(*second) == "bob");
        let strange = bob.into_iter().chain(eve).map(line);
        let happened = [Delivery::new(1, strange), sign("odd", ADDRESS, 300)];
        let world = after(&rules::all(), &happened, &filter("[strange]", "user.name: eve")).await;
        assert_eq!(world.head().analysis.severity, severity, "{repetitions}");
    }
}

#[tokio::test(start_paused = true)]
async fn signs_that_never_became_known_are_taken_from_the_sum_one_by_one() {
    let by = |user: &str, second| {
        Delivery::new(second, [Line::sign("odd", ADDRESS).with("user.name", user).at(second)])
    };
    for (user, incidents) in [("eve", 0), ("bob", 1)] {
        let eve = filter("[odd]", "user.name: eve");
        let world = after(&rules::all(), &[by(user, 1), by("ann", 2)], &eve).await;
        assert!(world.heads().is_empty());
        world.take(&[sign("strange", ADDRESS, 3)]).await;
        assert_eq!(world.heads().len(), incidents, "{user}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_sums_of_many_entities_are_lessened_in_many_commits() {
    let world = World::new(&rules::all());
    let of_all = |sign: &'static str, second| {
        (1..=70).map(move |source| {
            let lines =
                (0..10).map(|number| Line::sign(sign, &format!("203.0.{source}.{number}")).at(second));
            Delivery::new(second, lines).of_source(source)
        })
    };
    world.take(&of_all("odd", 1).collect::<Vec<_>>()).await;
    let before = world.ledger.book().len();
    put_in_force(&world, &(rules::all() + &filter("any", "client.address|cidr: 203.0.0.0/18"))).await;
    let made = world.ledger.book().split_off(before);
    assert!(made.iter().all(|commit| commit.rows < 700), "{made:?}");
    world.take(&of_all("strange", 2).collect::<Vec<_>>()).await;
    world.take(&of_all("queer", 3).collect::<Vec<_>>()).await;
    // 203.0.1.0 to 203.0.63.0 are suppressed from then on; of the others three signs add up.
    assert_eq!(world.heads().len(), (70 - 63) * 10);
}

#[tokio::test(start_paused = true)]
async fn what_the_sums_of_entities_change_is_committed_with_little_else() {
    let world = World::new(&rules::all());
    let text = "x".repeat(1_000);
    let of_all = |name: &'static str, second| {
        let line = |source: u8, number: u8| {
            let line = Line::sign(name, &format!("203.0.{source}.{number}")).with("user.name", text.as_str());
            line.with("parent", text.as_str()).at(second)
        };
        let of_one =
            |source| Delivery::new(second, (0..8).map(|number| line(source, number))).of_source(source);
        (1..=12).map(of_one).collect::<Vec<_>>()
    };
    world.take(&[of_all("odd", 1), of_all("strange", 2), of_all("queer", 3)].concat()).await;
    let before = world.ledger.book().len();
    put_in_force(&world, &(rules::all() + &filter("[odd]", "client.address|cidr: 203.0.0.0/16"))).await;
    let made = world.ledger.book().split_off(before);
    let heads = world.heads();
    assert_eq!(heads.len(), 12 * 8);
    assert!(heads.iter().all(|head| head.analysis.severity == Severity::Low), "{heads:?}");
    assert!(made.iter().all(|commit| commit.bytes < 2 * 64 * 1024), "{made:?}");
}

#[tokio::test(start_paused = true)]
async fn the_incident_about_a_rule_is_taken_back_by_what_all_its_matches_have_in_common() {
    let line = |number: u64, parent: &str| {
        Line::sign("loud", &format!("203.0.113.{number}")).with("parent", parent).at(number)
    };
    for (last, severity) in [("inventory", Severity::Low), ("shell", Severity::High)] {
        let mut lines: Vec<Line> = (0..14).map(|number| line(number, "inventory")).collect();
        lines.push(line(15, last));
        let happened: Vec<Delivery> = lines.into_iter().map(|line| Delivery::new(20, [line])).collect();
        let world = after(&rules::all(), &happened, &filter("[loud]", "parent: inventory")).await;
        assert_eq!(about(&world, "*").analysis.severity, severity);
    }
}
