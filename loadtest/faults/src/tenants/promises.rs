//! The promises of a phase, checked against its measurements.

use std::time::Duration;

use clap::Args;

use super::journal::Record;
use super::look::Look;
use super::report::Measured;
use loadtest::arguments::seconds;
use loadtest::histogram::Histogram;
use loadtest::load::overload::Promise;
use loadtest::resources::MEBIBYTE;

/// Time without a visible incident after which the lag must reflect an acknowledged attack: reading lists and metrics takes a
/// moment.
const UNSEEN_SECONDS: f64 = 4.0;
/// Minimum share of that time that the lag must reach.
const LAG_SHARE: f64 = 0.5;
/// Longest time between the commit of an incident and a victim's list that shows it: the index follows, the victim asks nine
/// times a second, and a debug build on a busy machine answers slowly.
const VISIBLE_SECONDS: f64 = 2.0;
/// Time without any detection, while an attack waits, after which the details of readiness must name
/// analysis: half a minute without progress, and some seconds to notice.
const STANDSTILL_SECONDS: f64 = 40.0;

/// Bounds of the measurements.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Bounds {
    /// Detection latency of each victim, p99, at most: from before an attack is sent until its incident is listed.
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    detection_bound: Duration,
    /// Latency of each victim's requests, p99, at most.
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    api_bound: Duration,
    /// Growth of the server's memory in a phase, at most.
    #[arg(long, value_name = "MEBIBYTES", default_value_t = 384, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    memory_bound: u32,
    /// The same for each organization with one small rule, in KiB.
    #[arg(long, value_name = "KIBIBYTES", default_value_t = 1_024, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    organization_bound: u32,
}

/// All of them.
pub(crate) fn of(measured: &Measured, bounds: &Bounds) -> Vec<Promise> {
    let mut promises = vec![
        attacked(measured),
        seen(&measured.victims),
        p99(
            "detection p99 of every victim is within its bound",
            measured.victims.iter().map(|victim| &victim.detection),
            bounds.detection_bound,
        ),
        failures(&measured.victims),
        p99(
            "API p99 of every victim is within its bound",
            measured.victims.iter().flat_map(|victim| [&victim.api, &victim.rule_checks, &victim.ingest]),
            bounds.api_bound,
        ),
        memory(measured, bounds),
        ready(&measured.looks),
        lag(&measured.looks),
        details(&measured.looks),
    ];
    promises.extend(memory_per_organization(measured, bounds));
    promises
}

fn attacked(measured: &Measured) -> Promise {
    let answered: u64 =
        measured.hostile.iter().filter(|(what, _)| is_status(what)).map(|(_, times)| times).sum();
    let found: Vec<String> =
        measured.hostile.iter().map(|(what, times)| format!("{what} x{times}")).collect();
    Promise {
        name: "the attack reaches the server, which runs to the end",
        found: format!("{}{}", found.join(", "), measured.ended.as_deref().unwrap_or_default()),
        kept: Some((answered > 0 || measured.is_quiet) && measured.ended.is_none()),
    }
}

fn is_status(what: &str) -> bool {
    what.len() == 3 && what.bytes().all(|byte| byte.is_ascii_digit())
}

fn seen(victims: &[Record]) -> Promise {
    let attacks: u64 = victims.iter().map(|victim| victim.attacks).sum();
    let seen: u64 = victims.iter().map(Record::seen).sum();
    Promise {
        name: "every attack on a victim becomes an incident",
        found: format!("{seen} of {attacks}"),
        kept: Some(attacks > 0 && victims.iter().all(|victim| victim.attacks > 0 && victim.unseen() == 0)),
    }
}

fn p99<'a>(name: &'static str, histograms: impl Iterator<Item = &'a Histogram>, bound: Duration) -> Promise {
    let worst = histograms.map(|histogram| histogram.quantile_ms(0.99)).fold(0.0, f64::max) / 1e3;
    let most = bound.as_secs_f64();
    Promise { name, found: format!("{worst:.2} s of {most:.1} s at most"), kept: Some(worst <= most) }
}

