//! Public data of a contributor from the code host, within [`MOST_REQUESTS`] requests.
//!
//! The rights of an installation show its private repositories too. A repository therefore counts only after the host has confirmed
//! it as public, in its own listing or by a request; what cannot be confirmed is dropped, with everything in it. The requests
//! are: profile 1, pull requests 5, events 3, signing keys 2, organizations 1, repositories 1, files of reviewed pull requests
//! 10, confirmations 37. Renewals of tokens, redirects and repetitions after a pause are beside them.
//!
//! The size of replies is a choice of the contributor, whose texts are in them: no text makes a scan fail.

mod evidence;

use std::collections::{HashMap, HashSet};

use code_host::{
    Access, AccountKind, CodeHost, FoundPullRequests, FullName, HostError, Listing, PublicEvent, PullRequest,
    PullRequestQuery, SigningKey, User,
};
use common::timestamp::Timestamp;
use thiserror::Error;

use crate::artifact::Evidence;
use crate::facts::{Activity, Facts, Pull, Relation, Reviewed, has_text, names_issue};
use crate::login::ContributorLogin;
use crate::review::{DiffChecks, check};
use evidence::evidence;

/// Most requests of a scan (design: contributor trust).
pub(crate) const MOST_REQUESTS: usize = 60;
/// Items of a page of the host.
const PAGE: usize = 100;
/// Pull requests that are read: two pages.
const MOST_PULLS: usize = 2 * PAGE;
/// Pull requests that are read where the texts of more are too large for a reply: 65,536 characters each, of up to six bytes in
/// JSON, below 8 MiB.
const FEWER_PULLS: usize = 20;
/// Events that are read: the host keeps no more.
const MOST_EVENTS: usize = 3 * PAGE;
/// Pull requests whose diff is reviewed, and files of each: one page.
pub(crate) const MOST_REVIEWED: usize = 10;
/// Requests that confirm a repository.
const MOST_CONFIRMATIONS: usize = MOST_REQUESTS - 13 - MOST_REVIEWED;

/// Events of a review.
const REVIEWS: [&str; 2] = ["PullRequestReviewEvent", "PullRequestReviewCommentEvent"];

/// Reason why there is no data.
#[derive(Debug, Error)]
pub(crate) enum GatherError {
    /// The host.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The login is an organization.
    #[error("the login names an organization, not a contributor")]
    NotAContributor,
    /// The diff cannot be analyzed at the moment.
    #[error(transparent)]
    Analysis(#[from] threads::ThreadsError),
}

/// The data.
pub(crate) struct Gathered {
    /// As the host spells it.
    pub(crate) login: String,
    pub(crate) facts: Facts,
    pub(crate) evidence: Vec<Evidence>,
}

/// Analyzes diffs on a thread of their own.
pub(crate) type Analyzer = threads::Threads<()>;

/// Reads everything about a login by the rights of an installation.
pub(crate) async fn gather(
    host: &dyn CodeHost,
    analyzer: &Analyzer,
    access: Access,
    (login, now): (&ContributorLogin, Timestamp),
) -> Result<Gathered, GatherError> {
    let user = host.user(access, login.hosted()).await?;
    if user.kind == AccountKind::Organization {
        return Err(GatherError::NotAContributor);
    }
    let organizations = host.organizations_of_user(access, login.hosted(), PAGE).await?.items;
    let own: HashSet<String> = organizations.iter().map(|one| one.login.to_lowercase()).collect();
    let mut reader = Reader { host, access, known: HashMap::new(), confirmations: MOST_CONFIRMATIONS };
    let owned = host.repositories_of_user(access, login.hosted(), PAGE).await?.items;
    let owned = owned.into_iter().filter(|one| !one.private);
    let mut repositories = Vec::new();
    for one in owned {
        reader.known.insert(key(&one.full_name), true);
        repositories.extend(one.created_at);
    }
    let query = PullRequestQuery { author: login.hosted().clone(), repository: None, state: None };
    let FoundPullRequests { listing, is_partial } = match search(host, access, &query).await {
        Err(HostError::TooLarge { .. }) => host.search_pull_requests(access, &query, FEWER_PULLS).await?,
        found => found?,
    };
    let (pulls, known_since) = reader.public_pulls(listing, &user).await?;
    let relation = |pull: &PullRequest| relation(pull, &user, &own);
    let (mut reviews, mut shown) = (Vec::new(), Vec::new());
    for pull in pulls.iter().take(MOST_REVIEWED) {
        let (checks, evidence) = reader.review(analyzer, pull).await?;
        let text = format!("{}\n{}", pull.title, pull.body);
        let (has_body, names_issue) = (has_text(&pull.body), names_issue(&text));
        reviews.push(Reviewed { relation: relation(pull), has_body, names_issue, checks });
        shown.push(evidence);
    }
    let events = match host.events_of_user(access, login.hosted(), MOST_EVENTS).await {
        // Events only raise a score.
        Err(HostError::TooLarge { .. }) => Listing { items: Vec::new(), is_complete: false },
        events => events?,
    };
    let keys = host.signing_keys(access, login.hosted(), PAGE).await?.items;
    let facts = Facts {
        now,
        created_at: user.created_at,
        followers: user.followers,
        signing_keys: keys.iter().filter(|key| is_valid(key, now)).count(),
        organizations: organizations.len(),
        repositories,
        activity: reader.public_activity(events).await?,
        pulls: pulls.iter().map(|pull| fact(pull, relation(pull))).collect(),
        is_partial,
        known_since,
        reviews,
    };
    Ok(Gathered { login: user.login, facts, evidence: shown })
}

/// Searches for pull requests, once more where the host ended the first search early: its time limit depends on its load.
async fn search(
    host: &dyn CodeHost,
    access: Access,
    query: &PullRequestQuery,
) -> Result<FoundPullRequests, HostError> {
    let first = host.search_pull_requests(access, query, MOST_PULLS).await?;
    if !first.is_partial {
        return Ok(first);
    }
    match host.search_pull_requests(access, query, MOST_PULLS).await {
        // The rate of searches is much lower than that of other requests, and a partial result can be used.
        Err(HostError::RateLimited { .. }) => Ok(first),
        Ok(second) if second.is_partial && second.listing.items.len() < first.listing.items.len() => {
            Ok(first)
        }
        second => second,
    }
}

/// The host, and the repositories about which it was asked.
struct Reader<'h> {
    host: &'h dyn CodeHost,
    access: Access,
    /// Whether a repository is public, by its name in lower case.
    known: HashMap<String, bool>,
    /// Confirmations that are left.
    confirmations: usize,
}

