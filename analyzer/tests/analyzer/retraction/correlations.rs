//! What correlations found is taken back when filters take away all that they rest on.

use super::*;

fn failures(users: &[&str]) -> Delivery {
    let line =
        |(second, user): (u64, &&str)| Line::failed(user, ADDRESS).with("process.name", "sshd").at(second);
    Delivery::new(9, (0..).zip(users).map(line))
}

fn login(second: u64) -> Delivery {
    Delivery::new(second, [Line::accepted("root", ADDRESS).with("process.name", "sshd").at(second)])
}

#[tokio::test(start_paused = true)]
async fn a_correlation_is_taken_back_when_all_its_members_are() {
    let sshd = |rules: &str, selection: &str| filter_of("{product: linux, service: sshd}", rules, selection);
    let by_address = format!("client.address: {ADDRESS}");
    let same = ["root"; 6];
    for (users, filter, severity) in [
        (same, sshd("[login_failed]", &by_address), Severity::Low),
        (same, sshd("[login_failed]", "user.name: root"), Severity::Low),
        (same, sshd("[login_succeeded]", &by_address), Severity::Medium),
        (
            ["root", "eve", "root", "eve", "root", "eve"],
            sshd("[login_failed]", "user.name: root"),
            Severity::Medium,
        ),
        (
            ["root", "eve", "root", "eve", "root", "eve"],
            sshd("any", "user.name: [root, eve]"),
            Severity::Medium,
        ),
    ] {
        // One by one, so that what is held back is read back.
        let world = World::new(rules::LOGINS);
        for line in failures(&users).lines {
            world.take(&[Delivery::new(9, [line])]).await;
        }
        assert_eq!(world.head().analysis.severity, Severity::Medium);
        put_in_force(&world, &format!("{}{filter}", rules::LOGINS)).await;
        let head = world.head();
        assert_eq!((head.analysis.severity, head.analysis.event_count), (severity, 6), "{filter}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_correlation_of_several_rules_needs_a_filter_for_each() {
    let happened = [failures(&["root"; 6]), login(20)];
    let sshd = |rules: &str| {
        filter_of("{product: linux, service: sshd}", rules, &format!("client.address: {ADDRESS}"))
    };
    let world = after(rules::LOGINS, &happened, &sshd("[login_failed]")).await;
    let head = world.head();
    assert_eq!(standing(&world, &head), ["Login after many failed ones"]);
    let world = after(rules::LOGINS, &happened, &sshd("[login_failed, login_succeeded]")).await;
    let head = world.head();
    assert_eq!((standing(&world, &head), head.analysis.severity), (vec![], Severity::Low));
    assert_eq!(assessment(&world, &head).peak_severity, Severity::Critical);
}

#[tokio::test(start_paused = true)]
async fn a_record_that_several_counted_rules_match_needs_a_filter_for_each() {
    let signs = [1, 2].map(|number| {
        rules::sign(number, &format!("loud{number}"), "level: low")
            .replace(&format!("sign: loud{number}"), "sign: loud")
    });
    let body = "type: event_count, rules: [loud1, loud2], group-by: [client.address], timespan: 1m, condition: {gte: 2}";
    let yaml = signs.concat() + &correlation(1, "many", body, "");
    let happened = [sign("loud", ADDRESS, 1), sign("loud", ADDRESS, 2)];
    for (rules, severity) in
        [("[loud1]", Severity::Medium), ("[loud2]", Severity::Medium), ("any", Severity::Low)]
    {
        let world = after(&yaml, &happened, &filter(rules, &format!("client.address: {ADDRESS}"))).await;
        assert_eq!(world.head().analysis.severity, severity, "{rules}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_record_that_also_counts_through_an_inner_correlation_stays() {
    let signs = [1, 2].map(|number| {
        rules::sign(number, &format!("loud{number}"), "level: low")
            .replace(&format!("sign: loud{number}"), "sign: loud")
    });
    let grouped = "group-by: [client.address], timespan: 1m";
    let inner = format!("type: event_count, rules: [loud1], {grouped}, condition: {{gte: 1}}");
    let happened = [sign("loud", ADDRESS, 1), sign("loud", ADDRESS, 2)];
    for (references, filtered, severity) in [
        ("[inner, loud2]", "[loud2]", Severity::Medium),
        ("[inner, loud2]", "[loud1]", Severity::Medium),
        ("[inner]", "[loud2]", Severity::Medium),
        ("[inner]", "[loud1]", Severity::Low),
    ] {
        let outer = format!("type: event_count, rules: {references}, {grouped}, condition: {{gte: 2}}");
        let yaml =
            signs.concat() + &correlation(1, "inner", &inner, "") + &correlation(2, "outer", &outer, "");
        let world = after(&yaml, &happened, &filter(filtered, &format!("client.address: {ADDRESS}"))).await;
        assert_eq!(world.head().analysis.severity, severity, "{references} {filtered}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_window_that_was_decided_at_its_end_and_one_of_many_events_are_taken_back() {
    let at_end =
        "type: event_count, rules: [loud], group-by: [client.address], timespan: 1m, condition: {eq: 3}";
    let many =
        "type: event_count, rules: [loud], group-by: [client.address], timespan: 10m, condition: {gte: 100}";
    for (body, count) in [(at_end, 3), (many, 120)] {
        let yaml = rules::sign(1, "loud", "level: low") + &correlation(1, "many", body, "");
        let world = World::new(&yaml);
        for second in 0..count {
            world.send(&sign("loud", ADDRESS, second)).await;
        }
        world.analyze().await;
        world.take(&[Delivery::tick(END)]).await;
        assert_eq!(world.head().analysis.severity, Severity::Medium);
        let by_address = filter("any", &format!("client.address: {ADDRESS}"));
        put_in_force(&world, &(yaml + &by_address)).await;
        assert_eq!(world.head().analysis.severity, Severity::Low, "{body}");
    }
}
