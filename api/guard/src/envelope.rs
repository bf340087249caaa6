//! The reply of guard, redact and verify (specification, Guard request and response).

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// The reply; `C` is the content of its message.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Envelope<C: ToSchema> {
    /// Id of the reply.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// Name and version of the model.
    model: String,
    /// One choice.
    choices: [Choice<C>; 1],
    /// Tokens read and written.
    usage: Usage,
}

/// The choice.
#[derive(Debug, Serialize, ToSchema)]
struct Choice<C: ToSchema> {
    message: Message<C>,
    /// `stop`.
    #[schema(example = "stop")]
    finish_reason: &'static str,
}

/// The message.
#[derive(Debug, Serialize, ToSchema)]
struct Message<C: ToSchema> {
    /// `assistant`.
    #[schema(example = "assistant")]
    role: &'static str,
    content: C,
    /// Facts behind the content, in sentences.
    reasoning: String,
}

/// Tokens of a request, in the vocabulary o200k.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Usage {
    /// Tokens of the input.
    prompt_tokens: usize,
    /// Tokens of content and reasoning.
    completion_tokens: usize,
    /// Their sum.
    total_tokens: usize,
}

impl Usage {
    pub(crate) fn new(prompt_tokens: usize, completion_tokens: usize) -> Self {
        Self { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
    }
}

impl<C: ToSchema> Envelope<C> {
    pub(crate) fn new(id: Uuid, model: &str, (content, reasoning): (C, String), usage: Usage) -> Self {
        let message = Message { role: "assistant", content, reasoning };
        Self { id, model: model.to_owned(), choices: [Choice { message, finish_reason: "stop" }], usage }
    }

    pub(crate) const fn usage(&self) -> Usage {
        self.usage
    }

    pub(crate) fn content(&self) -> &C {
        let [choice] = &self.choices;
        &choice.message.content
    }
}
