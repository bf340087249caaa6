#![no_main]
//! Mails: read or refused, the same each time and after serialization, and as many contents as attachments.

use documents::Mail;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|content: &[u8]| {
    let read = Mail::read(content);
    let Ok(mail) = &read else { return };
    let sent = serde_json::to_vec(mail).unwrap();
    assert_eq!(&serde_json::from_slice::<Mail>(&sent).unwrap(), mail);
    let contents = Mail::contents(content).unwrap();
    let numbers: Vec<u32> = contents.iter().map(|(number, _)| *number).collect();
    let expected: Vec<u32> = mail.attachments.iter().map(|attachment| attachment.part).collect();
    assert!(numbers.starts_with(&expected), "{numbers:?} {expected:?}");
    assert_eq!(Mail::read(content), read);
});
