//! Forms and their fields, as the tags of a page begin and end them.

use super::Collector;
use crate::page::Form;
use crate::page::form::MOST_FORMS;

impl Collector {
    pub(super) fn open_form(&mut self) {
        self.close_form();
        let action = self.attribute("action").unwrap_or_default();
        // A form without action is sent to its page, even where `base` leads elsewhere.
        let action =
            if action.trim_ascii().is_empty() { Some(self.url.clone()) } else { self.resolve(action) };
        let method = self.attribute("method").unwrap_or_default();
        self.form = action.and_then(|action| Form::new(method, &action));
    }

    pub(super) fn field(&mut self) {
        let name = self.attribute("name").unwrap_or_default().to_owned();
        let kind = match self.tag.as_str() {
            "input" => self.attribute("type").unwrap_or("text"),
            tag => tag,
        };
        let kind = kind.to_owned();
        if let Some(form) = &mut self.form {
            form.push(&name, &kind);
        }
    }

    pub(super) fn close_form(&mut self) {
        let Some(form) = self.form.take() else { return };
        if self.page.forms.len() < MOST_FORMS {
            self.page.forms.push(form);
        } else {
            self.page.cut = true;
        }
    }
}
