//! Names of settings as they are written: the dotted key of the TOML file, and the variable of the environment.

use super::ENVIRONMENT_PREFIX;

/// The dotted key with the name of its environment variable: `kafka.partitions (PALISADE__KAFKA__PARTITIONS)`. Text that
/// is no key is unchanged.
#[must_use]
pub fn named(key: &str) -> String {
    let is_key =
        key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.".contains(&byte));
    if is_key { format!("{key} ({})", variable(key)) } else { key.to_owned() }
}

/// Name of the environment variable of a dotted key.
#[must_use]
pub fn variable(key: &str) -> String {
    format!("{ENVIRONMENT_PREFIX}{}", key.replace('.', "__").to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_named_in_both_of_its_forms() {
        assert_eq!(named("kafka.partitions"), "kafka.partitions (PALISADE__KAFKA__PARTITIONS)");
        assert_eq!(named("kafka and cql"), "kafka and cql");
    }
}
