//! Lists in pages: each reply links to the next page (RFC 8288).

use std::collections::HashSet;

use serde::de::DeserializeOwned;
use url::Url;

use super::GitHub;
use super::request::{Answer, Request};
use super::tokens::Token;
use crate::host::{Access, HostError};
use crate::hosted::Listing;

/// Most pages of a list.
pub(super) const MOST_PAGES: usize = 100;
/// Items of a page: the most that GitHub gives.
pub(super) const PAGE: usize = 100;
/// Longest `Link` that is read: five links of the longest URLs.
const MAX_LINK: usize = 16 * 1024;

/// Rights by which a list is read.
pub(super) enum Reader<'t> {
    Installation(Access),
    User(&'t Token),
}

impl GitHub {
    /// Reads a list of at most `most` items, in as many requests as full pages need; `items` takes them out of a page.
    pub(super) async fn list<P: DeserializeOwned, T>(
        &self,
        reader: Reader<'_>,
        mut request: Request,
        most: usize,
        items: impl Fn(&Request, P) -> Result<Vec<T>, HostError> + Send + Sync,
    ) -> Result<Listing<T>, HostError>
    where
        T: Send,
    {
        let size = PAGE.min(most.max(1)).to_string();
        request.url.query_pairs_mut().append_pair("per_page", &size);
        let (mut all, mut seen) = (Vec::new(), HashSet::new());
        // Not more pages than so many items fill: some items of a page may be left out, and pages may be shorter.
        for _ in 0..most.div_ceil(PAGE).clamp(1, MOST_PAGES) {
            if !seen.insert(request.url.clone()) {
                return Err(request.unexpected("the links of the pages lead back to an earlier page"));
            }
            let Answer { body, link } = match &reader {
                Reader::Installation(access) => self.as_installation(*access, &request).await?,
                Reader::User(token) => self.as_user(token, &request).await?,
            };
            all.extend(items(&request, request.read(&body)?)?);
            if all.len() > most {
                return Ok(Listing::cut(all, most));
            }
            let Some(next) = link.as_deref().and_then(next) else { return Ok(Listing::complete(all)) };
            if all.len() == most {
                return Ok(Listing { items: all, is_complete: false });
            }
            request.url = self.on_same_host(&request, next)?;
        }
        Ok(Listing { items: all, is_complete: false })
    }

    fn on_same_host(&self, request: &Request, next: &str) -> Result<Url, HostError> {
        let url =
            request.url.join(next).map_err(|error| request.unexpected(format!("the next page: {error}")))?;
        if url.origin() != self.shared.api.url.origin() {
            let found = url.host_str().unwrap_or_default().to_owned();
            return Err(
                request.unexpected(format!("expected the next page on the same host, found {found:?}"))
            );
        }
        Ok(url)
    }
}

/// The target of the link with the relation `next`.
fn next(link: &str) -> Option<&str> {
    let mut rest = link.get(..MAX_LINK.min(link.len()))?;
    loop {
        let (_, after) = rest.split_once('<')?;
        let (target, after) = after.split_once('>')?;
        // Parameters end at a comma, which GitHub's values do not contain.
        let (parameters, others) = after.split_once(',').unwrap_or((after, ""));
        let is_next = parameters.split(';').filter_map(|parameter| parameter.trim().split_once('=')).any(
            |(name, value)| {
                name.trim().eq_ignore_ascii_case("rel")
                    && value
                        .trim()
                        .trim_matches('"')
                        .split_ascii_whitespace()
                        .any(|relation| relation == "next")
            },
        );
        if is_next {
            return Some(target);
        }
        rest = others;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_next_page_is_found_in_any_order() {
        let next_url = "https://api.github.com/repositories/1/commits?page=2";
        for link in [
            format!("<{next_url}>; rel=\"next\""),
            format!(
                "<https://a/?page=1>; rel=\"prev\", <{next_url}>; rel=\"next\", <https://a/?page=9>; rel=\"last\""
            ),
            format!("<https://a/>;rel=first,<{next_url}>;title=\"x\";rel=next"),
            format!("<{next_url}>; rel=\"last next\""),
        ] {
            assert_eq!(next(&link), Some(next_url), "{link}");
        }
        for link in [
            "",
            "<https://a/>",
            "<https://a/>; rel=\"last\"",
            "<https://a/; rel=\"next\"",
            "rel=\"next\"",
            "<a>; rel=\"nextnext\"",
        ] {
            assert_eq!(next(link), None, "{link}");
        }
    }

    proptest! {
        #[test]
        fn no_link_makes_the_reader_fail(link in "[<>;,=\" a-zé]{0,200}") {
            let _ = next(&link);
        }
    }
}
