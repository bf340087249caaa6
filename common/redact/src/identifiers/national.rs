//! The tables of identifiers, by region and by field.

use super::format::Format;

mod americas;
mod asia;
mod documents;
mod eastern;
pub(crate) mod finance;
mod health;
mod northern;
mod south;
mod western;

/// Every table.
pub(crate) const TABLES: [&[Format]; 9] = [
    americas::FORMATS,
    western::FORMATS,
    northern::FORMATS,
    eastern::FORMATS,
    asia::FORMATS,
    south::FORMATS,
    health::FORMATS,
    finance::FORMATS,
    documents::FORMATS,
];
