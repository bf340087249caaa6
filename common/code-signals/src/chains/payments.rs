//! Rules of recipients of payments that are replaced by one that is fixed in the code.

use std::sync::LazyLock;

use memchr::memmem::find;
use regex::Regex;

use super::verdict;
use crate::eval::Machine;
use crate::ir::{Const, Sym};
use crate::report::{Severity, Threat};
use crate::value::Value;

/// Addresses of cryptocurrencies, whole.
static WALLET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(0x[0-9a-fA-F]{40}|[13LM][a-km-zA-HJ-NP-Z1-9]{25,34}|bc1[a-z0-9]{25,60}|T[A-Za-z1-9]{33})$")
        .ok()
});

/// Parts of patterns that match an address of a cryptocurrency.
const PATTERNS: [&str; 5] = ["0x[", "[13][", "bc1", "[48][0-9AB]", "T[A-Za-z1-9]"];

/// Members of a payment that name its recipient.
const RECIPIENTS: [&str; 6] = ["to", "recipient", "destination", "toAddress", "to_address", "payTo"];

/// Objects of a page whose functions a program replaces to see its payments.
const REPLACED: [&[u8]; 4] = [b"ethereum", b"window.fetch", b"globalThis.fetch", b"XMLHttpRequest"];

/// True for the text of a pattern of addresses of cryptocurrencies.
pub(crate) fn is_wallet_pattern(text: &str) -> bool {
    text.len() < 400 && PATTERNS.iter().any(|part| text.contains(part))
}

impl Machine<'_> {
    /// An address of a payment among the texts of a value or of its elements.
    fn wallet_in(&self, value: &Value) -> Option<String> {
        let wallet = WALLET.as_ref()?;
        let in_list = match &value.constant {
            Some(Const::List(list)) => list.iter().take(8).collect(),
            _ => Vec::new(),
        };
        let in_list = in_list.into_iter().filter_map(|constant| match constant {
            Const::Text(text) => Some(text),
            _ => None,
        });
        let texts = value.texts().chain(in_list).map(|text| String::from_utf8_lossy(text).into_owned());
        // The zero address is the usual initial value.
        let is_zero_address =
            |text: &str| text.starts_with("0x") && text[2..].bytes().all(|digit| digit == b'0');
        texts.filter(|text| text.len() < 80 && wallet.is_match(text)).find(|text| !is_zero_address(text))
    }

    /// True if the text of the current file holds one of the parts.
    fn file_holds(&self, parts: &[&[u8]]) -> bool {
        let content = self.files.list.get(self.file as usize).map_or(&[][..], |file| file.content);
        parts.iter().any(|part| find(content, part).is_some())
    }

    /// True for a value that is a pattern of addresses of cryptocurrencies.
    pub(crate) fn matches_wallets(&self, pattern: &Value) -> bool {
        pattern.texts().any(|text| text.len() < 400 && is_wallet_pattern(&String::from_utf8_lossy(text)))
    }

    /// An address of a payment is replaced by one that is fixed in the code.
    pub(crate) fn chain_substitution(&mut self, pattern: &Value, replacement: &Value) {
        if !self.matches_wallets(pattern) {
            return;
        }
        if let Some(address) = self.wallet_in(replacement) {
            self.add_replaced("An address of a payment is", &address);
        }
    }

    /// A fixed address of a payment is put into the clipboard by code that recognizes such addresses.
    pub(crate) fn chain_copied_address(&mut self, text: &Value) {
        let Some(address) = self.wallet_in(text) else { return };
        let patterns = PATTERNS.map(str::as_bytes);
        if self.file_holds(&patterns) {
            self.add_replaced("The clipboard, when it holds an address of a payment, is", &address);
        }
    }

    /// A fixed address becomes the recipient of a transaction that code of others sends.
    pub(crate) fn chain_replaced_recipient(&mut self, member: Sym, value: &Value) {
        if !RECIPIENTS.contains(&self.names.text(member)) {
            return;
        }
        let Some(address) = self.wallet_in(value) else { return };
        let passes_on = self.file_holds(&[b".apply(this", b".call(this", b"Reflect.apply"]);
        if passes_on && self.file_holds(&[b"eth_send"]) && self.file_holds(&REPLACED) {
            self.add_replaced("The recipient of transactions of others is", &address);
        }
    }

    fn add_replaced(&mut self, what: &str, address: &str) {
        let text = format!("{what} replaced by {address}, which is fixed in the code");
        let verdict = verdict("payment-address-replaced", Severity::High, Threat::InstallAttack);
        self.add_chain(verdict, None, text);
    }
}
