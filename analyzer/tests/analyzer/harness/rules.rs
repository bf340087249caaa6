//! Rules for these tests: SSH logins as a pack would have them, and one rule for each sign.

/// Failed logins, many of them, by many names, and a login after them; all one family.
pub(crate) const LOGINS: &str = r"
title: Failed login
id: 00000000-0000-4000-8000-000000000001
name: login_failed
logsource: {product: linux, service: sshd}
detection: {selection: {event.action: ssh_login_failed}, condition: selection}
level: low
tags: [attack.credential-access, attack.t1110]
---
title: Login
id: 00000000-0000-4000-8000-000000000002
name: login_succeeded
logsource: {product: linux, service: sshd}
detection: {selection: {event.action: ssh_login_succeeded}, condition: selection}
level: informational
---
title: Many failed logins
id: 00000000-0000-4000-8000-000000000003
name: force
correlation:
  type: event_count
  rules: [login_failed]
  group-by: [client.address]
  timespan: 5m
  condition: {gte: 5}
level: medium
tags: [attack.credential-access, attack.t1110.001]
incident_family: logins
next_steps: [Look for a login from the address.]
---
title: Failed logins by many names
id: 00000000-0000-4000-8000-000000000004
name: spray
correlation:
  type: value_count
  rules: [login_failed]
  group-by: [client.address]
  timespan: 5m
  condition: {field: user.name, gte: 4}
level: medium
tags: [attack.credential-access, attack.t1110.003]
incident_family: logins
---
title: Login after many failed ones
id: 00000000-0000-4000-8000-000000000005
generate: true
correlation:
  type: temporal_ordered
  rules: [force, login_succeeded]
  group-by: [client.address]
  timespan: 10m
level: high
tags: [attack.initial-access, attack.t1078]
incident_family: logins
raises_severity: true
";

/// A rule that matches records of a sign, about their client address.
pub(crate) fn sign(number: u32, sign: &str, more: &str) -> String {
    format!(
        "\n---\ntitle: Sign {sign}\nid: 00000000-0000-4000-8000-0000000001{number:02}\nname: {sign}\n\
         logsource: {{category: application}}\n\
         detection: {{selection: {{sign: {sign}}}, condition: selection}}\n{more}\n"
    )
}

/// One critical sign: each entity it matches for is an incident, however many there are.
pub(crate) fn critical() -> String {
    sign(1, "loud", "level: critical\ntags: [attack.execution]\nincident_family: loud")
}

/// Logins, a high sign and three medium ones.
pub(crate) fn all() -> String {
    let mut rules = LOGINS.to_owned();
    rules += &sign(1, "loud", "level: high\ntags: [attack.execution]\nincident_family: loud");
    for (number, name) in [(2, "odd"), (3, "strange"), (4, "queer")] {
        rules += &sign(number, name, "level: medium");
    }
    rules
}
