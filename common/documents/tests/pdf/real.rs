//! Files written by other programs.
use crate::Test;
pub(crate) fn tests() -> Vec<Test> {
    vec![]
}
