//! A mail or message as its fields: everything that a reader of it sees beside the text.

/// The medium of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A mail.
    Mail,
    /// A message of a chat or a telephone.
    Message,
    /// A page or file, which has no sender.
    Document,
}

/// The fields beside the text.
#[derive(Clone, Debug)]
pub struct Letter<'l> {
    /// Medium.
    pub kind: Kind,
    /// First mailbox of From.
    pub sender: Option<Sender<'l>>,
    /// Whether the authentication of the sender failed, so that its domain is no evidence of trust.
    pub is_forged: bool,
    /// Addresses for replies.
    pub reply_to: Vec<&'l str>,
    /// Subject; empty where there is none.
    pub subject: &'l str,
    /// Beginning of the text, for names in it; more than 2,000 characters are not read.
    pub opening: &'l str,
    /// Links in any order.
    pub links: Vec<Link<'l>>,
    /// Names of attachments.
    pub attachments: Vec<&'l str>,
}

/// A mailbox.
#[derive(Clone, Copy, Debug)]
pub struct Sender<'l> {
    /// Display name; empty where there is none.
    pub name: &'l str,
    /// Address.
    pub address: &'l str,
}

/// A link.
#[derive(Clone, Copy, Debug)]
pub struct Link<'l> {
    /// Text of the link; none for a bare URL.
    pub shown: Option<&'l str>,
    /// Target.
    pub target: &'l str,
}

impl Letter<'_> {
    /// A text without a sender.
    #[must_use]
    pub fn anonymous(kind: Kind) -> Self {
        Self {
            kind,
            sender: None,
            is_forged: false,
            reply_to: Vec::new(),
            subject: "",
            opening: "",
            links: Vec::new(),
            attachments: Vec::new(),
        }
    }
}
