//! The engine on texts of our own, and the rates of both parts of them.

use std::sync::{Arc, LazyLock};

mod corpus;

use lookalikes::Brands;
use redact::Policy;

use super::*;

static ENGINE: LazyLock<Arc<Engine>> = LazyLock::new(|| Arc::new(loaded()));

/// An engine of its own with the built-in model, for a test that changes it.
pub(crate) fn loaded() -> Engine {
    let model = include_bytes!("../../../../models/guard.plm");
    let redactor = Redactor::new(&Policy::default()).unwrap();
    Engine::load(model, Arc::new(redactor), Brands::built_in()).unwrap()
}

/// The engine with the built-in model.
pub(crate) fn engine() -> Arc<Engine> {
    Arc::clone(&ENGINE)
}

#[test]
fn an_excerpt_is_one_short_masked_line() {
    let secret = ["ghp_", "Zq81mVxT7Lk2Rw9Nc4Yb6Hs3Jd5Pf0Qa1Ue8"].concat();
    let text = format!("first\n\tsecond \u{7} {secret} {}", "word ".repeat(200));
    let excerpt = engine().excerpt(&text);
    assert!(excerpt.starts_with("first second"), "{excerpt}");
    assert!(
        !excerpt.contains(&secret) && excerpt.chars().count() == 160 && excerpt.ends_with('…'),
        "{excerpt}"
    );
}