fn failures(victims: &[Record]) -> Promise {
    let (failures, requests) = victims.iter().fold((0, 0), |(failures, requests), victim| {
        (failures + victim.failures, requests + victim.requests)
    });
    let mut complaints = victims.iter().flat_map(|victim| &victim.complaints);
    let first = complaints.next().map(|complaint| format!("; {complaint}")).unwrap_or_default();
    Promise {
        name: "no request of a victim fails",
        found: format!("{failures} of {requests}{first}"),
        kept: Some(failures == 0 && requests > 0),
    }
}

/// Growth of the memory over that at the end of the warm-up, MiB.
pub(crate) fn growth(measured: &Measured) -> Option<f64> {
    let most = measured.looks.iter().filter_map(|look| look.resident_bytes).max()?;
    Some(most.saturating_sub(measured.resident_before?) as f64 / MEBIBYTE)
}

fn memory(measured: &Measured, bounds: &Bounds) -> Promise {
    let growth = growth(measured);
    Promise {
        name: "memory of the server is bounded",
        found: growth.map_or_else(
            || "unknown".to_owned(),
            |growth| format!("+{growth:.0} of {} MiB at most", bounds.memory_bound),
        ),
        kept: growth.map(|growth| growth <= f64::from(bounds.memory_bound)),
    }
}

fn memory_per_organization(measured: &Measured, bounds: &Bounds) -> Option<Promise> {
    let count = measured.small_organizations.filter(|count| *count > 0)?;
    let each = growth(measured).map(|growth| growth * 1024.0 / count as f64);
    Some(Promise {
        name: "an organization with one small rule takes little memory",
        found: each.map_or_else(
            || "unknown".to_owned(),
            |each| format!("{each:.0} of {} KiB at most, {count} of them", bounds.organization_bound),
        ),
        kept: each.map(|each| each <= f64::from(bounds.organization_bound)),
    })
}

fn ready(looks: &[Look]) -> Promise {
    let unready: Vec<&Look> = looks.iter().filter(|look| look.readiness != Some(200)).collect();
    let first = unready.first().map_or_else(String::new, |look| {
        let status = look.readiness.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
        format!("; first after {:.1} s: {status} {}", look.at, look.details.join(", "))
    });
    Promise {
        name: "the server stays ready",
        found: format!("{} of {} looks were not{first}", unready.len(), looks.len()),
        kept: Some(unready.is_empty() && !looks.is_empty()),
    }
}

/// A lag near 0 while analysis is behind is wrong; a greater one than victims observe may be that of the hostile organization.
fn lag(looks: &[Look]) -> Promise {
    let most = looks.iter().filter_map(|look| look.lag_seconds).fold(0.0, f64::max);
    let first = contradiction(looks).map_or_else(String::new, |look| {
        format!(
            "; after {:.1} s it was {:.3} s, with an attack unseen for {:.1} s",
            look.at,
            look.lag_seconds.unwrap_or_default(),
            look.unseen_seconds
        )
    });
    let is_told = looks.iter().any(|look| look.lag_seconds.is_some());
    Promise {
        name: "the lag is not near 0 while analysis is behind",
        found: if is_told { format!("{most:.1} s at most{first}") } else { "no such metric".to_owned() },
        kept: is_told.then_some(first.is_empty()),
    }
}

/// The first look of a series in which the lag denies that an attack waits. A short series is none: an attack that analysis
/// has just reached becomes visible to its victim a moment later.
fn contradiction(looks: &[Look]) -> Option<&Look> {
    let denies = |look: &Look| {
        look.unseen_seconds > UNSEEN_SECONDS
            && look.lag_seconds.is_some_and(|lag| lag < look.unseen_seconds * LAG_SHARE)
    };
    let mut first: Option<&Look> = None;
    for look in looks {
        first = if denies(look) { first.or(Some(look)) } else { None };
        if first.is_some_and(|first| look.at - first.at > VISIBLE_SECONDS) {
            return first;
        }
    }
    None
}

