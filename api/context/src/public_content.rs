//! Public content, which is found by its name and belongs to no organization: pages, packages, repositories. It is scanned in tiers, by a
//! job or while the client waits, and its results are shared by all organizations.
//!
//! The code host is read by the connection of the organization that asks. A result that depends on that connection, because it failed or is
//! missing, is one of that organization alone, and so is the state of a scan that uses it: a shared result has only facts that every
//! organization would get.

use common::timestamp::Timestamp;
use outbound::Requester;
use versions::Ecosystem;

use crate::artifact::Origin;
use crate::record::Subject;
use crate::repository::HostFailure;
use crate::scanner::Scanner;
use crate::score::Assessment;
use crate::{package, repository, web_page};

/// A public content by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PublicContent {
    /// A page by host and path.
    WebPage(web_page::Target),
    /// A release of a package.
    Package(package::Target),
    /// A skill or an MCP server.
    Repository(repository::Target),
}

impl PublicContent {
    /// Reads a target: host and path of a page, `ecosystem:name@version` of a package.
    ///
    /// # Errors
    /// The expected form.
    pub(crate) fn parse(origin: Origin, target: &str) -> Result<Self, String> {
        match origin {
            Origin::WebPage => Ok(Self::WebPage(web_page::Target::parse(target)?)),
            Origin::Package => Ok(Self::Package(package::Target::parse(target)?)),
            Origin::Skill => {
                Ok(Self::Repository(repository::Target::canonical(repository::Kind::Skill, target)?))
            }
            Origin::Mcp => {
                Ok(Self::Repository(repository::Target::canonical(repository::Kind::Server, target)?))
            }
            Origin::Email | Origin::Message | Origin::File => {
                Err(format!("expected public content, found the origin {}", origin.as_str()))
            }
        }
    }

    /// The content of a stored result; none for private ones.
    pub(crate) fn of(subject: &Subject) -> Option<Self> {
        let target = match subject.origin {
            Origin::WebPage => &subject.identifier,
            _ => &subject.name,
        };
        Self::parse(subject.origin, target).ok()
    }

    /// Its origin.
    pub(crate) fn origin(&self) -> Origin {
        match self {
            Self::WebPage(_) => Origin::WebPage,
            Self::Package(_) => Origin::Package,
            Self::Repository(target) => target.origin(),
        }
    }

    /// Whether nothing of it can be read without a connection of the organization to the code host.
    pub(crate) fn needs_code_host(&self) -> bool {
        match self {
            Self::WebPage(_) => false,
            Self::Package(target) => target.ecosystem() == Ecosystem::GitHubAction,
            Self::Repository(_) => true,
        }
    }

    /// Its text, as [`PublicContent::parse`] reads it.
    pub(crate) fn target(&self) -> String {
        match self {
            Self::WebPage(target) => target.identifier().to_owned(),
            Self::Package(target) => target.to_string(),
            Self::Repository(target) => target.to_string(),
        }
    }

    /// Identifier of its result.
    pub(crate) fn identifier(&self) -> String {
        self.subject().identifier
    }

    /// Identifier and label.
    pub(crate) fn subject(&self) -> Subject {
        match self {
            Self::WebPage(target) => target.subject(),
            Self::Package(target) => target.subject(),
            Self::Repository(target) => target.subject(),
        }
    }

    /// The identity tier, which is answered while the content is scanned.
    pub(crate) async fn preliminary(
        &self,
        scanner: &Scanner,
        requester: Requester,
        now: Timestamp,
    ) -> Assessment {
        let assessment = match self {
            Self::WebPage(target) => {
                web_page::Scan::new(scanner, requester.organization(), target, now).preliminary().await
            }
            Self::Package(target) => package::preliminary(scanner, requester, target, now).await,
            Self::Repository(target) => {
                repository::preliminary(scanner, requester.organization(), target, now).await
            }
        };
        let is_of_connection =
            assessment.is_of_connection || assessment.is_pending && self.uses_connection(scanner);
        Assessment { is_of_connection, ..assessment }
    }

    /// Whether a scan uses the connection of the organization that asks.
    pub(crate) fn uses_connection(&self, scanner: &Scanner) -> bool {
        !matches!(self, Self::WebPage(_)) && scanner.repositories.is_some()
    }

    /// The result of a scan that cannot be completed; none where the preliminary one stays.
    pub(crate) fn failed(&self, scanner: &Scanner, failure: &HostFailure) -> Option<Assessment> {
        match self {
            Self::WebPage(_) => None,
            Self::Package(target) => Some(package::unscannable(&scanner.engine, target, failure)),
            Self::Repository(target) => Some(repository::unread(&scanner.engine, target, failure)),
        }
    }

    /// The tiers whose result is known early.
    pub(crate) async fn begin(&self, scanner: &Scanner, requester: Requester, now: Timestamp) -> Begun {
        match self {
            Self::WebPage(target) => Begun::Page(Box::new(
                web_page::Scan::new(scanner, requester.organization(), target, now).begin().await,
            )),
            Self::Package(_) | Self::Repository(_) => Begun::Nothing,
        }
    }

    /// The rest of the scan.
    pub(crate) async fn finish(
        &self,
        scanner: &Scanner,
        requester: Requester,
        now: Timestamp,
        begun: Begun,
    ) -> Assessment {
        match (self, begun) {
            (Self::WebPage(target), Begun::Page(begun)) => {
                web_page::Scan::new(scanner, requester.organization(), target, now).finish(*begun).await
            }
            (Self::WebPage(target), Begun::Nothing) => {
                let scan = web_page::Scan::new(scanner, requester.organization(), target, now);
                scan.finish(scan.begin().await).await
            }
            (Self::Package(target), _) => package::whole(scanner, requester, target, now).await,
            (Self::Repository(target), _) => {
                repository::whole(scanner, requester.organization(), target, now).await
            }
        }
    }
}

/// A scan under way.
pub(crate) enum Begun {
    /// A page without its deep tier.
    Page(Box<web_page::Begun>),
    /// Nothing that is known early.
    Nothing,
}

impl Begun {
    /// The result so far, which is pending.
    pub(crate) fn assessment(&self) -> Option<Assessment> {
        match self {
            Self::Page(begun) => Some(begun.assessment()),
            Self::Nothing => None,
        }
    }
}
