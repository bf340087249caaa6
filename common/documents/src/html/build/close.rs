//! Elements that a start tag or an end tag closes.

use super::super::names::{ENDS_PARAGRAPH, FORMATTING, HEADING, SCOPE, SPECIAL, TABLE_PART, flags};
use super::super::tree::Name;
use super::{Builder, Open};

const P: Name = Name::new(b"p");
const TABLE: Name = Name::new(b"table");
const TEMPLATE: Name = Name::new(b"template");
const BUTTON: Name = Name::new(b"button");
const A: Name = Name::new(b"a");
const UL: Name = Name::new(b"ul");
const OL: Name = Name::new(b"ol");

/// End of the search for an open element.
#[derive(Clone, Copy, PartialEq)]
enum Until {
    /// Cells, tables, objects and the like.
    Scope,
    /// The same, and buttons.
    Button,
    /// The same as the first, and lists.
    List,
    /// Tables.
    Table,
}

impl Builder {
    /// Place of the innermost open element that is wanted, if the search reaches it.
    fn find(&self, until: Until, is_wanted: impl Fn(&Open) -> bool) -> Option<usize> {
        for (at, open) in self.stack.iter().enumerate().skip(2).rev() {
            if is_wanted(open) {
                return Some(at);
            }
            let ends = match until {
                Until::Table => open.name == TABLE || open.name == TEMPLATE,
                _ if open.flags & SCOPE != 0 && !open.is_foreign => true,
                Until::Button => open.name == BUTTON,
                Until::List => open.name == UL || open.name == OL,
                Until::Scope => false,
            };
            if ends {
                return None;
            }
        }
        None
    }

    fn find_name(&self, until: Until, name: Name) -> Option<usize> {
        if !self.is_maybe_open(name) {
            return None;
        }
        self.find(until, |open| open.name == name && !open.is_foreign)
    }

    /// Closes the element at a place and all within it.
    fn close(&mut self, at: usize) {
        while self.stack.len() > at && self.pop().is_some() {}
    }

    fn close_name(&mut self, until: Until, name: Name) {
        if let Some(at) = self.find_name(until, name) {
            self.close(at);
        }
    }

    /// Closes elements that a start tag ends. `false` if the tag is ignored.
    pub(super) fn close_before(&mut self, name: Name, flags: u32) -> bool {
        if flags & ENDS_PARAGRAPH != 0 {
            self.close_items(name);
            self.close_name(Until::Button, P);
        }
        if flags & HEADING != 0 && self.is_heading() {
            self.pop();
        }
        if name == A && self.formatting.iter().rev().map_while(|entry| *entry).any(|open| open.name == A) {
            self.end_formatting(A);
        }
        if name == BUTTON {
            self.close_name(Until::Scope, BUTTON);
        }
        let option = Name::new(b"option");
        if (name == option || name == Name::new(b"optgroup")) && self.current().name == option {
            self.pop();
        }
        self.close_in_table(name, flags)
    }

    /// An item of a list ends the one before it.
    fn close_items(&mut self, name: Name) {
        const ITEMS: [&[Name]; 2] = [&[Name::new(b"li")], &[Name::new(b"dd"), Name::new(b"dt")]];
        let Some(items) = ITEMS.into_iter().find(|items| items.contains(&name)) else { return };
        if !items.iter().any(|item| self.is_maybe_open(*item)) {
            return;
        }
        for (at, open) in self.stack.iter().enumerate().skip(2).rev() {
            if items.contains(&open.name) {
                self.close(at);
                return;
            }
            let is_passed = [P, Name::new(b"div"), Name::new(b"address")].contains(&open.name);
            if open.flags & SPECIAL != 0 && !is_passed {
                return;
            }
        }
    }

