//! Values of the command line.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// Seconds of a run or of a part of it, bounded by a day.
///
/// # Errors
/// A text that is no such number.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| (0.05..=86_400.0).contains(seconds));
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("expected seconds from 0.05 to 86400, found {text:?}"))
}

/// A loopback address: a tool that sends attacks must not be pointed at other machines.
///
/// # Errors
/// Any other address.
pub fn loopback(text: &str) -> Result<IpAddr, String> {
    let address: IpAddr = text.parse().map_err(|_| format!("expected an IP address, found {text:?}"))?;
    if !address.is_loopback() {
        return Err(format!(
            "{address} is not a loopback address: this tool loads its own server on this machine only"
        ));
    }
    Ok(address)
}

/// A loopback address with a port.
///
/// # Errors
/// See [`loopback`].
pub fn loopback_port(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr =
        text.parse().map_err(|_| format!("expected an IP address and a port, found {text:?}"))?;
    loopback(&address.ip().to_string())?;
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_loaded() {
        assert!(loopback("127.0.0.1").is_ok() && loopback("::1").is_ok());
        for other in ["0.0.0.0", "192.0.2.1", "::", "2001:db8::1"] {
            assert!(loopback(other).unwrap_err().contains("not a loopback address"), "{other}");
        }
        assert!(loopback("localhost").is_err());
        assert!(loopback_port("127.0.0.1:9092").is_ok());
        assert!(loopback_port("192.0.2.1:9092").unwrap_err().contains("not a loopback address"));
    }

    #[test]
    fn a_run_is_bounded_in_time() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for other in ["0", "-1", "NaN", "inf", "1e9", "soon"] {
            assert!(seconds(other).is_err(), "{other}");
        }
    }
}
