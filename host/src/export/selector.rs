//! Selectors as a person would write them: the id, then the text, then the description, then the path.

use retap_shared::geometry::Point;
use retap_shared::screen::{Node, NodeFlags, Screen};
use retap_shared::widget::Widget;

/// How a test finds a widget. All fields that are set must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Selector {
    pub(super) id: Option<String>,
    pub(super) text: Option<String>,
    pub(super) description: Option<String>,
    /// The text or the description: without its screen, a trace does not tell which.
    pub(super) label: Option<String>,
    /// Child numbers from the window's root. Set only if nothing else is.
    pub(super) path: Option<String>,
    /// Which of several matches in the order of the screen, from 0.
    pub(super) index: Option<usize>,
    /// True if a recorded screen shows that no other widget matches.
    pub(super) is_unique: bool,
}

impl Selector {
    /// The first selector that matches only the widget's node on its screen.
    pub(super) fn on_screen(screen: &Screen, widget: &Widget, place: Point) -> Option<Selector> {
        let wanted = screen.find(widget, Some(place))?;
        let node = &screen.nodes()[wanted];
        let id = non_empty(&node.id);
        let text = non_empty(&node.text);
        let description = non_empty(&node.description);
        let of =
            |id: &Option<String>, text: &Option<String>, description: &Option<String>| Selector {
                id: id.clone(),
                text: text.clone(),
                description: description.clone(),
                is_unique: true,
                ..Selector::default()
            };
        let candidates = [
            of(&id, &None, &None),
            of(&id, &text, &None),
            of(&id, &None, &description),
            of(&None, &text, &None),
            of(&None, &None, &description),
        ];
        let named = candidates.iter().filter(|candidate| candidate.is_named());
        let mut counted = named.map(|candidate| (candidate, candidate.matches_on(screen)));
        if let Some((unique, _)) = counted.clone().find(|(_, found)| found == &[wanted]) {
            return Some(unique.clone());
        }
        counted
            .find_map(|(candidate, found)| {
                let index = found.iter().position(|node| *node == wanted)?;
                Some(Selector {
                    index: Some(index),
                    ..candidate.clone()
                })
            })
            .or_else(|| Selector::by_path(&widget.path))
    }

    /// The selector of a widget whose screen is not known.
    pub(super) fn of_widget(widget: &Widget) -> Option<Selector> {
        let label = non_empty(&widget.text);
        match non_empty(&widget.id) {
            // The text of a field is what was typed before.
            Some(id) if widget.class.ends_with("EditText") => Some(Selector {
                id: Some(id),
                ..Selector::default()
            }),
            None if label.is_none() => Selector::by_path(&widget.path),
            id => Some(Selector {
                id,
                label,
                ..Selector::default()
            }),
        }
    }

    fn by_path(path: &str) -> Option<Selector> {
        let is_path = !path.is_empty() && path.split('.').all(|part| part.parse::<u32>().is_ok());
        is_path.then(|| Selector {
            path: Some(path.to_owned()),
            ..Selector::default()
        })
    }

    fn is_named(&self) -> bool {
        self.id.is_some() || self.text.is_some() || self.description.is_some()
    }

    fn matches_on(&self, screen: &Screen) -> Vec<usize> {
        let equals =
            |wanted: &Option<String>, has: &str| wanted.as_deref().is_none_or(|it| it == has);
        let is_match = |node: &Node| {
            node.flags.contains(NodeFlags::VISIBLE)
                && equals(&self.id, &node.id)
                && equals(&self.text, &node.text)
                && equals(&self.description, &node.description)
        };
        let nodes = screen.nodes().iter().enumerate();
        nodes
            .filter(|(_, node)| is_match(node))
            .map(|(number, _)| number)
            .collect()
    }

    /// True if nothing but an id is known, and not whether other widgets have it.
    pub(super) fn may_match_others(&self) -> bool {
        self.id.is_some() && self.any_text().is_none() && !self.is_unique && self.index.is_none()
    }

    /// The text that a person sees or hears.
    pub(super) fn any_text(&self) -> Option<&str> {
        let texts = [&self.text, &self.description, &self.label];
        texts.into_iter().find_map(Option::as_deref)
    }

    /// An XPath of the hierarchy that `uiautomator dump` writes, for paths.
    pub(super) fn xpath(&self) -> Option<String> {
        let numbers = self.path.as_ref()?.split('.');
        let parts = numbers.filter_map(|number| number.parse::<u64>().ok());
        let steps: String = parts.map(|number| format!("/*[{}]", number + 1)).collect();
        Some(format!("/hierarchy{steps}"))
    }
}

fn non_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
