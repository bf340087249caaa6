//! The format of a record, by the name that users know it under: the program or product that wrote it, or the notation it
//! is written in. The set is closed, so that formats can be counted and labelled.

mod evidence;

use sigma::event::LogSource;

pub(super) use self::evidence::Evidence;
use super::cloud_audit::Audit;
use super::reading::Reading;
use super::services;

/// The format that normalization recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Format(&'static str);

impl Format {
    /// Objects and pairs with names that the dictionary knows, of a product without a reader of its own.
    pub const FIELDS: Self = Self("JSON or key=value, fields recognised");
    /// A header of syslog before a message that no reader knows.
    pub const SYSLOG: Self = Self("syslog, program not recognised");
    /// A failed login in the words of a program without a reader of its own.
    pub const LOGIN_FAILURE: Self = Self("failed login, program not recognised");

    pub(super) const ACCESS_LOG: Self = Self("Apache or nginx access log");
    pub(super) const AUDITD: Self = Self("auditd");
    pub(super) const CEF: Self = Self("CEF");
    pub(super) const CISCO: Self = Self("Cisco");
    pub(super) const CRON: Self = Self("cron");
    pub(super) const ELB: Self = Self("AWS load balancer access log");
    pub(super) const ERROR_LOG: Self = Self("web server error log");
    pub(super) const F5: Self = Self("F5 BIG-IP");
    pub(super) const HAPROXY: Self = Self("HAProxy");
    pub(super) const HEROKU: Self = Self("Heroku router");
    pub(super) const KERNEL: Self = Self("Linux kernel");
    pub(super) const LEEF: Self = Self("LEEF");
    pub(super) const LINUX: Self = Self("Linux accounts and system services");
    pub(super) const NETFILTER: Self = Self("Linux firewall (netfilter)");
    pub(super) const OPENSSH: Self = Self("OpenSSH");
    pub(super) const PALO_ALTO: Self = Self("Palo Alto PAN-OS");
    pub(super) const PAM: Self = Self("PAM");
    pub(super) const PFSENSE: Self = Self("pfSense or OPNsense");
    pub(super) const REQUEST: Self = Self("HTTP requests as JSON");
    pub(super) const SECURITY_ALERT: Self = Self("security tool alert");
    pub(super) const SQUID: Self = Self("Squid access log");
    pub(super) const SU: Self = Self("su");
    pub(super) const SUDO: Self = Self("sudo");
    pub(super) const SYSTEMD: Self = Self("systemd");
    pub(super) const WEB_APPLICATION: Self = Self("web application access log");
    pub(super) const WEB_FIREWALL: Self = Self("web application firewall");
    pub(super) const DNS: Self = Self("DNS query log");
    pub(super) const WINDOWS: Self = Self("Windows event");

    const OTHERS: [Self; 39] = [
        Self::FIELDS,
        Self::SYSLOG,
        Self::LOGIN_FAILURE,
        Self::ACCESS_LOG,
        Self::AUDITD,
        Self::CEF,
        Self::CISCO,
        Self::CRON,
        Self::ELB,
        Self::ERROR_LOG,
        Self::F5,
        Self::HAPROXY,
        Self::HEROKU,
        Self::KERNEL,
        Self::LEEF,
        Self::LINUX,
        Self::NETFILTER,
        Self::OPENSSH,
        Self::PALO_ALTO,
        Self::PAM,
        Self::PFSENSE,
        Self::REQUEST,
        Self::SECURITY_ALERT,
        Self::SQUID,
        Self::SU,
        Self::SUDO,
        Self::SYSTEMD,
        Self::WEB_APPLICATION,
        Self::WEB_FIREWALL,
        Self::DNS,
        Self::WINDOWS,
        Self::of_audit(Audit::CloudTrail),
        Self::of_audit(Audit::Kubernetes),
        Self::of_audit(Audit::Google),
        Self::of_audit(Audit::Okta),
        Self::of_audit(Audit::GitHub),
        Self::of_audit(Audit::GitLab),
        Self::of_audit(Audit::Azure),
        Self::of_audit(Audit::Workspace),
    ];

