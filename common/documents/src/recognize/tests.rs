//! Contents, their formats, and claims.

use super::*;

fn zip_with(names: &[&str]) -> Vec<u8> {
    // The names in a directory are enough here; a whole archive is read elsewhere.
    let mut content = b"PK\x03\x04".to_vec();
    names.iter().for_each(|name| content.extend(name.as_bytes()));
    content
}

#[test]
fn formats_are_recognised_by_their_content() {
    let mut windows = b"MZ".to_vec();
    windows.resize(0x3c, 0);
    windows.extend(0x40_u32.to_le_bytes());
    windows.extend(b"PE\0\0");
    let mut tar = vec![b'a'; 257];
    tar.extend(b"ustar\x0000");
    let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let cases: Vec<(&[u8], Format)> = vec![
        (&own, Format::Elf),
        (&windows, Format::PortableExecutable),
        (b"MZ is a word in a text.", Format::Text),
        (b"\xcf\xfa\xed\xfe\x07\0\0\x01", Format::MachO),
        (b"\xca\xfe\xba\xbe\0\0\0\x02", Format::MachO),
        (b"\xca\xfe\xba\xbe\0\0\0\x41", Format::Bytecode),
        (b"\xcb\x0d\r\n\0\0\0\0", Format::Bytecode),
        (b"#!/bin/sh\nrm", Format::Script),
        (&tar, Format::Tar),
        (b"\x1f\x8b\x08\0", Format::Gzip),
        (b"%PDF-1.7", Format::Pdf),
        (b"junk\n%PDF-1.7", Format::Pdf),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Format::CompoundFile),
        (b"{\\rtf1", Format::Rtf),
        (b"\x89PNG\r\n\x1a\n", Format::Image),
        (b"BMW is a word", Format::Text),
        (b" <!DOCTYPE HTML><p>", Format::Html),
        (b"\xff\xfe<\0h\0t\0m\0l\0>\0", Format::Html),
        (b"hello <script>x</script>", Format::Html),
        (b"<?xml version='1.0'?><svg onload=x>", Format::Svg),
        (b"<?xml version='1.0'?><a/>", Format::Xml),
        (b"From: a@b.test\r\nSubject: x\r\n\r\ntext", Format::Mail),
        (b"From: here to there we went\nand on\n\n", Format::Text),
        ("plain text, ünïcode".as_bytes(), Format::Text),
        (b"\x01\x02\x03\x04", Format::Binary),
    ];
    for (content, expected) in cases {
        assert_eq!(recognize(content), Some(expected), "{:?}", content.get(..20.min(content.len())));
    }
    assert_eq!(recognize(b""), None);
    for (names, expected) in [
        (&["[Content_Types].xml", "word/document.xml"][..], Format::Word),
        (&["[Content_Types].xml", "xl/workbook.xml"], Format::Sheet),
        (&["[Content_Types].xml", "ppt/presentation.xml"], Format::Slides),
        (&["mimetypeapplication/vnd.oasis.opendocument.text"], Format::OpenDocument),
        (&["META-INF/MANIFEST.MF"], Format::JavaArchive),
        (&["a.txt"], Format::Zip),
    ] {
        assert_eq!(recognize(&zip_with(names)), Some(expected), "{names:?}");
    }
}

#[test]
fn contents_of_two_formats_have_both() {
    let end = b"PK\x05\x06\0\0\0\0\x01\0\x01\0\0\0\0\0\0\0\0\0\0\0";
    assert_eq!(formats(&[&b"%PDF-1.7 "[..], end].concat()), [Format::Pdf, Format::Zip]);
    assert_eq!(formats(&[&b"GIF89a"[..], end].concat()), [Format::Image, Format::Zip]);
    assert_eq!(formats(b"<html><!-- %PDF-1.4 -->"), [Format::Pdf, Format::Html]);
    assert_eq!(formats(b"%PDF-1.7"), [Format::Pdf]);
    assert_eq!(formats(b"text"), [Format::Text]);
}

#[test]
fn claims_are_compared_with_the_content() {
    for (format, name, declared, expected) in [
        (Format::PortableExecutable, Some("invoice.pdf"), None, Claim::Disguised),
        (Format::PortableExecutable, Some("invoice.pdf.exe"), None, Claim::Met),
        (
            Format::PortableExecutable,
            Some("invoice\u{202e}fdp.exe"),
            Some("application/pdf"),
            Claim::Disguised,
        ),
        (Format::Html, Some("scan.pdf"), Some("application/pdf"), Claim::Disguised),
        (Format::Html, Some("page.html"), Some("text/html; charset=utf-8"), Claim::Met),
        (Format::Html, Some("readme.md"), Some("text/plain"), Claim::Other),
        (Format::Zip, Some("photo.jpg"), None, Claim::Disguised),
        (Format::Pdf, Some("a.pdf"), Some("application/octet-stream"), Claim::Met),
        (Format::Pdf, Some("a.txt"), None, Claim::Other),
        (Format::Text, Some("run.sh"), None, Claim::Met),
        (Format::Image, Some("a.png"), Some("image/jpeg"), Claim::Met),
        (Format::Image, Some("noname"), None, Claim::None),
        (Format::Elf, Some("a.txt. "), None, Claim::Disguised),
    ] {
        assert_eq!(claim(format, name, declared), expected, "{format:?} {name:?} {declared:?}");
    }
}
