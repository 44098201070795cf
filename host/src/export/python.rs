//! Parts that scripts in Python share.

use super::header_lines;
use super::literal::python;
use super::source::ExportSource;

/// A script: its head, its functions and the body of `main`.
pub(super) fn script(
    source: &ExportSource<'_>,
    imports: &str,
    functions: &str,
    body: &[String],
) -> String {
    let lines: Vec<String> = body.iter().map(|line| format!("    {line}")).collect();
    format!(
        "{}\n{imports}\nPACKAGE = {}\n{functions}\n\ndef main():\n{}\n\n\nif __name__ == \"__main__\":\n    main()\n",
        header_lines(source, "#").join("\n"),
        python(source.package()),
        lines.join("\n")
    )
}

pub(super) fn sleep(millis: u32) -> String {
    format!("time.sleep({}.{:03})", millis / 1000, millis % 1000)
}
