//! Abstraction files, to be read and edited by a person: the reducer of the root in the first line, and below it the branches,
//! indented by two spaces per level.
//!
//! ```text
//! type
//!   {class="android.widget.ListView"} / {} => parent
//! ```

use retap_shared::Text;

use super::attribute_path::{AttributePath, AttributePathId, AttributePaths, WidgetAttributes};
use super::attribute_reducer::{AttributeReducer, AttributeReducerError};
use super::decision_tree::{DecisionNode, DecisionTree};
use super::{ApeModel, ModelState};

/// An abstraction file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "the messages describe the variants and their fields"
)]
pub enum AbstractionError {
    #[error("the file contains no reducer; the first line must be one, such as `type`")]
    Empty,
    #[error("line {line}: {source}")]
    Reducer {
        line: usize,
        source: AttributeReducerError,
    },
    #[error(
        "line {line}: a branch is written `{{class=\"…\", id=\"…\", text=\"…\", index=0}} / {{}} => REDUCER`"
    )]
    Branch { line: usize },
    #[error("line {line}: unknown attribute `{key}`; known are `class`, `id`, `text` and `index`")]
    Attribute { line: usize, key: String },
    #[error(
        "line {line}: indented by {spaces} spaces; a branch has two more than the line that it belongs to"
    )]
    Indentation { line: usize, spaces: usize },
    #[error("line {line}: selector missing; only the first line has none")]
    SecondRoot { line: usize },
}

impl DecisionTree {
    /// Reads an abstraction file.
    pub fn parse(text: &str, paths: &mut AttributePaths) -> Result<DecisionTree, AbstractionError> {
        let mut nodes: Vec<DecisionNode> = Vec::new();
        // The last node of each level.
        let mut levels: Vec<usize> = Vec::new();
        for (line, content) in (1..).zip(text.lines()) {
            let trimmed = content.trim();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            let spaces = content.len() - content.trim_start().len();
            let reducer = |text: &str| {
                text.parse::<AttributeReducer>()
                    .map_err(|source| AbstractionError::Reducer { line, source })
            };
            if nodes.is_empty() {
                nodes.push(initial_node(reducer(trimmed)?));
                levels.push(0);
                continue;
            }
            if spaces == 0 {
                return Err(AbstractionError::SecondRoot { line });
            }
            if spaces % 2 != 0 || spaces / 2 > levels.len() {
                return Err(AbstractionError::Indentation { line, spaces });
            }
            let (selector, branch_reducer) = trimmed
                .rsplit_once("=>")
                .ok_or(AbstractionError::Branch { line })?;
            let selector = parse_path(selector.trim(), line, paths)?;
            levels.truncate(spaces / 2);
            let next = nodes.len();
            nodes[levels[spaces / 2 - 1]]
                .branches
                .push((selector, next));
            nodes.push(initial_node(reducer(branch_reducer.trim())?));
            levels.push(next);
        }
        if nodes.is_empty() {
            Err(AbstractionError::Empty)
        } else {
            Ok(DecisionTree { nodes })
        }
    }

    /// Text of an abstraction file.
    pub fn to_text(&self, paths: &AttributePaths) -> String {
        let mut text = format!("{}\n", self.nodes[0].reducer);
        self.write_branches(0, 1, paths, &mut text);
        text
    }

    fn write_branches(&self, node: usize, depth: usize, paths: &AttributePaths, text: &mut String) {
        for (selector, next) in &self.nodes[node].branches {
            let indent = "  ".repeat(depth);
            text.push_str(&format!(
                "{indent}{} => {}\n",
                path_text(*selector, paths),
                self.nodes[*next].reducer
            ));
            self.write_branches(*next, depth + 1, paths, text);
        }
    }
}

