//! The demo's report: the incidents, worst first, and the lines that each came from.

use std::io::IsTerminal;
use std::path::Path;

use serde_json::Value;

use super::child::FirstRun;

/// Lines of evidence shown per incident.
const SHOWN_EVIDENCE: usize = 3;
/// Characters of a line of evidence that are shown.
const SHOWN_CHARACTERS: usize = 140;

/// Prints the incidents, most severe first.
pub(super) fn tell(details: &[Value]) -> String {
    let mut sorted: Vec<&Value> = details.iter().collect();
    sorted.sort_by_key(|incident| std::cmp::Reverse(rank(text(&incident["severity"]))));
    let head = format!("{} incidents, most severe first\n", sorted.len());
    std::iter::once(head).chain(sorted.into_iter().map(incident)).collect::<Vec<_>>().join("\n")
}

fn incident(incident: &Value) -> String {
    let assessment = &incident["assessment"];
    let mut lines = vec![
        format!("{:<9} {}", text(&incident["severity"]).to_uppercase(), text(&incident["title"])),
        format!("          {}", text(&assessment["summary"])),
    ];
    let rules = list(&assessment["rules"]).iter().map(|rule| text(&rule["title"])).collect::<Vec<_>>();
    lines.push(format!("   found  by {}; techniques {}", rules.join(", "), words(&assessment["techniques"])));
    lines.push(format!(
        "    from  source {}, {} events, entity {} {}",
        text(&incident["source"]["name"]),
        incident["event_count"],
        text(&incident["entity"]["kind"]),
        text(&incident["entity"]["value"]),
    ));
    for evidence in list(&incident["evidence"]).iter().take(SHOWN_EVIDENCE) {
        let message: String = text(&evidence["message"]).chars().take(SHOWN_CHARACTERS).collect();
        lines.push(format!("          {}  {message}", text(&evidence["event_time"])));
    }
    for step in list(&assessment["next_steps"]).iter().take(2) {
        lines.push(format!("    next  {}", text(step)));
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Next steps.
pub(super) fn where_to_go_on(first_run: &FirstRun, file: &Path) -> String {
    let FirstRun { base_url, api_key, logs_url } = first_run;
    // Output to anything but a terminal may be stored.
    let (api_key, hint) = if std::io::stdout().is_terminal() {
        (api_key.as_str(), String::new())
    } else {
        ("API_KEY", format!("\n  The API key is in {}\n", file.display()))
    };
    format!(
        "The server runs until you press Ctrl-C.\n\n  curl -sS -H 'Authorization: Bearer {api_key}' \
        {base_url}/incidents\n{hint}\n  Logs go to {logs_url}\n"
    )
}

fn rank(severity: &str) -> u8 {
    match severity {
        "critical" => 4,
        "high" => 3,
        "medium" => 2,
        "low" => 1,
        _ => 0,
    }
}

fn words(list: &Value) -> String {
    self::list(list).iter().map(text).collect::<Vec<_>>().join(", ")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
