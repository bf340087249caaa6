//! Selected sources that were deleted since: a target keeps their ids, and replies name them.

use std::collections::BTreeSet;

use code_host::{RepositoryState, repositories};
use common::ids::OrganizationId;
use directory::{Directory, Receiver, Resource, SourceFilter, SourceSelection, Table};
use rest::error::ApiError;

use super::view::WebhookView;

/// Targets as the API shows them. The sources of a group are read once for all targets, and only where one of them selects exact
/// sources of the group.
pub(super) async fn views(
    directory: &Directory,
    organization: OrganizationId,
    targets: Vec<Receiver>,
) -> Result<Vec<WebhookView>, ApiError> {
    let (mut named, mut known) = (BTreeSet::new(), BTreeSet::new());
    let exact = |group: fn(&SourceFilter) -> &SourceSelection| {
        targets.iter().any(|target| group(&target.sources).exact().next().is_some())
    };
    if exact(|filter| &filter.infrastructure) {
        known.extend(ids(directory.sources(), organization).await?);
    }
    if exact(|filter| &filter.applications) {
        known.extend(ids(directory.applications(), organization).await?);
    }
    if exact(|filter| &filter.agents) {
        known.extend(ids(directory.agents(), organization).await?);
    }
    if exact(|filter| &filter.repositories) {
        let all = repositories(directory).list(organization).await?;
        let with_access = all.iter().filter(|repository| repository.state != RepositoryState::Removed);
        known.extend(with_access.map(|repository| repository.id.to_string()));
    }
    let mut views = Vec::with_capacity(targets.len());
    for target in targets {
        named.clear();
        let SourceFilter { repositories, applications, agents, infrastructure } = &target.sources;
        for group in [repositories, applications, agents, infrastructure] {
            named.extend(group.exact().map(str::to_owned));
        }
        let deleted = named.difference(&known).cloned().collect();
        views.push(WebhookView::new(target, deleted));
    }
    Ok(views)
}

/// A target as the API shows it.
pub(super) async fn view(directory: &Directory, target: Receiver) -> Result<WebhookView, ApiError> {
    let organization = target.organization;
    let views = views(directory, organization, vec![target]).await?;
    views.into_iter().next().ok_or(ApiError::NotFound("webhook target"))
}

async fn ids<R: Resource<Id: ToString>>(
    table: Table<'_, R>,
    organization: OrganizationId,
) -> Result<impl Iterator<Item = String>, ApiError> {
    Ok(table.list(organization).await?.into_iter().map(|resource| resource.id().to_string()))
}