impl ApeModel {
    /// Abstraction file with the decision tree that the model started from, and as comments those that it has learned.
    pub fn abstraction(&self) -> String {
        let mut text =
            String::from("# Attributes that distinguish widgets. The abstraction to start from:\n");
        text.push_str(&self.trees[0].to_text(&self.paths));
        let mut learned: Vec<usize> = self
            .leaf_states()
            .map(|(_, state)| state.tree)
            .filter(|tree| *tree != 0)
            .collect();
        learned.sort_unstable();
        learned.dedup();
        for tree in learned {
            let states: Vec<&ModelState> = self
                .leaf_states()
                .map(|(_, state)| state)
                .filter(|state| state.tree == tree)
                .collect();
            let activity = states.first().map_or("", |state| state.activity.as_str());
            text.push_str(&format!(
                "\n# learned for `{activity}` (states: {}):\n",
                states.len()
            ));
            for line in self.trees[tree].to_text(&self.paths).lines() {
                text.push_str(&format!("# {line}\n"));
            }
        }
        text
    }
}

fn initial_node(reducer: AttributeReducer) -> DecisionNode {
    DecisionNode {
        reducer,
        branches: Vec::new(),
        initial: true,
    }
}

fn path_text(path: AttributePathId, paths: &AttributePaths) -> String {
    let mut parts = Vec::new();
    let mut current = Some(path);
    while let Some(path) = current.and_then(|path| paths.get(path)) {
        parts.push(element_text(&path.own, paths));
        current = path.above;
    }
    parts.reverse();
    parts.join(" / ")
}

fn element_text(own: &WidgetAttributes, paths: &AttributePaths) -> String {
    let texts = [("class", own.class), ("id", own.id), ("text", own.text)];
    let mut parts: Vec<String> = texts
        .iter()
        .filter_map(|(name, symbol)| Some(format!("{name}={:?}", paths.text((*symbol)?))))
        .collect();
    parts.extend(own.index.map(|index| format!("index={index}")));
    format!("{{{}}}", parts.join(", "))
}

fn parse_path(
    text: &str,
    line: usize,
    paths: &mut AttributePaths,
) -> Result<AttributePathId, AbstractionError> {
    let mut rest = text;
    let mut above = None;
    loop {
        let (own, after) = parse_element(rest, line, paths)?;
        let path = paths.intern_path(AttributePath { above, own });
        rest = after.trim_start();
        if rest.is_empty() {
            return Ok(path);
        }
        rest = rest
            .strip_prefix('/')
            .ok_or(AbstractionError::Branch { line })?
            .trim_start();
        above = Some(path);
    }
}

/// Parses one element, such as `{class="a", index=3}`. Returns it with the rest of the text. Texts are quoted as in Rust.
fn parse_element<'t>(
    text: &'t str,
    line: usize,
    paths: &mut AttributePaths,
) -> Result<(WidgetAttributes, &'t str), AbstractionError> {
    let broken = || AbstractionError::Branch { line };
    let mut rest = text.strip_prefix('{').ok_or_else(broken)?.trim_start();
    let mut own = WidgetAttributes::default();
    loop {
        if let Some(after) = rest.strip_prefix('}') {
            return Ok((own, after));
        }
        let (key, value) = rest.split_once('=').ok_or_else(broken)?;
        let key = key.trim();
        if key == "index" {
            let digits = value
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(value.len());
            own.index = Some(value[..digits].parse().map_err(|_| broken())?);
            rest = &value[digits..];
        } else {
            let (text, after) = parse_quoted(value).ok_or_else(broken)?;
            let symbol = Some(paths.intern_text(&Text::from(text)));
            match key {
                "class" => own.class = symbol,
                "id" => own.id = symbol,
                "text" => own.text = symbol,
                other => {
                    return Err(AbstractionError::Attribute {
                        line,
                        key: other.to_owned(),
                    });
                }
            }
            rest = after;
        }
        rest = rest.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
}

/// Parses a quoted text. Returns it with the rest of the text.
fn parse_quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.strip_prefix('"')?.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, &text[at + 2..])),
            '\\' => value.push(match chars.next()?.1 {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                '0' => '\0',
                'u' => {
                    let digits: String = chars
                        .by_ref()
                        .map(|(_, c)| c)
                        .skip(1)
                        .take_while(|c| *c != '}')
                        .collect();
                    char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
                }
                other => other,
            }),
            other => value.push(other),
        }
    }
    None
}