    /// Rows end cells, groups end rows. Outside of a table their tags are ignored.
    fn close_in_table(&mut self, name: Name, flags: u32) -> bool {
        let is_cell = name == Name::new(b"td") || name == Name::new(b"th");
        let is_row = name == Name::new(b"tr");
        let is_group = [&b"tbody"[..], b"thead", b"tfoot", b"caption", b"colgroup", b"col"]
            .iter()
            .any(|group| name == Name::new(group));
        if name == TABLE && self.current().flags & TABLE_PART != 0 {
            self.close_name(Until::Table, TABLE);
        }
        if !is_cell && !is_row && !is_group {
            return true;
        }
        debug_assert!(flags != 0);
        let Some(table) = self.find_name(Until::Table, TABLE) else {
            // A row in a template is kept, since scripts insert it.
            return self.current().name == TEMPLATE;
        };
        let is_kept = |open: &Open| {
            let is_group = open.flags & TABLE_PART != 0 && open.name != TABLE;
            is_group && (is_cell || (is_row && open.name != Name::new(b"tr")))
        };
        let from = self.stack.iter().enumerate().skip(table + 1).rev().find(|(_, open)| is_kept(open));
        let from = from.map_or(table, |(at, _)| at);
        self.close(from + 1);
        true
    }

    /// An end tag.
    pub(super) fn end_tag(&mut self, name: Name, offset: u32) {
        if self.current().is_foreign && self.end_foreign(name) {
            return;
        }
        let flags = flags(name);
        if name == Name::new(b"br") {
            self.start_tag(name, offset, false);
        } else if name == P {
            self.close_name(Until::Button, P);
        } else if name == Name::new(b"li") {
            self.close_name(Until::List, name);
        } else if flags & HEADING != 0 {
            if let Some(at) = self.find(Until::Scope, |open| open.flags & HEADING != 0) {
                self.close(at);
            }
        } else if name == Name::new(b"form") {
            self.end_form();
        } else if flags & FORMATTING != 0 {
            self.end_formatting(name);
        } else if name == TEMPLATE {
            if let Some(at) = self.stack.iter().rposition(|open| open.name == TEMPLATE) {
                self.close(at);
            }
        } else if flags & TABLE_PART != 0
            || name == Name::new(b"td")
            || name == Name::new(b"th")
            || name == Name::new(b"caption")
        {
            self.close_name(Until::Table, name);
        } else if flags & SPECIAL != 0 {
            self.close_name(Until::Scope, name);
        } else {
            self.end_other(name);
        }
    }

    /// Closes an element of SVG or MathML. `false` if the tag belongs to HTML around it.
    fn end_foreign(&mut self, name: Name) -> bool {
        let own = self.stack.iter().enumerate().skip(2).rev().take_while(|(_, open)| open.is_foreign);
        let found = own.filter(|(_, open)| open.name == name).map(|(at, _)| at).next();
        if let Some(at) = found {
            self.close(at);
        }
        found.is_some()
    }

    /// The element leaves the stack; elements that are open within it stay.
    fn end_form(&mut self) {
        let Some(form) = self.form.take() else { return };
        let Some(at) = self.stack.iter().rposition(|open| open.node == form) else { return };
        if at + 1 == self.stack.len() {
            self.pop();
        } else {
            let open = self.stack.remove(at);
            if let Some(count) = self.open.get_mut(usize::from(open.name.slot())) {
                *count = count.saturating_sub(1);
            }
        }
    }

    /// Ends a formatting element. Blocks that are open within it continue without it (HTML standard, "adoption agency").
    fn end_formatting(&mut self, name: Name) {
        if let Some(at) = self.formatting.iter().rposition(|entry| entry.is_none_or(|open| open.name == name))
            && self.formatting.get(at).is_some_and(Option::is_some)
        {
            self.formatting.remove(at);
        }
        let Some(at) = self.find_name(Until::Scope, name) else { return };
        let within: Vec<Open> = self.stack.get(at + 1..).unwrap_or_default().to_vec();
        let Some(first) = within.iter().position(|open| open.flags & SPECIAL != 0) else {
            self.close(at);
            return;
        };
        self.close(at);
        for open in within.into_iter().skip(first) {
            let parent = self.current().node;
            let Some(node) = self.tree.add_copy(parent, open.node) else { return };
            self.push(Open { node, ..open });
        }
    }

    /// An end tag without rules of its own, for example `span`.
    fn end_other(&mut self, name: Name) {
        if !self.is_maybe_open(name) {
            return;
        }
        for (at, open) in self.stack.iter().enumerate().skip(2).rev() {
            if open.name == name {
                self.close(at);
                return;
            }
            if open.flags & SPECIAL != 0 {
                return;
            }
        }
    }
}
