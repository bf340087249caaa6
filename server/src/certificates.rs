//! The configured certificates, keys and authorities: each is opened and checked in the same way by `serve`,
//! `doctor` and `config check`.

use std::path::Path;
use std::time::Duration;

use common::timestamp::Timestamp;
use process::certificates::{self, CertificateError};
use process::settings::named;
use thiserror::Error;

use crate::settings::Settings;

/// Time of the warning before the expiry of a certificate: two weeks leave time for a slow authority.
pub(crate) const WARN_BEFORE: Duration = Duration::from_secs(14 * 24 * 3_600);

/// A certificate of the product and its key.
pub(crate) struct Pair<'a> {
    /// Its connections: listener, kafka or ledger.
    pub(crate) used_for: &'static str,
    /// Dotted key of the setting.
    pub(crate) setting: &'static str,
    /// PEM file with the chain.
    pub(crate) certificate: &'a Path,
    /// PEM file with the private key.
    pub(crate) key: &'a Path,
}

/// Reason why a configured file cannot be used.
#[derive(Debug, Error)]
pub(crate) enum FileError {
    /// It is missing or malformed, or certificate and key do not belong together.
    #[error("setting {}", named(setting))]
    Unusable {
        /// Dotted key.
        setting: &'static str,
        /// The cause.
        source: CertificateError,
    },
    /// It has expired or is not yet valid.
    #[error("setting {}: {path} {when}; replace it, then SIGHUP the process", named(setting))]
    Invalid {
        /// Dotted key.
        setting: &'static str,
        /// The file.
        path: String,
        /// Start or end of its validity.
        when: String,
    },
}

/// The configured pairs.
pub(crate) fn pairs(settings: &Settings) -> Vec<Pair<'_>> {
    let mut pairs = Vec::new();
    if let Some(tls) = &settings.listen.tls {
        let (certificate, key) = (tls.certificate_file.as_path(), tls.key_file.as_path());
        pairs.push(Pair { used_for: "listener", setting: "listen.tls.certificate_file", certificate, key });
    }
    let kafka = settings.kafka.as_ref().and_then(|kafka| kafka.tls.as_ref());
    if let Some((Some(certificate), Some(key))) =
        kafka.map(|tls| (tls.certificate.as_deref(), tls.key.as_deref()))
    {
        pairs.push(Pair { used_for: "kafka", setting: "kafka.tls.certificate", certificate, key });
    }
    let cql = settings.cql.as_ref().and_then(|cql| cql.tls.as_ref());
    if let Some((Some(certificate), Some(key))) =
        cql.map(|tls| (tls.certificate.as_deref(), tls.key.as_deref()))
    {
        pairs.push(Pair { used_for: "ledger", setting: "cql.tls.certificate", certificate, key });
    }
    pairs
}

/// Configured files of authorities, by the dotted key.
fn authorities(settings: &Settings) -> impl Iterator<Item = (&'static str, &Path)> {
    let kafka = settings.kafka.as_ref().and_then(|kafka| kafka.tls.as_ref()?.authorities.as_deref());
    let cql = settings.cql.as_ref().and_then(|cql| cql.tls.as_ref()?.authorities.as_deref());
    let outbound = settings.outbound.authorities_file.as_deref();
    [("kafka.tls.authorities", kafka), ("cql.tls.authorities", cql), ("outbound.authorities_file", outbound)]
        .into_iter()
        .filter_map(|(setting, path)| Some((setting, path?)))
}

impl Pair<'_> {
    /// Opens both files and compares them; returns the expiry time of the certificate.
    ///
    /// # Errors
    /// [`FileError::Unusable`].
    pub(crate) fn end(&self) -> Result<Timestamp, FileError> {
        self.open().map(|valid| from_seconds(valid.not_after))
    }

    /// The same; a certificate that is not valid now is refused.
    fn check(&self, now: Timestamp) -> Result<Timestamp, FileError> {
        let valid = self.open()?;
        let (begin, end) = (from_seconds(valid.not_before), from_seconds(valid.not_after));
        let when = if end < now {
            format!("expired at {}", end.to_iso())
        } else if begin > now {
            format!("is not valid before {}", begin.to_iso())
        } else {
            return Ok(end);
        };
        let path = self.certificate.display().to_string();
        Err(FileError::Invalid { setting: self.setting, path, when })
    }

    fn open(&self) -> Result<certificates::Validity, FileError> {
        let unusable = |source| FileError::Unusable { setting: self.setting, source };
        certificates::check_pair(self.certificate, self.key).map_err(unusable)?;
        certificates::validity(self.certificate).map_err(unusable)
    }
}

/// Checks every configured file; returns, for each certificate of the product, the setting and the expiry time.
///
/// # Errors
/// [`FileError`], which names the setting and the file.
pub(crate) fn check(
    settings: &Settings,
    now: Timestamp,
) -> Result<Vec<(&'static str, Timestamp)>, FileError> {
    for (setting, path) in authorities(settings) {
        // Bundles may contain expired authorities, which are ignored one by one.
        certificates::validity(path).map_err(|source| FileError::Unusable { setting, source })?;
    }
    pairs(settings).iter().map(|pair| Ok((pair.setting, pair.check(now)?))).collect()
}

fn from_seconds(seconds: i64) -> Timestamp {
    Timestamp(seconds.saturating_mul(1_000_000_000))
}
