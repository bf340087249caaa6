//! Forms of a page. They are recorded as endpoints and never submitted.

use serde::{Deserialize, Serialize};
use url::Url;

use crate::endpoints::{LONGEST_NAME, MOST_PARAMETERS, Parameter, Place, Route, Source, cut};
use crate::template::template;

/// Forms of a page.
pub(super) const MOST_FORMS: usize = 50;

/// A form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form {
    /// `GET` or `POST`.
    pub method: String,
    /// Absolute URL of the action.
    pub action: String,
    /// Fields with a name, at most as many as parameters of an endpoint.
    pub fields: Vec<Field>,
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type, for example `password`, `select` or `textarea`.
    pub kind: String,
}

impl Form {
    /// A form as its start tag describes it. `None` for a dialog, which sends nothing.
    pub(super) fn new(method: &str, action: &Url) -> Option<Self> {
        let method = method.trim().to_ascii_uppercase();
        if method == "DIALOG" {
            return None;
        }
        // Browsers use GET for every other method.
        let method = if method == "POST" { method } else { "GET".to_owned() };
        Some(Self { method, action: action.as_str().to_owned(), fields: Vec::new() })
    }

    pub(super) fn push(&mut self, name: &str, kind: &str) {
        if name.is_empty() || self.fields.len() >= MOST_PARAMETERS {
            return;
        }
        let kind = cut(&kind.trim().to_ascii_lowercase(), LONGEST_NAME);
        self.fields.push(Field { name: cut(name, LONGEST_NAME), kind });
    }

    /// The endpoint to which it would be sent.
    #[must_use]
    pub fn route(&self) -> Option<Route> {
        let action = Url::parse(&self.action).ok()?;
        let place = if self.method == "POST" { Place::Body } else { Place::Query };
        // A form with GET replaces the query of its action.
        let of_action = Route::of_url(&action, Source::Form).parameters;
        let mut parameters = if place == Place::Body { of_action } else { Vec::new() };
        let fields = self.fields.iter();
        parameters.extend(fields.map(|field| Parameter {
            name: field.name.clone(),
            place,
            kind: field.kind.clone(),
        }));
        parameters.truncate(MOST_PARAMETERS);
        Some(Route {
            method: self.method.clone(),
            origin: action.origin().ascii_serialization(),
            template: template(action.path()),
            parameters,
            source: Source::Form,
        })
    }
}
