//! Entries of events, appended in place, not by way of the stack.

use std::borrow::Cow;

use sigma::event::Value;

/// Field name and value pairs, as events hold them.
pub type Entries<'a> = Vec<(Cow<'a, str>, Value<'a>)>;

/// Appends the result of `make`, after reserving room. [`Vec::push`] is given a value that may need a drop, so it
/// is written to the stack word by word and copied from there in longer words, which processors wait for: some
/// nanoseconds for each of the dozens of entries of a record. `make` should own nothing but words.
#[inline(always)]
pub(crate) fn push_with<T>(into: &mut Vec<T>, make: impl FnOnce() -> T) {
    into.extend(std::iter::once_with(make));
}

/// Appends an entry whose name and text are part of something else.
#[inline(always)]
pub(crate) fn push_text<'a>(into: &mut Entries<'a>, name: &'a str, text: &'a str) {
    push_with(into, || (Cow::Borrowed(name), Value::String(Cow::Borrowed(text))));
}

/// Appends an entry; quickly where it is of a usual kind.
#[inline]
pub(crate) fn push_entry<'a>(into: &mut Entries<'a>, name: &'a str, value: Value<'a>) {
    match value {
        Value::String(Cow::Borrowed(text)) => {
            push_text(into, name, text);
            // It owns nothing, which the compiler does not see.
            std::mem::forget(value);
        }
        Value::Int(number) => push_with(into, || (Cow::Borrowed(name), Value::Int(number))),
        value => into.push((Cow::Borrowed(name), value)),
    }
}
