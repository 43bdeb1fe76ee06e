//! Statements of MDX: `import` and `export`.

use super::fence::fence_of;
use super::line::line_end;
use super::script::walk;

/// A statement longer than this is none.
const MAX_STATEMENT: usize = 20_000;
const STARTS: [&str; 6] = ["import ", "import{", "import\"", "import'", "export ", "export{"];

/// Returns whether a file imports something outside its code and scripts, as MDX does under any name.
pub(super) fn has_imports(text: &str) -> bool {
    let mut fence = None;
    let mut is_script = false;
    text.lines().any(|line| {
        is_script = (is_script || line.starts_with("<script")) && !line.contains("</script");
        let found = fence_of(line);
        match (&fence, found) {
            (None, Some(opened)) => fence = Some(opened),
            (Some(open), Some(found)) if found.closes(open) => fence = None,
            _ => {}
        }
        let from = || line.contains(" from '") || line.contains(" from \"") || line.starts_with("import '");
        fence.is_none() && !is_script && line.starts_with("import ") && from()
    })
}

/// Finds the end of the statement that begins a line, with the line's end; `None` if none begins.
pub(super) fn statement_end(text: &str, start: usize) -> Option<usize> {
    let rest = &text[start..];
    STARTS.iter().any(|start| rest.starts_with(start)).then_some(())?;
    let bytes = &rest.as_bytes()[..rest.len().min(MAX_STATEMENT)];
    let mut open = 0;
    let end = walk(bytes, |at, byte, depth| {
        open = depth;
        (byte == b'\n' && depth == 0).then_some(start + at + 1)
    });
    let is_last = rest.len() < MAX_STATEMENT && open == 0;
    end.or(Some(if is_last { text.len() } else { line_end(text, start) }))
}
