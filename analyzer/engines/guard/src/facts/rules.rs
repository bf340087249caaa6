//! The rules: classes of words that stand near each other.

use std::ops::Range;

use super::Fact;
use crate::Violation;
use crate::lexicon::Class::{self, *};

/// Classes that make a fact together.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(super) name: &'static str,
    pub(super) says: &'static str,
    pub(super) needs: &'static [Class],
    /// Most words from the first to the last.
    pub(super) within: usize,
    pub(super) strength: f32,
    pub(super) violation: Violation,
}

impl Rule {
    pub(super) fn fact(&self, words: Range<usize>) -> Fact {
        let Self { name, says, strength, violation, .. } = *self;
        Fact { name, says, words, strength, violation }
    }
}

const fn rule(
    name: &'static str,
    needs: &'static [Class],
    within: usize,
    strength: f32,
    violation: Violation,
    says: &'static str,
) -> Rule {
    Rule { name, says, needs, within, strength, violation }
}

const INJECTION: Violation = Violation::PromptInjection;
const EXTRACTION: Violation = Violation::SystemPromptExtraction;
const EXFILTRATION: Violation = Violation::DataExfiltration;
const JAILBREAK: Violation = Violation::Jailbreak;

/// All rules.
pub(crate) const RULES: [Rule; 56] = [
    rule("override", &[Override, Instruction], 6, 1.5, INJECTION, "asks to ignore instructions"),
    rule(
        "override-previous",
        &[Override, Previous, Instruction],
        8,
        3.0,
        INJECTION,
        "asks to ignore the instructions given before",
    ),
    rule("forget-previous", &[Override, Previous], 4, 0.8, INJECTION, "asks to forget what came before"),
    rule("override-and-new", &[Override, New, Task], 16, 1.5, INJECTION, "replaces the task by another"),
    rule(
        "override-and-say",
        &[Override, Say, Only],
        24,
        1.5,
        INJECTION,
        "asks to ignore something and dictates a reply",
    ),
    rule(
        "reveal-your-prompt",
        &[Reveal, Your, Prompt],
        7,
        1.5,
        EXTRACTION,
        "asks for the instructions of the assistant",
    ),
    rule("reveal-system-prompt", &[Reveal, System, Prompt], 7, 2.5, EXTRACTION, "asks for the system prompt"),
    rule("system-prompt", &[System, Prompt], 2, 0.8, EXTRACTION, "names the system prompt"),
    rule("reveal-previous", &[Reveal, Previous, Prompt], 6, 1.0, EXTRACTION, "asks for the text before this"),
    rule(
        "disguised-prompt",
        &[Poem, Your, Prompt],
        14,
        1.5,
        EXTRACTION,
        "asks for its instructions in another form",
    ),
    rule("disguised-secret", &[Poem, Secret], 12, 1.5, EXTRACTION, "asks for a secret in another form"),
    rule("reveal-secret", &[Reveal, Secret], 6, 1.2, EXTRACTION, "asks for a secret"),
    rule("your-secret", &[Your, Secret], 6, 0.8, EXTRACTION, "speaks of a secret that the assistant keeps"),
    rule(
        "forbidden-secret",
        &[Forbidden, Secret],
        12,
        1.0,
        EXTRACTION,
        "speaks of a secret that must be kept",
    ),
    rule("authority", &[Authority], 12, 1.2, EXTRACTION, "claims an authority"),
    rule(
        "authority-secret",
        &[Authority, Secret],
        20,
        2.0,
        EXTRACTION,
        "claims an authority and speaks of a secret",
    ),
    rule(
        "authority-reveal",
        &[Authority, Reveal],
        20,
        1.0,
        EXTRACTION,
        "claims an authority and asks for something",
    ),
    rule("dictated", &[Only, Say], 4, 0.6, INJECTION, "dictates the reply"),
    rule("dictated-always", &[Persist, Say], 5, 0.6, INJECTION, "dictates all replies"),
    rule("template", &[Template], 4, 2.0, INJECTION, "contains marks of a chat template"),
    rule("role-tag", &[Roletag], 6, 1.2, INJECTION, "contains marks of another speaker"),
    rule("role-json", &[Rolejson], 8, 1.0, INJECTION, "contains a message of another role"),
    rule("end-of-input", &[End], 8, 1.2, INJECTION, "claims that the input ends"),
    rule("fence-and-end", &[Fence, End], 6, 1.5, INJECTION, "claims that the input ends, behind a line"),
    rule(
        "fence-and-new",
        &[Fence, New, Instruction],
        8,
        1.5,
        INJECTION,
        "begins new instructions, behind a line",
    ),
    rule("new-instructions", &[New, Instruction], 2, 1.0, INJECTION, "gives new instructions"),
    rule("new-task", &[New, Task], 6, 0.8, INJECTION, "gives a new task"),
    rule("persona", &[Persona], 8, 0.5, JAILBREAK, "asks for another persona"),
    rule("unrestricted", &[Unrestricted], 6, 1.2, JAILBREAK, "asks for behaviour without restrictions"),
    rule(
        "persona-unrestricted",
        &[Persona, Unrestricted],
        50,
        2.5,
        JAILBREAK,
        "asks for a persona without restrictions",
    ),
    rule(
        "hypothetical-secret",
        &[Hypothetical, Secret],
        30,
        0.8,
        EXTRACTION,
        "asks for a secret in an imagined situation",
    ),
    rule(
        "to-the-assistant",
        &[Before],
        10,
        1.5,
        INJECTION,
        "addresses the assistant that processes the text",
    ),
    rule("important-assistant", &[Important, Ai], 6, 1.2, INJECTION, "addresses the assistant with urgency"),
    rule("assistant-task", &[Ai, Task], 6, 0.8, INJECTION, "gives the assistant a task"),
    rule(
        "assistant-instructions",
        &[Ai, Instruction],
        6,
        0.5,
        INJECTION,
        "speaks of instructions of the assistant",
    ),
    rule("conceal", &[Conceal], 8, 1.2, INJECTION, "asks to hide something from the user"),
    rule(
        "conceal-from-user",
        &[Conceal, User],
        8,
        1.5,
        INJECTION,
        "asks to hide something from the user of the assistant",
    ),
    rule("send-data", &[Send, Data, Address], 24, 1.5, EXFILTRATION, "asks to send data to an address"),
    rule("send-to-link", &[Send, Data, Link], 24, 1.2, EXFILTRATION, "asks to send data to a site"),
    rule(
        "conceal-and-send",
        &[Conceal, Send],
        20,
        1.2,
        EXFILTRATION,
        "asks to send something without notice",
    ),
    rule("image-link", &[Image, Link, Carry], 30, 1.2, EXFILTRATION, "asks for an image from another site"),
    rule(
        "data-in-link",
        &[Link, Placeholder, Carry],
        25,
        1.8,
        EXFILTRATION,
        "asks for a link that carries data",
    ),
    rule(
        "data-in-image",
        &[Image, Link, Placeholder, Carry],
        30,
        3.0,
        EXFILTRATION,
        "asks for an image whose address carries data",
    ),
    rule(
        "unrestricted-assistant",
        &[Ai, Unrestricted],
        10,
        1.0,
        JAILBREAK,
        "speaks of an assistant without restrictions",
    ),
    rule("put-into-reply", &[Insert, Reply], 8, 0.8, INJECTION, "asks to put something into the reply"),
    rule(
        "link-into-reply",
        &[Insert, Reply, Link],
        24,
        1.5,
        EXFILTRATION,
        "asks to put a link into the reply",
    ),
    rule(
        "regardless",
        &[Regardless, Instruction],
        6,
        1.0,
        INJECTION,
        "claims priority over other instructions",
    ),
    rule("regardless-say", &[Regardless, Say], 8, 0.8, INJECTION, "dictates the reply in every case"),
    rule("regardless-act", &[Regardless, Act], 12, 0.8, INJECTION, "demands an action in every case"),
    rule("mode", &[Mode, Task], 10, 0.8, INJECTION, "claims a special mode of the system"),
    rule("mode-reveal", &[Mode, Reveal], 10, 0.6, EXTRACTION, "claims a special mode and asks for something"),
    rule("assistant-act", &[Ai, Act], 6, 0.6, INJECTION, "asks the assistant to act"),
    rule("before-act", &[Before, Act], 8, 1.2, INJECTION, "asks the assistant to act on reading the text"),
    rule("conceal-act", &[Conceal, Act], 12, 0.8, INJECTION, "asks to act without notice"),
    rule(
        "override-everything",
        &[Override, Everything],
        5,
        2.0,
        INJECTION,
        "asks to ignore everything before",
    ),
    rule(
        "override-everything-and-say",
        &[Override, Everything, Say],
        12,
        1.0,
        INJECTION,
        "asks to ignore everything before and dictates a reply",
    ),
];
