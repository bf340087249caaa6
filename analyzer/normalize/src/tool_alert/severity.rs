//! Severities as tools state them, on one scale.

use sigma::event::Value;

use super::lookup;
use crate::word_list::words;

/// Severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    Informational,
    Low,
    Medium,
    High,
    Critical,
}

impl Severity {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Informational => "informational",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// Scale of a severity.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scale {
    /// A word.
    Word,
    /// GuardDuty: 1 to 10, with one decimal.
    Tenths,
    /// Snort and Suricata: the priority of the signature's class, 1 for the worst.
    Priority,
    /// Falco: the priorities of syslog.
    Syslog,
    /// Wazuh: levels 0 to 15.
    Level,
    /// SentinelOne: confidence.
    Confidence,
    /// Check Point: 0 to 4.
    Degree,
    /// Palo Alto Networks in CEF: 1 to 5.
    Grade,
    /// CEF: 0 to 10, or a word.
    Cef,
    /// Zeek states none: by the kind of notice.
    Notice,
}

impl Scale {
    /// The severity that a value states; `None` if it states none.
    pub(super) fn of(self, value: &Value<'_>) -> Option<Severity> {
        match self {
            Self::Tenths => tenths(value),
            Self::Priority => number(value).map(priority),
            Self::Level => number(value).map(level),
            Self::Word => word(&lookup::text(value)?.to_ascii_lowercase()),
            Self::Syslog => syslog(&lookup::text(value)?.to_ascii_lowercase()),
            Self::Confidence => confidence(&lookup::text(value)?.to_ascii_lowercase()),
            Self::Degree => match number(value) {
                Some(number) => Some(degree(number)),
                None => Self::Word.of(value),
            },
            Self::Grade => number(value).map(|number| degree(number - 1)),
            Self::Cef => match number(value) {
                Some(number) => Some(cef(number)),
                None => Self::Word.of(value),
            },
            Self::Notice => Some(notice(&lookup::text(value)?)),
        }
    }
}

fn number(value: &Value<'_>) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

fn tenths(value: &Value<'_>) -> Option<Severity> {
    let number = match value {
        #[expect(clippy::cast_precision_loss, reason = "the scale ends at ten")]
        Value::Int(number) => *number as f64,
        Value::Double(number) => *number,
        Value::String(text) => text.parse().ok()?,
        _ => return None,
    };
    Some(match number {
        number if number >= 9.0 => Severity::Critical,
        number if number >= 7.0 => Severity::High,
        number if number >= 4.0 => Severity::Medium,
        _ => Severity::Low,
    })
}

pub(super) fn priority(number: i64) -> Severity {
    match number {
        1 => Severity::High,
        2 => Severity::Medium,
        3 => Severity::Low,
        _ => Severity::Informational,
    }
}

fn degree(number: i64) -> Severity {
    match number {
        4.. => Severity::Critical,
        3 => Severity::High,
        2 => Severity::Medium,
        1 => Severity::Low,
        _ => Severity::Informational,
    }
}

/// The format's guide: 0 to 3 low, 4 to 6 medium, 7 and 8 high, 9 and 10 very high.
fn cef(number: i64) -> Severity {
    match number {
        9.. => Severity::Critical,
        7 | 8 => Severity::High,
        4..=6 => Severity::Medium,
        _ => Severity::Low,
    }
}

/// From level 12 on an event is of high importance by Wazuh's own words; up to 9 one stands for a single error.
fn level(number: i64) -> Severity {
    match number {
        15.. => Severity::Critical,
        12..=14 => Severity::High,
        10 | 11 => Severity::Medium,
        4..=9 => Severity::Low,
        _ => Severity::Informational,
    }
}

fn word(word: &str) -> Option<Severity> {
    Some(match word {
        "critical" | "severe" | "very high" | "very-high" | "fatal" => Severity::Critical,
        "high" | "major" => Severity::High,
        "medium" | "moderate" => Severity::Medium,
        "low" | "minor" => Severity::Low,
        "informational" | "information" | "info" | "none" => Severity::Informational,
        _ => return None,
    })
}

fn syslog(word: &str) -> Option<Severity> {
    Some(match word {
        "emergency" | "alert" | "critical" => Severity::Critical,
        "error" => Severity::High,
        "warning" => Severity::Medium,
        "notice" => Severity::Low,
        "informational" | "info" | "debug" => Severity::Informational,
        _ => return None,
    })
}

fn confidence(word: &str) -> Option<Severity> {
    Some(match word {
        "malicious" => Severity::High,
        "suspicious" => Severity::Medium,
        _ => return None,
    })
}

/// Kinds of notices of Zeek's own scripts that report an attack; the rest is about certificates, versions and
/// Zeek itself.
fn notice(kind: &str) -> Severity {
    const ATTACKS: [&str; 6] = words(
        "Scan:: SSH::Password_Guessing HTTP::SQL_Injection_ FTP::Bruteforcing Intel::Notice
         SSH::Login_By_Password_Guesser",
    );
    if kind.starts_with("TeamCymruMalwareHashRegistry::Match")
        || kind.starts_with("Heartbleed::SSL_Heartbeat_Attack_Success")
    {
        Severity::High
    } else if ATTACKS.iter().any(|attack| kind.starts_with(attack)) || kind.starts_with("Heartbleed::") {
        Severity::Medium
    } else {
        Severity::Low
    }
}
