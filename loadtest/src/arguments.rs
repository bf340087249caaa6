//! Values of the command line.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

/// The binary under test, and the seed of the run on it.
#[derive(Clone, Debug, Args)]
pub struct Trial {
    /// The `palisade` binary under test.
    #[arg(long, value_name = "PATH")]
    pub binary: PathBuf,
    /// Seed of the random choices; the timing of the processes is not repeated [default: a new one, printed].
    #[arg(long)]
    pub seed: Option<u64>,
}

/// Seconds of a run or of a part of it, bounded by a day.
///
/// # Errors
/// A text that is no such number.
pub fn seconds(text: &str) -> Result<Duration, String> {
    between(text, 0.05, 86_400.0).map(Duration::from_secs_f64)
}

/// A number within bounds, both included.
///
/// # Errors
/// Any other text.
pub fn between(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("expected a number from {least} to {most}, found {text:?}"))
}

/// A parser of such numbers, for the command line.
pub fn number(least: f64, most: f64) -> impl Fn(&str) -> Result<f64, String> + Clone {
    move |text: &str| between(text, least, most)
}

/// The loopback address and port of a server's URL, `http://127.0.0.1:8080`.
///
/// # Errors
/// Any other text; see [`loopback`].
pub fn origin(text: &str) -> Result<SocketAddr, String> {
    let rest = text
        .strip_prefix("http://")
        .ok_or_else(|| format!("expected http://ADDRESS:PORT, found {text:?}"))?;
    loopback_port(&rest.trim_end_matches('/').replace("localhost:", "127.0.0.1:"))
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
    fn only_this_machine_has_an_address() {
        assert_eq!(origin("http://127.0.0.1:8080/"), Ok(SocketAddr::from(([127, 0, 0, 1], 8080))));
        assert!(origin("http://localhost:8080").is_ok());
        assert!(origin("http://192.0.2.1:8080").unwrap_err().contains("not a loopback address"));
        for other in ["127.0.0.1:8080", "https://127.0.0.1:8080"] {
            assert!(origin(other).is_err(), "{other}");
        }
    }

    #[test]
    fn a_run_is_bounded_in_time() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for other in ["0", "-1", "NaN", "inf", "1e9", "soon"] {
            assert!(seconds(other).is_err(), "{other}");
        }
    }
}
