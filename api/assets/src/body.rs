//! Bodies of requests.

use std::collections::BTreeMap;

use directory::{Application, DirectoryError, NewCredentials, RedTeamSchedule, SealedCredentials};
use red_team::{ScheduleBody, set_schedule};
use rest::body::{not_null, nullable};
use rest::openapi::text;
use rest::settings::{Patch, set};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::ObjectBuilder;

/// Request body for creating an application.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewApplication, example = json!({"name": "Shop", "url": "https://shop.example.com/"}))]
pub(crate) struct NewApplicationBody {
    /// Display name, unique in the organization in any case.
    #[schema(min_length = 1, max_length = 100)]
    pub(crate) name: String,
    /// URL of the application, http or https, without user name and password; unique in the organization. Its port must be 80,
    /// 443 or from 1024 on, and its host, where it is an address, public or in the setting `outbound.allow_networks`. Plain http
    /// is sent to those networks only.
    #[schema(max_length = 2048)]
    pub(crate) url: String,
    /// Repository of the source code: the id of a connected repository.
    #[schema(max_length = 16)]
    pub(crate) repository_id: Option<String>,
}

/// Request body for changing an application: at least one property. A URL of another origin (scheme, host or port) removes the
/// credentials and headers that the body does not set.
#[derive(Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ApplicationChange, min_properties = 1, example = json!({"red_team_schedule": "weekly"}))]
pub(crate) struct ApplicationChangeBody {
    /// Display name, unique in the organization in any case.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false, min_length = 1, max_length = 100)]
    name: Option<String>,
    /// URL of the application, with the restrictions of a new one unless it is the present one.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false, max_length = 2048)]
    pub(crate) url: Option<String>,
    /// Repository of the source code; null for none.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>, max_length = 16)]
    pub(crate) repository_id: Option<Option<String>>,
    /// Email address of the login for tests, stored encrypted and never returned; null removes it.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 254)]
    login_email: Option<Option<String>>,
    /// Password of that login, stored encrypted and never returned; null removes it.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 1000)]
    login_password: Option<Option<String>>,
    /// Replaces all headers of requests to the application.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(schema_with = headers, required = false)]
    headers: Option<Option<BTreeMap<String, String>>>,
    /// Most requests a minute to the application; null for the default of the service.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<u16>, minimum = 1, maximum = 600)]
    request_throttle_rpm: Option<Option<u16>>,
    /// Period of scheduled runs.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = red_team::red_team_schedule, required = false)]
    red_team_schedule: Option<RedTeamSchedule>,
    /// Time of scheduled runs.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false)]
    schedule: Option<ScheduleBody>,
    /// Additional instructions for runs; null for none.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 10000)]
    specific_prompt: Option<Option<String>>,
}

fn headers() -> ObjectBuilder {
    text::nullable_headers(
        "Replaces all headers of requests to the application: at most 16, whose names and values have at most 8,192 bytes \
         together. They are stored encrypted and never returned; null or an empty object removes them",
    )
}

impl ApplicationChangeBody {
    /// Takes the credentials out, which are sealed before the change is applied.
    pub(crate) fn credentials(&mut self) -> NewCredentials {
        NewCredentials {
            login_email: self.login_email.take(),
            login_password: self.login_password.take(),
            headers: self.headers.take().map(Option::unwrap_or_default),
        }
    }

    /// Applies the change with its sealed credentials.
    pub(crate) fn apply_sealed(
        &self,
        application: &mut Application,
        credentials: &SealedCredentials,
    ) -> Result<(), DirectoryError> {
        application.set_target(self.url.as_deref(), credentials)?;
        self.apply(application)
    }
}

impl Patch<Application> for ApplicationChangeBody {
    /// All but the URL and the credentials, which are set together.
    fn apply(&self, application: &mut Application) -> Result<(), DirectoryError> {
        set(&mut application.name, self.name.as_ref());
        set(&mut application.repository_id, self.repository_id.as_ref());
        set(&mut application.specific_prompt, self.specific_prompt.as_ref());
        set(&mut application.red_team.request_throttle_rpm, self.request_throttle_rpm.as_ref());
        set_schedule(&mut application.red_team, self.red_team_schedule.as_ref(), self.schedule.as_ref());
        Ok(())
    }
}
