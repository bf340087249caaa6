#![no_main]
//! Pages: read within the documented bounds, and the same each time and after serialization.

use documents::{Html, MOST_TEXT_BYTES, Position};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|content: &[u8]| {
    let page = Html::read(content, None);
    let runs = &page.document.runs;
    assert!(runs.iter().map(|run| run.text.len()).sum::<usize>() <= MOST_TEXT_BYTES);
    for run in runs {
        assert!(!run.text.trim().is_empty());
        let Position::Source { part: 0, line, .. } = run.position else { panic!("{run:?}") };
        assert!(line >= 1);
    }
    for script in &page.scripts {
        assert!(script.run.is_none_or(|run| (run as usize) < runs.len()));
    }
    let sent = serde_json::to_vec(&page).unwrap();
    assert_eq!(serde_json::from_slice::<Html>(&sent).unwrap(), page);
    assert_eq!(Html::read(content, None), page);
});
