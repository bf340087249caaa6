//! Content of a document that acts on its own or points elsewhere.

use serde::{Deserialize, Serialize};

/// Content that acts on its own or points elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Active {
    /// Kind.
    pub kind: ActiveKind,
    /// Name, target or command, at most [`MOST_DETAIL_BYTES`]; its code is a [`Run`].
    pub detail: String,
}

/// Kind of [`Active`] content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActiveKind {
    /// Script of a PDF.
    JavaScript,
    /// Action when the document or a page of it is opened; its detail is the type of the action.
    OpenAction,
    /// Start of a program; its detail is the command.
    Launch,
    /// Link to a web address or another document.
    Link,
    /// Data of a form sent to an address.
    SubmitForm,
    /// Embedded file; its detail is the name.
    EmbeddedFile,
    /// Macro project of an Office document; its detail is the part.
    Macro,
    /// Template that is loaded from elsewhere; its detail is the address.
    ExternalTemplate,
    /// Other content that is loaded from elsewhere: image, frame, linked object.
    ExternalContent,
    /// Dynamic data exchange: a field or formula that starts a program.
    Dde,
    /// Embedded object of another program; its detail is the part.
    EmbeddedObject,
}

/// Bytes of the detail of [`Active`] content at most. A longer one is cut, since it only names the content.
pub const MOST_DETAIL_BYTES: usize = 2_048;

impl Active {
    /// Cuts a detail to its bound.
    pub(crate) fn new(kind: ActiveKind, mut detail: String) -> Self {
        detail.truncate(detail.floor_char_boundary(MOST_DETAIL_BYTES));
        Self { kind, detail }
    }
}
