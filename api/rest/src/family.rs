//! Families of routes with common conventions: the headers that carry an API key, the request rate, and the shape of error
//! bodies. The organization API is one family; guard, redact and verify are another.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::MethodRouter;

use crate::admission::Admission;
use crate::authenticate::{Gate, authenticate};
use crate::error::Shape;
use crate::exchange::{Exchange, exchange};
use crate::kit::Kit;
use crate::rate_limit::RateLimit;

/// Request rate of a family, counted apart from that of other families.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Requests per minute of one API key, at least 1.
    pub of_key: u32,
    /// Requests per minute of all API keys of an organization together; never less than that of one key.
    pub of_organization: u32,
}

/// Conventions of a family.
#[derive(Clone, Copy, Debug)]
pub struct Conventions {
    /// Shape of error bodies.
    pub shape: Shape,
    /// Headers that carry an API key beside `Authorization`, in lower case.
    pub key_headers: &'static [&'static str],
    /// Request rate.
    pub rate: Rate,
}

/// A family of routes.
pub struct Family {
    pub(crate) kit: Arc<Kit>,
    pub(crate) conventions: Conventions,
    pub(crate) rate: Arc<RateLimit>,
}

impl Family {
    /// A family over the stores of a kit.
    #[must_use]
    pub fn new(kit: Arc<Kit>, conventions: Conventions) -> Arc<Self> {
        let Rate { of_key, of_organization } = conventions.rate;
        let rate = Arc::new(RateLimit::new(Arc::clone(&kit.clock), of_key, of_organization));
        Arc::new(Self { kit, conventions, rate })
    }

    /// The same family, with the same count of requests, for routes that take the key in further headers.
    #[must_use]
    pub fn with_key_headers(&self, key_headers: &'static [&'static str]) -> Arc<Self> {
        let conventions = Conventions { key_headers, ..self.conventions };
        Arc::new(Self { kit: Arc::clone(&self.kit), conventions, rate: Arc::clone(&self.rate) })
    }

    /// A route that requires an API key. On its methods only, so that a method that the route does not have is refused without
    /// a key.
    pub fn guard<S: Clone + Send + Sync + 'static>(
        self: &Arc<Self>,
        route: MethodRouter<S>,
    ) -> MethodRouter<S> {
        self.gate(route, None)
    }

    /// The same, where scope, organization and balance are checked before the request rate and the body.
    pub fn admit<S: Clone + Send + Sync + 'static>(
        self: &Arc<Self>,
        route: MethodRouter<S>,
        admission: Admission,
    ) -> MethodRouter<S> {
        self.gate(route, Some(admission))
    }

    fn gate<S: Clone + Send + Sync + 'static>(
        self: &Arc<Self>,
        route: MethodRouter<S>,
        admission: Option<Admission>,
    ) -> MethodRouter<S> {
        let gate = Gate { family: Arc::clone(self), admission };
        route.route_layer(from_fn_with_state(gate, authenticate))
    }

    /// Routes of the family in which every exchange has a request id, a caught panic, protective headers, an error body of the
    /// family's shape, and a measurement.
    pub fn serve<S: Clone + Send + Sync + 'static>(self: &Arc<Self>, routes: Router<S>) -> Router<S> {
        let state = Exchange { clock: Arc::clone(&self.kit.clock), shape: self.conventions.shape };
        routes.layer(from_fn_with_state(state, exchange))
    }
}
