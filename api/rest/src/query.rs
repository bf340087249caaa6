//! The strict query string: every parameter is known and given once, or the request is refused. Nothing here knows
//! which parameters an endpoint has.

use std::str::FromStr;

use axum::extract::FromRequestParts;
use common::timestamp::Timestamp;
use common::words::Word;
use http::request::Parts;
use thiserror::Error;

use crate::error::ApiError;

/// Most parameters a query may have: more than any endpoint knows, so that refusing stays cheap.
const MAX_PARAMETERS: usize = 32;

/// Reason why a query string is refused.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum QueryError {
    /// More parameters than any endpoint knows.
    #[error("the query has more than {MAX_PARAMETERS} parameters")]
    TooMany,
    /// Bytes that are not UTF-8.
    #[error("the query is not UTF-8 after percent-decoding")]
    NotUtf8,
    /// A parameter given twice.
    #[error("the query parameter `{name}` is given more than once")]
    Repeated {
        /// Name of the parameter.
        name: String,
    },
    /// A parameter that the endpoint does not have.
    #[error("unknown query parameter `{name}`")]
    Unknown {
        /// Name of the parameter.
        name: String,
    },
    /// A value of another form.
    #[error("the query parameter `{name}` must be {expected}, found `{found}`")]
    Value {
        /// Name of the parameter.
        name: &'static str,
        /// The expected form.
        expected: String,
        /// The beginning of the value.
        found: String,
    },
}

/// Query of an endpoint: takes the parameters it knows, checks each.
pub trait FromQuery: Sized {
    /// Takes the parameters of the endpoint out of all that are given.
    ///
    /// # Errors
    /// A parameter of another form.
    fn from_query(parameters: &mut Parameters) -> Result<Self, QueryError>;
}

/// Extracts `T` and refuses whatever it did not take. `StrictQuery<()>` refuses every parameter.
pub struct StrictQuery<T>(
    /// The value.
    pub T,
);

impl<T: FromQuery, S: Sync> FromRequestParts<S> for StrictQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        let mut parameters = Parameters::parse(parts.uri.query().unwrap_or(""))?;
        let value = T::from_query(&mut parameters)?;
        parameters.finish()?;
        Ok(Self(value))
    }
}

impl FromQuery for () {
    fn from_query(_parameters: &mut Parameters) -> Result<Self, QueryError> {
        Ok(())
    }
}

impl<A: FromQuery, B: FromQuery> FromQuery for (A, B) {
    fn from_query(parameters: &mut Parameters) -> Result<Self, QueryError> {
        Ok((A::from_query(parameters)?, B::from_query(parameters)?))
    }
}

impl<A: FromQuery, B: FromQuery, C: FromQuery> FromQuery for (A, B, C) {
    fn from_query(parameters: &mut Parameters) -> Result<Self, QueryError> {
        Ok((A::from_query(parameters)?, B::from_query(parameters)?, C::from_query(parameters)?))
    }
}