impl Reader<'_> {
    /// Whether a repository is public; `None` where no request is left to find out.
    async fn is_public(&mut self, name: &FullName) -> Result<Option<bool>, HostError> {
        if let Some(known) = self.known.get(&key(name)) {
            return Ok(Some(*known));
        }
        let Some(left) = self.confirmations.checked_sub(1) else { return Ok(None) };
        self.confirmations = left;
        let is_public = match self.host.repository(self.access, name).await {
            Ok(found) => !found.private,
            Err(HostError::NotFound(_) | HostError::Denied(_) | HostError::Unexpected { .. }) => false,
            Err(HostError::TooLarge { .. }) => false,
            Err(error) => return Err(error),
        };
        self.known.insert(key(name), is_public);
        Ok(Some(is_public))
    }

    /// The pull requests in public repositories, and the time since which these are all of them.
    async fn public_pulls(
        &mut self,
        found: Listing<PullRequest>,
        user: &User,
    ) -> Result<(Vec<PullRequest>, Timestamp), HostError> {
        let oldest = found.items.iter().map(|pull| pull.created_at).min();
        let mut since = oldest.filter(|_| !found.is_complete).unwrap_or(user.created_at);
        let mut public = Vec::new();
        for pull in found.items {
            match self.is_public(&pull.repository).await? {
                Some(true) => public.push(pull),
                Some(false) => {}
                None => since = since.max(pull.created_at),
            }
        }
        public.sort_by_key(|pull| std::cmp::Reverse(pull.created_at));
        // Of up to 64 KiB each, and read of the reviewed ones only.
        public.iter_mut().skip(MOST_REVIEWED).for_each(|pull| pull.body = String::new());
        Ok((public, since))
    }

    async fn public_activity(&mut self, events: Listing<PublicEvent>) -> Result<Vec<Activity>, HostError> {
        let mut activity = Vec::new();
        for event in events.items.into_iter().filter(|event| event.public) {
            let Some(repository) = &event.repository else { continue };
            if self.is_public(repository).await? == Some(true) {
                let is_review = REVIEWS.contains(&event.kind.as_str());
                activity.push(Activity { at: event.created_at, is_review });
            }
        }
        Ok(activity)
    }

    /// Checks the diff of a pull request; one that cannot be read is inconclusive.
    async fn review(
        &self,
        analyzer: &Analyzer,
        pull: &PullRequest,
    ) -> Result<(DiffChecks, Evidence), GatherError> {
        let files = self.host.pull_request_files(self.access, &pull.repository, pull.number, PAGE).await;
        let files = match files {
            Ok(files) => files,
            Err(
                HostError::NotFound(_)
                | HostError::Denied(_)
                | HostError::TooLarge { .. }
                | HostError::Unexpected { .. },
            ) => Listing { items: Vec::new(), is_complete: false },
            Err(error) => return Err(error.into()),
        };
        let paths: Vec<String> = files.items.iter().map(|file| file.path.clone()).collect();
        let checks = analyzer.run(move |()| check(&files.items, files.is_complete)).await?;
        Ok((checks, evidence(pull, paths, checks)))
    }
}

fn key(name: &FullName) -> String {
    name.as_str().to_lowercase()
}

/// The relation of the author to the repository.
fn relation(pull: &PullRequest, user: &User, own: &HashSet<String>) -> Relation {
    let owner = pull.repository.owner().to_lowercase();
    if user.kind == AccountKind::Bot || owner == user.login.to_lowercase() || own.contains(&owner) {
        return Relation::Own;
    }
    match pull.author_association.as_str() {
        "OWNER" | "MEMBER" | "COLLABORATOR" | "CONTRIBUTOR" => Relation::Known,
        _ => Relation::Stranger,
    }
}

fn fact(pull: &PullRequest, relation: Relation) -> Pull {
    let repository = key(&pull.repository);
    Pull { repository, state: pull.state, created_at: pull.created_at, relation }
}

fn is_valid(key: &SigningKey, now: Timestamp) -> bool {
    !key.revoked && key.expires_at.is_none_or(|expiry| expiry > now)
}

#[cfg(test)]
mod tests;