/// After a long time without detection, readiness names analysis.
fn details(looks: &[Look]) -> Promise {
    let (mut since, mut stood_still, mut untold) = (0.0, 0_u64, 0_u64);
    for (index, look) in looks.iter().enumerate() {
        let moved = index == 0 || looks.get(index - 1).is_some_and(|before| before.seen != look.seen);
        if moved || look.unseen_seconds == 0.0 {
            since = look.at;
        }
        if look.at - since > STANDSTILL_SECONDS && look.unseen_seconds > STANDSTILL_SECONDS {
            stood_still += 1;
            untold += u64::from(!look.details.iter().any(|detail| detail.starts_with("analysis")));
        }
    }
    let named: std::collections::BTreeSet<&str> =
        looks.iter().flat_map(|look| &look.details).map(String::as_str).collect();
    let named = if named.is_empty() {
        "none".to_owned()
    } else {
        named.into_iter().take(3).collect::<Vec<_>>().join(", ")
    };
    Promise {
        name: "readiness details name analysis that stands still",
        found: format!("{untold} of {stood_still} looks at a standstill did not; details: {named}"),
        kept: Some(untold == 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(at: f64, unseen_seconds: f64, lag: f64) -> Look {
        Look { at, unseen_seconds, lag_seconds: Some(lag), readiness: Some(200), ..Look::default() }
    }

    #[test]
    fn a_lag_near_zero_while_an_attack_stays_unseen_is_wrong() {
        let told = [look(1.0, 0.0, 0.0), look(2.0, 10.0, 9.0), look(9.0, 17.0, 16.0)];
        assert_eq!(lag(&told).kept, Some(true));
        let wrong = lag(&[look(1.0, 0.0, 0.0), look(2.0, 10.0, 0.005), look(4.5, 12.5, 0.0)]);
        assert_eq!(wrong.kept, Some(false));
        assert!(wrong.found.contains("0.005 s, with an attack unseen for 10.0 s"), "{}", wrong.found);
        assert_eq!(lag(&[Look::default()]).kept, None);
    }

    #[test]
    fn an_attack_that_analysis_has_just_reached_may_be_unseen_for_a_moment() {
        let reached = [look(2.0, 10.0, 9.0), look(2.3, 10.3, 0.0), look(3.0, 11.0, 0.0), look(3.3, 0.0, 0.0)];
        assert_eq!(lag(&reached).kept, Some(true));
        let separate =
            [look(2.0, 10.0, 0.0), look(3.0, 0.0, 0.0), look(9.0, 10.0, 0.0), look(10.0, 0.0, 0.0)];
        assert_eq!(lag(&separate).kept, Some(true));
    }

    #[test]
    fn a_standstill_has_to_be_told() {
        let quiet: Vec<Look> = (0..100).map(|at| look(f64::from(at), f64::from(at), f64::from(at))).collect();
        assert_eq!(details(&quiet).kept, Some(false));
        let told: Vec<Look> = quiet
            .iter()
            .map(|look| Look { details: vec!["analysis: stalled".to_owned()], ..look.clone() })
            .collect();
        assert_eq!(details(&told).kept, Some(true));
        let moving: Vec<Look> =
            quiet.iter().map(|look| Look { seen: look.at as u64, ..look.clone() }).collect();
        assert_eq!(details(&moving).kept, Some(true), "slow is not at a standstill");
    }

    #[test]
    fn one_look_without_readiness_breaks_the_promise() {
        assert_eq!(ready(&[look(0.0, 0.0, 0.0)]).kept, Some(true));
        for readiness in [None, Some(503)] {
            assert_eq!(ready(&[Look { readiness, ..Look::default() }]).kept, Some(false));
        }
        assert_eq!(ready(&[]).kept, Some(false));
    }
}
