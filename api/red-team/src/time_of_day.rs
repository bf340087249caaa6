//! A time of the day as text: `HH:MM`.

use std::fmt;
use std::str::FromStr;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Minute of the day, 0 to 1,439.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeOfDay(pub(crate) u16);

/// A text of another form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected a time from 00:00 to 23:59, found {found:?}")]
pub(crate) struct TimeError {
    /// The text, cut to 20 characters.
    found: String,
}

impl FromStr for TimeOfDay {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let other = || TimeError { found: text.chars().take(20).collect() };
        let [h1, h2, b':', m1, m2] = text.as_bytes() else { return Err(other()) };
        let number = |tens: &u8, ones: &u8| {
            let digit =
                |byte: &u8| char::from(*byte).to_digit(10).and_then(|digit| u16::try_from(digit).ok());
            Some(digit(tens)? * 10 + digit(ones)?)
        };
        match (number(h1, h2), number(m1, m2)) {
            (Some(hour), Some(minute)) if hour < 24 && minute < 60 => Ok(Self(hour * 60 + minute)),
            _ => Err(other()),
        }
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

impl Serialize for TimeOfDay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TimeOfDay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl PartialSchema for TimeOfDay {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .description(Some("Time of the day in UTC"))
            .schema_type(Type::String)
            .pattern(Some("^([01][0-9]|2[0-3]):[0-5][0-9]$"))
            .examples(["22:00"])
            .into()
    }
}

impl ToSchema for TimeOfDay {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_minute_is_read_as_it_is_written_and_nothing_else_is() {
        for minute in 0..1_440 {
            assert_eq!(TimeOfDay(minute).to_string().parse(), Ok(TimeOfDay(minute)));
        }
        for text in
            ["", "24:00", "23:60", "1:00", "01:0", "0100", "01-00", "+1:00", "01:00:00", "aa:bb", "٠١:٠٠"]
        {
            let found = text.to_owned();
            assert_eq!(text.parse::<TimeOfDay>(), Err(TimeError { found }), "{text}");
        }
    }
}
