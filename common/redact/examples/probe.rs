//! Redacts lines of standard input.
use redact::identifiers::{Catalogue, Entity, EntitySet, replace};
use std::io::Read;
fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let catalogue = Catalogue::new().unwrap();
    let wanted = if std::env::args().any(|a| a == "all") {
        EntitySet::of(Entity::all())
    } else {
        EntitySet::default()
    };
    if std::env::args().any(|a| a == "time") {
        let start = std::time::Instant::now();
        let n = catalogue.find(&text, &wanted).len();
        println!("{n} spans, {:.2} MB/s", text.len() as f64 / 1e6 / start.elapsed().as_secs_f64());
        return;
    }
    for line in text.split("\n") {
        let line = line.replace("\\n", "\n");
        let spans = catalogue.find(&line, &wanted);
        print!("{}", replace(&line, &spans, &wanted).replace('\n', "\\n"));
        println!("\t{}", spans.iter().map(|s| s.reason).collect::<Vec<_>>().join("|"));
    }
}
