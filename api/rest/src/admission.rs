//! Admission of billable requests: scope, organization and balance are checked before the request rate is counted and before
//! the body is read.

use credits::CreditsError;
use directory::Grant;

use crate::error::ApiError;
use crate::kit::Kit;

/// Preconditions of a route.
#[derive(Clone, Copy, Debug)]
pub struct Admission {
    /// Scope that the API key must hold.
    pub scope: &'static str,
    /// Credits that the balance must hold; 0 reads no account.
    pub price: u64,
}

impl Admission {
    /// Refuses a caller without the scope (403), of a deleted organization (404), or with too low a balance (402).
    pub(crate) async fn check(self, kit: &Kit, grant: &Grant) -> Result<(), ApiError> {
        if !grant.allows(self.scope) {
            return Err(ApiError::Scope { scope: self.scope });
        }
        let organization = kit.directory.get_organization(grant.organization).await?;
        let organization = organization.ok_or(ApiError::NotFound("organization"))?;
        if self.price == 0 {
            return Ok(());
        }
        let balance = kit.credits.account(organization.id).await?.balance();
        match balance {
            Some(balance) if balance < self.price => {
                Err(CreditsError::Exhausted { needed: self.price, balance }.into())
            }
            _ => Ok(()),
        }
    }
}