/// The parameters that are not taken yet.
#[derive(Debug)]
pub struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Reads `application/x-www-form-urlencoded` pairs as the WHATWG URL standard does (section 5.1), except that
    /// bytes which are not UTF-8 are refused instead of replaced.
    pub fn parse(raw: &str) -> Result<Self, QueryError> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for pair in raw.split('&').filter(|pair| !pair.is_empty()) {
            if pairs.len() == MAX_PARAMETERS {
                return Err(QueryError::TooMany);
            }
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decode(name)?, decode(value)?);
            if pairs.iter().any(|(known, _)| *known == name) {
                return Err(QueryError::Repeated { name: excerpt(&name) });
            }
            pairs.push((name, value));
        }
        Ok(Self(pairs))
    }

    /// Takes a parameter out.
    pub fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.swap_remove(at).1)
    }

    /// Takes a whole number between two bounds, or `default` when it is not given.
    pub fn number(
        &mut self,
        name: &'static str,
        bounds: std::ops::RangeInclusive<u32>,
        default: u32,
    ) -> Result<u32, QueryError> {
        let Some(text) = self.take(name) else { return Ok(default) };
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match u32::from_str(&text) {
            Ok(number) if digits && bounds.contains(&number) => Ok(number),
            _ => Err(QueryError::Value {
                name,
                expected: format!("a whole number from {} to {}", bounds.start(), bounds.end()),
                found: excerpt(&text),
            }),
        }
    }

    /// Takes `true` or `false`; `false` when it is not given.
    pub fn flag(&mut self, name: &'static str) -> Result<bool, QueryError> {
        match self.take(name).as_deref() {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(found) => {
                let expected = "`true` or `false`".to_owned();
                Err(QueryError::Value { name, expected, found: excerpt(found) })
            }
        }
    }

    /// Takes one of a set of words.
    pub fn word<T: Word>(&mut self, name: &'static str) -> Result<Option<T>, QueryError> {
        let Some(text) = self.take(name) else { return Ok(None) };
        let value = T::VALUES.iter().find(|value| value.word() == text);
        value.map(|value| Some(*value)).ok_or_else(|| {
            let words: Vec<&str> = T::VALUES.iter().map(|value| value.word()).collect();
            QueryError::Value {
                name,
                expected: format!("one of {}", words.join(", ")),
                found: excerpt(&text),
            }
        })
    }

    /// Takes a text whose number of characters lies between two bounds.
    pub fn text(
        &mut self,
        name: &'static str,
        characters: std::ops::RangeInclusive<usize>,
    ) -> Result<Option<String>, QueryError> {
        let Some(text) = self.take(name) else { return Ok(None) };
        if characters.contains(&text.chars().count()) {
            return Ok(Some(text));
        }
        let expected = format!("{} to {} characters", characters.start(), characters.end());
        Err(QueryError::Value { name, expected, found: excerpt(&text) })
    }

    /// Takes a UUID in its hyphenated form.
    pub fn id<T: FromStr>(&mut self, name: &'static str) -> Result<Option<T>, QueryError> {
        let Some(text) = self.take(name) else { return Ok(None) };
        match text.parse() {
            Ok(id) => Ok(Some(id)),
            Err(_) => Err(QueryError::Value {
                name,
                expected: "a hyphenated UUID".to_owned(),
                found: excerpt(&text),
            }),
        }
    }

    /// Takes a time in the form of RFC 3339.
    pub fn time(&mut self, name: &'static str) -> Result<Option<Timestamp>, QueryError> {
        let Some(text) = self.take(name) else { return Ok(None) };
        match Timestamp::parse_rfc3339(&text) {
            Some(time) => Ok(Some(time)),
            None => Err(QueryError::Value {
                name,
                expected: "a time in the form of RFC 3339, such as 2026-07-08T09:00:00Z".to_owned(),
                found: excerpt(&text),
            }),
        }
    }

    /// Refuses parameters that were not taken.
    pub fn finish(self) -> Result<(), QueryError> {
        match self.0.first() {
            Some((name, _)) => Err(QueryError::Unknown { name: excerpt(name) }),
            None => Ok(()),
        }
    }
}

/// Decodes `+` and percent escapes; an escape that is none stands for itself.
fn decode(text: &str) -> Result<String, QueryError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        match (first, tail) {
            (b'+', _) => bytes.push(b' '),
            (b'%', [high, low, after @ ..]) => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => {
                    bytes.push(high << 4 | low);
                    rest = after;
                }
                _ => bytes.push(b'%'),
            },
            _ => bytes.push(*first),
        }
    }
    String::from_utf8(bytes).map_err(|_| QueryError::NotUtf8)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Enough of a refused text to recognise it by.
fn excerpt(text: &str) -> String {
    text.chars().take(64).collect()
}

impl From<QueryError> for ApiError {
    fn from(error: QueryError) -> Self {
        Self::Invalid(error.to_string().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decodes_as_forms_do() {
        assert_eq!(decode("a+b%20c%2B%25").unwrap(), "a b c+%");
        assert_eq!(decode("100%").unwrap(), "100%");
        assert_eq!(decode("%zz%4").unwrap(), "%zz%4");
        assert_eq!(decode("%ff"), Err(QueryError::NotUtf8));
    }

    #[test]
    fn repeated_after_decoding_is_repeated() {
        let error = Parameters::parse("limit=1&l%69mit=1").unwrap_err();
        assert_eq!(error, QueryError::Repeated { name: "limit".to_owned() });
    }

    #[test]
    fn numbers_are_digits_within_bounds() {
        for text in ["0", "101", "+5", "-1", "", "1.0", "ten", "99999999999"] {
            let mut parameters = Parameters(vec![("limit".to_owned(), text.to_owned())]);
            assert!(parameters.number("limit", 1..=100, 25).is_err(), "{text}");
        }
        let mut parameters = Parameters::parse("limit=100").unwrap();
        assert_eq!(parameters.number("limit", 1..=100, 25), Ok(100));
        assert_eq!(parameters.number("limit", 1..=100, 25), Ok(25));
        assert_eq!(parameters.finish(), Ok(()));
    }

    proptest! {
        #[test]
        fn fully_escaped_text_comes_back(text in ".{0,40}") {
            let escaped: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
            prop_assert_eq!(decode(&escaped).unwrap(), text);
        }

        #[test]
        fn no_query_panics(raw in "[a-z%&=+0-9]{0,60}") {
            if let Ok(mut parameters) = Parameters::parse(&raw) {
                let _ = parameters.number("a", 0..=9, 0);
                let _ = parameters.finish();
            }
        }
    }
}
