//! Names of functions that pass a reply on without reading it, and of those that read it.

/// Methods that call a function with the reply.
pub(super) const CONTINUES: [&str; 8] =
    ["then", "finally", "on", "once", "addListener", "subscribe", "add_done_callback", "map"];
/// Methods that put the reply into one of their arguments.
pub(super) const PUTS: [&str; 8] =
    ["pipe", "pipeTo", "Decode", "readinto", "recv_into", "forEach", "reduce", "extract"];
/// Functions that start others, or wait for them: their result is that of these.
pub(super) const STARTS: [&str; 38] = [
    "setTimeout",
    "setInterval",
    "setImmediate",
    "queueMicrotask",
    "nextTick",
    "submit",
    "create_task",
    "ensure_future",
    "run_in_executor",
    "run_coroutine_threadsafe",
    "Thread",
    "Timer",
    "Process",
    "start_new_thread",
    "apply_async",
    "start_soon",
    "call_soon",
    "call_later",
    "waitUntil",
    "allSettled",
    "all",
    "race",
    "any",
    "gather",
    "wait",
    "wait_for",
    "shield",
    "void",
    "catch",
    "then",
    "finally",
    "map",
    "forEach",
    "flatMap",
    "Promise",
    "run_until_complete",
    "suppress",
    "Go",
];
/// Functions that change the form of a reply, or write it to a log.
pub(super) const FORMS: [&str; 14] = [
    "ReadAll",
    "loads",
    "parse",
    "stringify",
    "str",
    "String",
    "len",
    "bool",
    "Boolean",
    "Copy",
    "log",
    "debug",
    "isinstance",
    "NewDecoder",
];
