//! The packet filter of pfSense and OPNsense: comma-separated values whose number depends on the protocol
//! (pfSense documentation, Raw Filter Log Format).

use super::{DESTINATION, SOURCE, end, of, traffic};
use crate::reading::Reading;

/// Reads the values; `None` if they are others.
pub(crate) fn read(line: &str) -> Option<Reading<'_>> {
    let mut values = line.trim().split(',');
    let (reason, action, direction) = (values.nth(5)?, values.next()?, values.next()?);
    let version = values.next()?;
    // Both versions have nine values up to the source, in another order.
    let (protocol, number) = match version {
        "4" => {
            let number = values.nth(6)?;
            (values.next()?, number)
        }
        "6" => {
            let protocol = values.nth(3)?;
            (protocol, values.next()?)
        }
        _ => return None,
    };
    let _length = values.next()?;
    let (from, to) = (values.next()?, values.next()?);
    let has_ports = matches!(number, "6" | "17");
    let (from_port, to_port) = if has_ports { (values.next()?, values.next()?) } else { ("", "") };
    let mut reading = of("pfsense", Some("firewall"), "filterlog");
    end(&mut reading, SOURCE, from, from_port)?;
    end(&mut reading, DESTINATION, to, to_port)?;
    match action {
        "block" | "reject" => traffic(&mut reading, true),
        "pass" => traffic(&mut reading, false),
        _ => return None,
    }
    // Of outgoing packets it is itself the source.
    if direction == "in" {
        end(&mut reading, ["client.address", "client.port"], from, from_port);
    }
    let known = ["tcp", "udp", "icmp"].into_iter().find(|known| protocol.eq_ignore_ascii_case(known));
    reading.text("network.transport", known.unwrap_or_default());
    reading.text("event.reason", reason);
    Some(reading)
}
