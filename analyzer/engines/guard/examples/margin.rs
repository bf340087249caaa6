//! x
use std::io::BufRead;
fn main() {
    let bytes = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    let guard = guard::Guard::load(&bytes).unwrap();
    let reader = guard::Reader::new().unwrap();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        println!("{:8.2} {}", guard.margin(&line), line.chars().take(90).collect::<String>());
        for read in reader.read(&line, &[]) {
            println!("   {:?} {:?}", read.view.text, read.view.disguises);
            for f in &read.facts {
                println!("       {} {:?}", f.name, f.words);
            }
        }
    }
}
