//! Each edit, and the keys that touch.

use super::*;

#[test]
fn each_edit_has_a_name() {
    for (found, known, expected) in [
        ("lodas", "lodash", Some(Edit::Omission)),
        ("loodash", "lodash", Some(Edit::Repetition)),
        ("expressq", "express", Some(Edit::Insertion)),
        ("ldoash", "lodash", Some(Edit::Swap)),
        ("kodash", "lodash", Some(Edit::NeighbouringKey)),
        ("l0dash", "lodash", Some(Edit::Homoglyph)),
        ("rnoment", "moment", Some(Edit::Homoglyph)),
        ("g00d1e", "goodle", Some(Edit::Homoglyph)),
        ("mongoobe", "mongoose", Some(Edit::Substitution)),
        ("crossenv", "cross-env", Some(Edit::Delimiter)),
        ("cross_env", "cross-env", Some(Edit::Delimiter)),
        ("env-cross", "cross-env", Some(Edit::WordOrder)),
        ("node-lodash", "lodash", Some(Edit::Affix)),
        ("lodash-js", "lodash", Some(Edit::Affix)),
        ("pyrequests", "requests", Some(Edit::Affix)),
        ("dateutil", "python-dateutil", Some(Edit::Affix)),
        ("dateutil-py", "python-dateutil", Some(Edit::Affix)),
        ("request", "requests", Some(Edit::Omission)),
        ("through2", "through", None),
        ("psycopg3", "psycopg2", None),
        ("color", "colors", None),
        ("lodash-es", "lodash", None),
        ("preact", "react", None),
        ("vux", "vue", None),
    ] {
        let ecosystem =
            if known.contains("python") || known == "requests" { Ecosystem::Pypi } else { Ecosystem::Npm };
        assert_eq!(edit(ecosystem, found, known), expected, "{found} from {known}");
    }
}

#[test]
fn neighbouring_keys_touch() {
    for (a, b) in
        [(b'q', b'w'), (b'a', b'q'), (b'a', b'w'), (b's', b'e'), (b'z', b's'), (b'm', b'k'), (b'p', b'o')]
    {
        assert!(are_neighbours(a, b) && are_neighbours(b, a), "{} {}", char::from(a), char::from(b));
    }
    for (a, b) in [(b'q', b'e'), (b'a', b'e'), (b'z', b'q'), (b'm', b'l'), (b'-', b'p')] {
        assert!(!are_neighbours(a, b), "{} {}", char::from(a), char::from(b));
    }
}
