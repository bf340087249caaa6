//! The modifiers after a field name, in the order they take effect. Combinations without a meaning are refused rather than
//! given one; the compiler applies modifiers to values.

use crate::refusal::{Cause, Fault};

/// One encoding multiplies a value by three at most, and public rules use two.
const MAX_ENCODINGS: usize = 4;

/// The modifiers of a field, as they were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// Comparison of values.
    pub kind: Relation,
    /// Every value must hold (`all`), not just one.
    pub every: bool,
    /// Letters match in their own case only (`cased`).
    pub cased: bool,
    /// The field is there and no value matches (`neq`).
    pub negated: bool,
    /// `%name%` means the values of a placeholder (`expand`).
    pub expand: bool,
    /// A dash before a word matches every kind of dash (`windash`).
    pub windash: bool,
    /// Encodings of the text, first to last.
    pub encodings: Vec<Encoding>,
}

/// Comparison of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Relation {
    /// The whole value is the same.
    #[default]
    Equal,
    /// The text occurs anywhere in the value.
    Contains,
    /// The value begins with the text.
    StartsWith,
    /// The value ends with the text.
    EndsWith,
    /// The expression is found anywhere in the value.
    Regex(Flags),
    /// The value is an address within the network.
    Network,
    /// The field is there, or is not.
    Exists,
    /// The value is a number in this relation to the rule's.
    Compare(Comparison),
    /// The rule's text names another field of the event, whose value is compared.
    FieldReference(Placement),
    /// A part of a date is this number, or in this relation to it.
    TimePart(TimePart, Option<Comparison>),
}

/// Comparison of a number.
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

/// Required place of another field's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// It is the whole value.
    Whole,
    /// Anywhere in it.
    Anywhere,
    /// At its start.
    Start,
    /// At its end.
    End,
}

/// A part of a date as it is written; no time zone is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimePart {
    /// 0 to 59.
    Minute,
    /// 0 to 23.
    Hour,
    /// Of the month, 1 to 31.
    Day,
    /// Of the year, 1 to 53 (ISO 8601).
    Week,
    /// 1 to 12.
    Month,
    /// The year.
    Year,
}

/// Encoding of text in other bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Base64 of the bytes.
    Base64,
    /// Base64 of the bytes at any offset of a longer text: three alternatives.
    Base64Offset,
    /// UTF-16, little endian (`utf16le`, `wide`).
    Utf16Le,
    /// UTF-16, big endian.
    Utf16Be,
    /// UTF-16, little endian, after a byte order mark.
    Utf16,
}

