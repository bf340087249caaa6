//! The modifiers after a field name, applied from left to right. Combinations without a meaning are
//! refused rather than given one.

use crate::refusal::{Cause, Fault};

/// Modifiers of the language that are not supported yet.
const UNSUPPORTED: [&str; 16] = [
    "base64",
    "base64offset",
    "utf16le",
    "wide",
    "utf16be",
    "utf16",
    "windash",
    "fieldref",
    "expand",
    "minute",
    "hour",
    "day",
    "week",
    "month",
    "year",
    "timestamp",
];

/// How a number is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Less than.
    Less,
    /// Less than or equal.
    LessOrEqual,
    /// Greater than.
    Greater,
    /// Greater than or equal.
    GreaterOrEqual,
}

/// What a field's modifiers make of its values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Modifiers {
    pub(super) kind: Kind,
    pub(super) every: bool,
    pub(super) cased: bool,
    pub(super) negated: bool,
}

/// How values are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    Equal,
    Contains,
    StartsWith,
    EndsWith,
    Regex(Flags),
    Network,
    Exists,
    Compare(Comparison),
}

/// Flags of a regular expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags {
    pub(super) ignore_case: bool,
    pub(super) multi_line: bool,
    pub(super) dot_all: bool,
}

impl Modifiers {
    /// Reads the names after the field's.
    pub(super) fn parse<'n>(names: impl Iterator<Item = &'n str>) -> Result<Self, Fault> {
        let mut modifiers = Self::default();
        for name in names {
            modifiers.apply(name)?;
        }
        modifiers.check()?;
        Ok(modifiers)
    }

    fn apply(&mut self, name: &str) -> Result<(), Fault> {
        let kind = match name {
            "all" => return switch(&mut self.every, name),
            "cased" => return switch(&mut self.cased, name),
            "neq" => return switch(&mut self.negated, name),
            "i" | "ignorecase" | "m" | "multiline" | "s" | "dotall" => return self.flag(name),
            "contains" => Kind::Contains,
            "startswith" => Kind::StartsWith,
            "endswith" => Kind::EndsWith,
            "re" => Kind::Regex(Flags::default()),
            "cidr" => Kind::Network,
            "exists" => Kind::Exists,
            "lt" => Kind::Compare(Comparison::Less),
            "lte" => Kind::Compare(Comparison::LessOrEqual),
            "gt" => Kind::Compare(Comparison::Greater),
            "gte" => Kind::Compare(Comparison::GreaterOrEqual),
            _ if UNSUPPORTED.contains(&name) => return Err(Cause::UnsupportedModifier(name.into()).into()),
            _ => return Err(Cause::UnknownModifier(name.into()).into()),
        };
        if self.kind != Kind::Equal {
            return Err(conflict(format!("modifier `{name}` cannot follow another way of comparing")));
        }
        self.kind = kind;
        Ok(())
    }

    fn flag(&mut self, name: &str) -> Result<(), Fault> {
        let Kind::Regex(flags) = &mut self.kind else {
            return Err(conflict(format!("modifier `{name}` must follow `re`")));
        };
        let flag = match name {
            "i" | "ignorecase" => &mut flags.ignore_case,
            "m" | "multiline" => &mut flags.multi_line,
            _ => &mut flags.dot_all,
        };
        switch(flag, name)
    }

    fn check(&self) -> Result<(), Fault> {
        let text = matches!(self.kind, Kind::Equal | Kind::Contains | Kind::StartsWith | Kind::EndsWith);
        if self.cased && !text {
            return Err(conflict("modifier `cased` is for text comparison only"));
        }
        if self.negated && matches!(self.kind, Kind::Exists | Kind::Compare(_)) {
            return Err(conflict(
                "modifier `neq` cannot be combined with `exists`, `lt`, `lte`, `gt` or `gte`",
            ));
        }
        if self.every && self.kind == Kind::Exists {
            return Err(conflict("modifier `all` cannot be combined with `exists`"));
        }
        Ok(())
    }
}

fn switch(flag: &mut bool, name: &str) -> Result<(), Fault> {
    if std::mem::replace(flag, true) {
        return Err(conflict(format!("modifier `{name}` is given twice")));
    }
    Ok(())
}

/// Modifiers, or a modifier and a value, that have no meaning together.
pub(super) fn conflict(words: impl Into<Box<str>>) -> Fault {
    Cause::Modifiers(words.into()).into()
}
