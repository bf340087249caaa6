//! The interface: a client for all registries.

use std::sync::Arc;

use common::clock::SharedClock;
use outbound::{Budget, Outbound, Rate, Requester};
use versions::{Ecosystem, normalized_name};

use crate::actions::ActionHost;
use crate::cache::Cache;
use crate::config::{Config, Registry};
use crate::error::RegistryError;
use crate::package::Package;

/// Client for all registries.
pub struct Registries {
    pub(crate) outbound: Arc<Outbound>,
    pub(crate) config: Config,
    pub(crate) cache: Cache,
    pub(crate) clock: SharedClock,
    actions: Option<Arc<dyn ActionHost>>,
}

/// On whose behalf, and within which limits, requests are made.
#[derive(Clone)]
pub struct Access {
    /// Whose share of look-ups and connections is used.
    pub requester: Requester,
    /// Requests and bytes that several calls share.
    pub budget: Option<Arc<Budget>>,
    /// A rate that several calls share.
    pub rate: Option<Arc<Rate>>,
}

impl From<Requester> for Access {
    fn from(requester: Requester) -> Self {
        Self { requester, budget: None, rate: None }
    }
}

impl Registries {
    /// A client. Without `actions` there is no metadata of GitHub Actions.
    #[must_use]
    pub fn new(
        config: Config,
        outbound: Arc<Outbound>,
        clock: SharedClock,
        actions: Option<Arc<dyn ActionHost>>,
    ) -> Self {
        let cache = Cache::new(config.cache_bytes);
        Self { outbound, config, cache, clock, actions }
    }

    /// Metadata of a package. Of Go, times and withdrawals are those of [`Registries::module_version`].
    ///
    /// # Errors
    /// [`RegistryError`].
    pub async fn package(
        &self,
        access: &Access,
        ecosystem: Ecosystem,
        name: &str,
    ) -> Result<Package, RegistryError> {
        let name = normalized_name(ecosystem, name)?;
        let found = match ecosystem {
            Ecosystem::Npm => self.npm(access, &name).await?,
            Ecosystem::Pypi => self.pypi(access, &name).await?,
            Ecosystem::Go => self.module(access, &name).await?,
            Ecosystem::RubyGems => self.gem(access, &name).await?,
            Ecosystem::Cargo => self.krate(access, &name).await?,
            Ecosystem::GitHubAction => self.action(access, &name).await?,
        };
        found.map(Package::finish).ok_or(RegistryError::NotFound { ecosystem, name })
    }

    /// The registry whose policy applies to archives.
    pub(crate) fn registry(&self, ecosystem: Ecosystem) -> Result<&Registry, RegistryError> {
        Ok(match ecosystem {
            Ecosystem::Npm => &self.config.npm,
            Ecosystem::Pypi => &self.config.pypi,
            Ecosystem::Go => &self.config.go,
            Ecosystem::RubyGems => &self.config.rubygems,
            Ecosystem::Cargo => &self.config.crates_index,
            Ecosystem::GitHubAction => return Err(RegistryError::NoRegistry { ecosystem }),
        })
    }

    async fn action(&self, access: &Access, name: &str) -> Result<Option<Package>, RegistryError> {
        let Some(host) = &self.actions else {
            return Err(RegistryError::NoRegistry { ecosystem: Ecosystem::GitHubAction });
        };
        crate::actions::package(host.as_ref(), access, name).await
    }
}
