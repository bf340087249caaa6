#![no_main]
//! Mails: read or refused, the same each time and after serialization, and the contents of all attached files.

use documents::Mail;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|content: &[u8]| {
    let read = Mail::read(content);
    let Ok(mail) = &read else { return };
    let sent = serde_json::to_vec(mail).unwrap();
    assert_eq!(&serde_json::from_slice::<Mail>(&sent).unwrap(), mail);
    let contents = Mail::contents(content).unwrap();
    let sizes: Vec<u64> = contents.iter().map(|content| content.len() as u64).collect();
    let expected: Vec<u64> = mail.files().iter().map(|file| file.size).collect();
    assert_eq!(sizes, expected);
    assert_eq!(Mail::read(content), read);
});
