//! Links, forms, frames, scripts, descriptions.

use super::*;

#[test]
fn links_have_target_text_and_visibility() {
    let page = read(
        "<base href='/b/'><a href=' java\nscript:x '>run <b>this</b> <img alt=now></a><a>none</a>\
         <a download href=f.exe style='display:none'>f</a><map><area href=m alt=map></map><svg><a xlink:href=s>t</a></svg>",
    );
    let links: Vec<_> = page
        .links
        .iter()
        .map(|link| (link.href.as_str(), link.text.as_str(), link.is_download, link.is_hidden))
        .collect();
    assert_eq!(
        links,
        [
            ("javascript:x", "run this now", false, false),
            ("f.exe", "f", true, true),
            ("m", "map", false, false),
            ("s", "t", false, false)
        ]
    );
    assert_eq!(page.base.as_deref(), Some("/b/"));
}

#[test]
fn forms_have_their_fields() {
    let page = read(
        "<form action=https://other.test/in method=POST><input name=user><input type=PASSWORD name=pw autocomplete=off>\
         <textarea name=t></textarea><button formaction=/other>go</button></form><input type=email id=loose>\
         <form><form action=ignored><select name=s></select></form>",
    );
    let [first, second] = page.forms.as_slice() else { panic!("{:?}", page.forms) };
    assert_eq!((first.action.as_str(), first.method.as_str()), ("https://other.test/in", "post"));
    let kinds: Vec<_> = first.fields.iter().map(|field| (field.kind.as_str(), field.name.as_str())).collect();
    assert_eq!(kinds, [("text", "user"), ("password", "pw"), ("textarea", "t"), ("button", "")]);
    assert_eq!(first.other_actions, ["/other"]);
    assert_eq!((second.action.as_str(), second.method.as_str(), second.fields.len()), ("", "get", 1));
    assert_eq!(page.loose_fields[0].name, "loose");
}

#[test]
fn frames_scripts_and_redirections_are_listed() {
    let page = read(
        "<iframe src=//f.test hidden></iframe><iframe srcdoc='&lt;form action=x>&lt;input type=password>&lt;/form>inner'></iframe>\
         <script src=a.js></script><script>let x;</script><script type='application/ld+json'>{}</script>\
         <script type=text/template><p>data</p></script><meta http-equiv=Refresh content='3;url=/next'>\
         <link rel='preload stylesheet' href=s.css><object data=o.swf></object>",
    );
    let frames: Vec<_> = page.frames.iter().map(|frame| (frame.source.as_str(), frame.is_hidden)).collect();
    assert_eq!(frames, [("//f.test", true), ("", false), ("o.swf", false)]);
    let scripts: Vec<_> = page
        .scripts
        .iter()
        .map(|script| {
            let text = script.run.map(|run| page.document.runs[run as usize].text.as_str());
            (script.source.as_deref(), script.is_code, text)
        })
        .collect();
    assert_eq!(
        scripts,
        [
            (Some("a.js"), true, None),
            (None, true, Some("let x;")),
            (None, false, Some("{}")),
            (None, false, Some("<p>data</p>"))
        ]
    );
    assert_eq!(page.refresh, Some(Refresh { seconds: 3, target: "/next".to_owned() }));
    assert_eq!(page.style_sheets, ["s.css"]);
    assert_eq!(page.forms[0].fields[0].kind, "password");
    assert!(page.document.runs.iter().any(|run| run.text == "inner" && run.is_visible()));
}

#[test]
fn a_page_describes_itself() {
    let page = read(
        "<html lang=en-GB><head><title> My\npage </title><meta name=Description content='About it'></head>\
         <body><p aria-hidden=true>x",
    );
    assert_eq!(page.title.as_deref(), Some("My\npage"));
    assert_eq!(page.description.as_deref(), Some("About it"));
    assert_eq!(page.language.as_deref(), Some("en-GB"));
    assert_eq!(page.aria_hidden, 1);
    assert_eq!(page.document.parts, ["page"]);
}
