//! Calls of the rules for numbers: at every run of digits, once a shape has announced one that may count.
//! The rules decide on a number.

use super::{Pass, address, card, iban, phone, ssn, token};
use crate::entity::EntityType;

impl Pass<'_, '_> {
    /// Goes through the runs of digits; the digits behind an escape sequence that ends in digits, such as
    /// `%20`, are a run of their own.
    pub(super) fn digits(&mut self) {
        let text = self.text;
        let mut end = 0;
        while end < text.len() {
            let start = text.run(end, |byte| !byte.is_ascii_digit());
            end = text.run(start, |byte| byte.is_ascii_digit());
            if start == end {
                return;
            }
            self.number(start, end);
            let escape_before =
                text.slice(start.saturating_sub(5), start).iter().any(|byte| matches!(byte, b'%' | b'\\'));
            for begin in start + 1..end.min(start + 5) {
                if escape_before && text.ends_escape(begin) {
                    self.number(begin, end);
                }
            }
        }
    }

    /// Calls the rules that begin with digits, which end at `end`.
    fn number(&mut self, start: usize, end: usize) {
        let (text, on) = (self.text, self.finder.entities);
        self.push(card::examine(text, start, end));
        self.push(ssn::examine_dashed(text, start, end));
        self.push(iban::examine(text, start));
        self.push(token::examine_telegram(text, start, end));
        if on.contains(EntityType::Phone) {
            self.push(phone::examine(text, start));
        }
        if on.contains(EntityType::IpAddress) {
            self.push(address::examine_v4(text, start));
        }
    }
}
