//! Bounds, each with its reason. Reaching one is reported as unread code, never silently.

/// Bytes of one file. Longer sources of popular packages are bundles, whose beginning is read.
pub const MOST_FILE_BYTES: usize = 1 << 20;
/// Bytes of all files of a set: some seconds of processor time.
pub const MOST_SET_BYTES: usize = 16 << 20;
/// Files of a set.
pub const MOST_FILES: usize = 4_000;
/// Chains of a report. A set with more is an attack by any of them.
pub const MOST_CHAINS: usize = 200;
/// Capabilities of a report.
pub const MOST_CAPABILITIES: usize = 5_000;

/// Depth of a syntax tree. The reader uses the call stack, about 2 KiB for each level in a build without optimization.
pub(crate) const MOST_DEPTH: u32 = 220;
/// Instructions of one file.
pub(crate) const MOST_INSTRUCTIONS: usize = 600_000;
/// Steps of the parser, in hundreds, for a file of no length, and one more for each byte: ordinary code needs a
/// hundredth of that.
pub(crate) const PARSER_STEPS: usize = 20_000;
/// Interpretation steps for each instruction of the set. Calls are followed within it.
pub(crate) const STEPS_FOR_EACH_INSTRUCTION: u64 = 10;
/// Steps besides, so that small sets can follow their calls.
pub(crate) const STEPS_BESIDES: u64 = 200_000;
/// Depth of followed calls.
pub(crate) const MOST_CALLS_DEEP: u32 = 12;
/// Functions, files and texts that execute within each other, over all: each takes up to 30 KiB of the call stack in a
/// build without optimization.
pub(crate) const MOST_LEVELS: u32 = 28;
/// Depth of code within code: decoded literals and shell strings.
pub(crate) const MOST_LAYERS: u32 = 3;
/// Bytes of code within code, of a set.
pub(crate) const MOST_INNER_BYTES: usize = 4 << 20;
/// Bytes of one folded constant, enough for payloads in popular form.
pub(crate) const MOST_CONSTANT: usize = 1 << 20;
/// Bytes of all folded constants: concatenation in a loop would otherwise be quadratic.
pub(crate) const MOST_FOLDED: usize = 32 << 20;
/// Objects of the interpretation.
pub(crate) const MOST_OBJECTS: usize = 400_000;
/// Alternatives of a constant that depends on a branch.
pub(crate) const MOST_ALTERNATIVES: usize = 4;
/// Characters of a detail.
pub(crate) const DETAIL: usize = 160;