/// Flags of a regular expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags {
    /// Letters match in either case.
    pub ignore_case: bool,
    /// `^` and `$` match at lines.
    pub multi_line: bool,
    /// `.` matches a line's end too.
    pub dot_all: bool,
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

    /// Whether text is compared with text the rule writes.
    #[must_use]
    pub fn compares_text(&self) -> bool {
        matches!(self.kind, Relation::Equal | Relation::Contains | Relation::StartsWith | Relation::EndsWith)
    }

    /// Whether the text is changed before it is compared.
    #[must_use]
    pub fn changes_text(&self) -> bool {
        self.expand || self.windash || !self.encodings.is_empty()
    }

    fn apply(&mut self, name: &str) -> Result<(), Fault> {
        match name {
            "all" => return switch(&mut self.every, name),
            "cased" => return switch(&mut self.cased, name),
            "neq" => return switch(&mut self.negated, name),
            "i" | "ignorecase" | "m" | "multiline" | "s" | "dotall" => return self.flag(name),
            _ => {}
        }
        if let Some(encoding) = encoding(name) {
            return self.encode(name, encoding);
        }
        if matches!(name, "expand" | "windash") {
            return self.change(name);
        }
        let wanted = kind(name).ok_or_else(|| Fault::from(Cause::UnknownModifier(name.into())))?;
        self.kind = match (self.kind, wanted) {
            (Relation::FieldReference(Placement::Whole), Relation::Contains) => {
                Relation::FieldReference(Placement::Anywhere)
            }
            (Relation::FieldReference(Placement::Whole), Relation::StartsWith) => {
                Relation::FieldReference(Placement::Start)
            }
            (Relation::FieldReference(Placement::Whole), Relation::EndsWith) => {
                Relation::FieldReference(Placement::End)
            }
            (Relation::TimePart(part, None), Relation::Compare(comparison)) => {
                Relation::TimePart(part, Some(comparison))
            }
            (Relation::Equal, wanted) => wanted,
            _ => {
                return Err(conflict(format!("modifier `{name}` cannot follow another comparison modifier")));
            }
        };
        Ok(())
    }

    fn flag(&mut self, name: &str) -> Result<(), Fault> {
        let Relation::Regex(flags) = &mut self.kind else {
            return Err(conflict(format!("modifier `{name}` must follow `re`")));
        };
        let flag = match name {
            "i" | "ignorecase" => &mut flags.ignore_case,
            "m" | "multiline" => &mut flags.multi_line,
            _ => &mut flags.dot_all,
        };
        switch(flag, name)
    }

    fn encode(&mut self, name: &str, encoding: Encoding) -> Result<(), Fault> {
        if self.kind != Relation::Equal {
            return Err(conflict(format!("modifier `{name}` must precede the comparison modifier")));
        }
        let is_wide = |encoding| !matches!(encoding, Encoding::Base64 | Encoding::Base64Offset);
        if is_wide(encoding) && self.encodings.last().copied().is_some_and(is_wide) {
            return Err(conflict(format!("modifier `{name}` cannot follow another UTF-16 encoding")));
        }
        if self.encodings.len() == MAX_ENCODINGS {
            return Err(Cause::TooLarge { what: "encodings of one field", limit: MAX_ENCODINGS }.into());
        }
        self.encodings.push(encoding);
        Ok(())
    }

    /// `expand` and `windash` change the text before it is encoded, at any position among the modifiers.
    fn change(&mut self, name: &str) -> Result<(), Fault> {
        if !self.encodings.is_empty() {
            return Err(conflict(format!("modifier `{name}` must precede encoding modifiers")));
        }
        switch(if name == "expand" { &mut self.expand } else { &mut self.windash }, name)
    }

    fn check(&self) -> Result<(), Fault> {
        // Networks may be listed elsewhere; nothing else may be done to them.
        let lists_networks = self.kind == Relation::Network && !self.windash && self.encodings.is_empty();
        if self.changes_text() && !self.compares_text() && !lists_networks {
            return Err(conflict(
                "`expand`, `windash` and encodings are for text comparison only, `expand` for networks, too",
            ));
        }
        if self.cased && !self.compares_text() && !matches!(self.kind, Relation::FieldReference(_)) {
            return Err(conflict("modifier `cased` is for text comparison only"));
        }
        let decides_itself =
            matches!(self.kind, Relation::Exists | Relation::Compare(_) | Relation::TimePart(_, Some(_)));
        if self.negated && decides_itself {
            return Err(conflict(
                "modifier `neq` cannot be combined with `exists`, `lt`, `lte`, `gt` or `gte`",
            ));
        }
        if self.every && self.kind == Relation::Exists {
            return Err(conflict("modifier `all` cannot be combined with `exists`"));
        }
        Ok(())
    }
}

impl TimePart {
    /// The least and the greatest number it can be.
    pub(super) fn range(self) -> (i128, i128) {
        match self {
            Self::Minute => (0, 59),
            Self::Hour => (0, 23),
            Self::Day => (1, 31),
            Self::Week => (1, 53),
            Self::Month => (1, 12),
            Self::Year => (0, 9_999),
        }
    }
}

fn encoding(name: &str) -> Option<Encoding> {
    Some(match name {
        "base64" => Encoding::Base64,
        "base64offset" => Encoding::Base64Offset,
        "utf16le" | "wide" => Encoding::Utf16Le,
        "utf16be" => Encoding::Utf16Be,
        "utf16" => Encoding::Utf16,
        _ => return None,
    })
}

fn kind(name: &str) -> Option<Relation> {
    Some(match name {
        "contains" => Relation::Contains,
        "startswith" => Relation::StartsWith,
        "endswith" => Relation::EndsWith,
        "re" => Relation::Regex(Flags::default()),
        "cidr" => Relation::Network,
        "exists" => Relation::Exists,
        "fieldref" => Relation::FieldReference(Placement::Whole),
        "lt" => Relation::Compare(Comparison::Less),
        "lte" => Relation::Compare(Comparison::LessOrEqual),
        "gt" => Relation::Compare(Comparison::Greater),
        "gte" => Relation::Compare(Comparison::GreaterOrEqual),
        "minute" => Relation::TimePart(TimePart::Minute, None),
        "hour" => Relation::TimePart(TimePart::Hour, None),
        "day" => Relation::TimePart(TimePart::Day, None),
        "week" => Relation::TimePart(TimePart::Week, None),
        "month" => Relation::TimePart(TimePart::Month, None),
        "year" => Relation::TimePart(TimePart::Year, None),
        _ => return None,
    })
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
