//! Names of parameters and members that hold secrets of the caller.

/// What a name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecretName {
    /// Nothing.
    None,
    /// Passwords, private keys, phrases of wallets: services other than that of the user have no need of them.
    Secret,
    /// Tokens, which clients show to their services with each request.
    Token,
    /// A key of a mapping, unless it is used as one of cryptography.
    Key,
}

/// Words that are a secret wherever they are in the name, without separators.
const SECRETS: [&str; 18] = [
    "password",
    "passwd",
    "passphrase",
    "privatekey",
    "privkey",
    "secretkey",
    "signingkey",
    "encryptionkey",
    "mnemonic",
    "seedphrase",
    "seedwords",
    "recoveryphrase",
    "secretphrase",
    "keypair",
    "connectionstring",
    "connstr",
    "cardnumber",
    "secretor",
];

/// Whole names that are a secret.
const WHOLE_SECRETS: [&str; 18] = [
    "secret",
    "phrase",
    "pwd",
    "pass",
    "credentials",
    "creds",
    "cvv",
    "cvc",
    "ssn",
    "kp",
    "sk",
    "privkey",
    "wif",
    "xprv",
    "dburi",
    "dburl",
    "databaseurl",
    "mongouri",
];

/// Words that are a token at the end of the name.
const TOKENS: [&str; 13] = [
    "token",
    "apikey",
    "accesskey",
    "authkey",
    "apisecret",
    "clientsecret",
    "appsecret",
    "consumersecret",
    "webhooksecret",
    "sessionid",
    "cookie",
    "jwt",
    "bearer",
];

/// Words at the end of the name of something else, which only has to do with a secret.
const OTHERS: [&str; 34] = [
    "hash",
    "hashed",
    "length",
    "len",
    "size",
    "count",
    "strength",
    "policy",
    "field",
    "type",
    "name",
    "id",
    "label",
    "hint",
    "error",
    "errors",
    "valid",
    "validator",
    "callback",
    "path",
    "file",
    "filename",
    "regex",
    "input",
    "form",
    "placeholder",
    "title",
    "message",
    "required",
    "url",
    "uri",
    "fn",
    "class",
    "manager",
];

/// Words at the beginning of the name of a property or an action.
const BEGINNINGS: [&str; 22] = [
    "is", "has", "show", "hide", "no", "use", "with", "require", "check", "verify", "validate", "compare",
    "hash", "reset", "forgot", "confirm", "max", "min", "set", "on", "handle", "public",
];

/// Classifies the name of a parameter or member.
pub(crate) fn classify(name: &str) -> SecretName {
    if name.len() < 2 || name.len() > 40 || !name.is_ascii() {
        return SecretName::None;
    }
    let words = words(name);
    let joined = words.concat();
    if WHOLE_SECRETS.contains(&joined.as_str()) {
        return SecretName::Secret;
    }
    let ends = |list: &[&str]| words.last().is_some_and(|word| list.contains(&word.as_str()));
    let begins = words.first().is_some_and(|word| BEGINNINGS.contains(&word.as_str()));
    if begins && words.len() > 1 || ends(&OTHERS) || words.iter().any(|word| word == "public") {
        return SecretName::None;
    }
    if SECRETS.iter().any(|secret| joined.contains(secret)) {
        SecretName::Secret
    } else if TOKENS.iter().any(|token| joined.ends_with(token)) {
        SecretName::Token
    } else if joined.ends_with("secret") {
        SecretName::Secret
    } else if matches!(joined.as_str(), "key" | "hmackey" | "cryptokey") {
        SecretName::Key
    } else {
        SecretName::None
    }
}

/// True for the name of a function that gives a secret.
pub(crate) fn gives_secret(name: &str) -> bool {
    let joined = words(name).concat();
    ["mnemonic", "seedphrase", "keypair", "privatekey", "secretkey", "frozencredentials"]
        .iter()
        .any(|word| joined.contains(word))
        && classify(name) == SecretName::Secret
        || joined == "getfrozencredentials"
}

/// Words of a name in lower case, by its separators and capital letters.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        let begins = letter.is_ascii_uppercase() && before.is_ascii_lowercase();
        if begins || !letter.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_ascii_alphanumeric()) {
            word.push(letter.to_ascii_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}