    /// Every format.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::OTHERS.into_iter().chain(services::titles().map(Self))
    }

    /// The name that users know.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }

    pub(super) const fn of_audit(audit: Audit) -> Self {
        Self(match audit {
            Audit::CloudTrail => "AWS CloudTrail",
            Audit::Kubernetes => "Kubernetes audit",
            Audit::Google => "Google Cloud audit log",
            Audit::Okta => "Okta system log",
            Audit::GitHub => "GitHub audit log",
            Audit::GitLab => "GitLab audit log",
            Audit::Azure => "Azure activity or Entra ID log",
            Audit::Workspace => "Google Workspace audit log",
        })
    }

    /// A service with a table of wordings.
    pub(super) fn of_service(service: &str) -> Option<Self> {
        services::title(service).map(Self)
    }

    /// The format of a line by the service that wrote it, whether or not the line was read; else by the reading.
    pub(super) fn of_line(service: Option<&str>, reading: &Reading<'_>) -> Option<Self> {
        let Some(service) = service else { return Self::of_reading(reading) };
        let known = match service {
            "sshd" => Self::OPENSSH,
            "sudo" => Self::SUDO,
            "su" => Self::SU,
            "cron" => Self::CRON,
            "systemd" | "systemd-logind" => Self::SYSTEMD,
            "haproxy" => Self::HAPROXY,
            "filterlog" => Self::PFSENSE,
            "nginx" | "apache" => return Some(Self::of_reading(reading).unwrap_or(Self::ERROR_LOG)),
            "kernel" if reading.is_empty() => Self::KERNEL,
            _ if reading.is_empty() => return Self::of_unread(service, reading),
            _ => return Self::of_reading(reading).or_else(|| Self::of_unread(service, reading)),
        };
        Some(known)
    }

    /// A line of a known program whose wording is not about access.
    fn of_unread(service: &str, reading: &Reading<'_>) -> Option<Self> {
        match service {
            // Names that programs without a table have, too.
            "audit" | "login" | "php-fpm" | "SYSTEM" => {}
            _ => {
                if let Some(service) = services::of_program(service) {
                    return Self::of_service(service);
                }
            }
        }
        match reading.log_source.product.as_deref() {
            Some("linux") => Some(Self::LINUX),
            _ => None,
        }
    }

    /// The format by the log source that a reader stated.
    pub(super) fn of_reading(reading: &Reading<'_>) -> Option<Self> {
        let LogSource { product, category, service } = &reading.log_source;
        if product.is_none() && category.is_none() && service.is_none() {
            return None;
        }
        let [product, category, service] =
            [product, category, service].map(|word| word.as_deref().unwrap_or_default());
        Some(match (category, product, service) {
            ("alert" | "malware_alert", ..) => Self::SECURITY_ALERT,
            ("webserver", _, "aws_waf" | "cloudflare" | "modsecurity") => Self::WEB_FIREWALL,
            (_, "aws", "elb") => Self::ELB,
            (_, "haproxy", _) => Self::HAPROXY,
            ("webserver", "gunicorn" | "radicale" | "tornado", _) => Self::WEB_APPLICATION,
            ("webserver", ..) => Self::ACCESS_LOG,
            ("proxy", ..) | ("authentication", "squid", _) => Self::SQUID,
            ("dns", ..) => Self::DNS,
            ("firewall", "linux", _) => Self::NETFILTER,
            (_, "cisco", _) => Self::CISCO,
            (_, "paloalto", _) => Self::PALO_ALTO,
            (_, "pfsense", _) => Self::PFSENSE,
            (_, "f5", _) => Self::F5,
            (_, "apache" | "nginx" | "php" | "tomcat" | "modsecurity", "") => Self::ERROR_LOG,
            (_, "linux", "sshd") => Self::OPENSSH,
            (_, "linux", "sudo") => Self::SUDO,
            (_, "linux", "su") => Self::SU,
            (_, "linux", "cron") => Self::CRON,
            ("authentication", "linux", _) => Self::PAM,
            ("authentication", _, service) => Self::of_service(service).unwrap_or(Self::LOGIN_FAILURE),
            (_, "linux", _) => Self::LINUX,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests;
