//! What can have to do with one of a plan's failures: the widgets and events that lead to it, that change what its
//! conditions look at, and so on from there. Nothing else can make a way to it shorter.

use std::collections::BTreeSet;

use retap_shared::Text;

use super::{Hook, Is, Look, Plan, Rules, Screen, Then, Typed, Var};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cone {
    /// Full ids of widgets and menu items.
    pub(crate) ids: BTreeSet<Text>,
    pub(crate) rotation: bool,
    pub(crate) locale: bool,
    pub(crate) call: bool,
    pub(crate) network: bool,
    /// Low memory, and going away and coming back.
    pub(crate) memory: bool,
    vars: BTreeSet<Var>,
    texts: Vec<Typed>,
    /// Screens on which something matters.
    screens: BTreeSet<usize>,
    /// Dialogs and later rules that matter, with their screens.
    dialogs: BTreeSet<(usize, u8)>,
    later: BTreeSet<(usize, u8)>,
    resuming: bool,
    returning: bool,
}

impl Cone {
    /// All that matters for what `is_target` picks. Grows until nothing is added.
    pub(crate) fn of(plan: &Plan, is_target: impl Fn(&Then) -> bool) -> Cone {
        let mut cone = Cone::default();
        loop {
            let before = cone.clone();
            for (number, screen) in plan.screens.iter().enumerate() {
                cone.look_at(number, screen, &is_target);
            }
            cone.memory |= cone.vars.iter().any(|var| matches!(var, Var::Memory(_)));
            if cone == before {
                return cone;
            }
        }
    }

    fn look_at(&mut self, number: usize, screen: &Screen, is_target: &impl Fn(&Then) -> bool) {
        for widget in screen.widgets.iter().chain(&screen.menu) {
            let itself = match widget.look {
                Look::Switch(var) | Look::Check(var) | Look::Radio(var, _) | Look::Tab(var, _) => {
                    self.vars.contains(&var)
                }
                Look::Rows { chosen, more, .. } => [chosen, more]
                    .into_iter()
                    .flatten()
                    .any(|var| self.vars.contains(&var)),
                Look::Field(field) => self.texts.contains(&field),
                _ => false,
            };
            let does = [&widget.tap, &widget.long];
            if itself
                || does
                    .into_iter()
                    .any(|rules| self.matters(number, rules, is_target))
            {
                self.ids.insert(widget.id.clone());
                self.screens.insert(number);
                widget.shown.iter().for_each(|is| self.look_for(is));
                does.into_iter().for_each(|rules| self.adopt(rules));
            }
        }
        for (hook, rules) in &screen.hooks {
            // Who goes as soon as it is in front again is no way to anywhere.
            let goes = |then: &Then| *hook == Hook::Resume && matches!(then, Then::Close);
            let only_goes = rules.0.iter().flat_map(|rule| &rule.then).all(goes);
            if !only_goes && self.matters(number, rules, is_target) {
                self.screens.insert(number);
                self.adopt(rules);
                self.comes_by(*hook);
            }
        }
        for (rules, place) in screen.later.iter().zip(0..) {
            if self.matters(number, rules, is_target) {
                self.later.insert((number, place));
                self.adopt(rules);
            }
        }
        for (dialog, place) in screen.dialogs.iter().zip(0..) {
            for (_, rules) in &dialog.buttons {
                if self.matters(number, rules, is_target) {
                    self.dialogs.insert((number, place));
                    self.adopt(rules);
                }
            }
        }
    }

    fn matters(&self, screen: usize, rules: &Rules, is_target: &impl Fn(&Then) -> bool) -> bool {
        rules.0.iter().flat_map(|rule| &rule.then).any(|then| {
            is_target(then)
                || match then {
                    Then::Set(var, _) | Then::Add(var, _) | Then::Flip(var) => {
                        self.vars.contains(var)
                    }
                    Then::Open(to) => self.resuming || self.screens.contains(&usize::from(*to)),
                    Then::Close => self.screens.contains(&screen),
                    Then::Ask(dialog) => self.dialogs.contains(&(screen, *dialog)),
                    Then::Later(_, number) | Then::Haunt(_, number) => {
                        self.later.contains(&(screen, *number))
                    }
                    Then::Load(came, failed) => [came, failed]
                        .into_iter()
                        .any(|number| self.later.contains(&(screen, *number))),
                    Then::Unpost => self.later.iter().any(|(of, _)| *of == screen),
                    Then::Leave(_) => self.returning,
                    Then::Block(..) | Then::Throw(..) | Then::Signal(_) => false,
                }
        })
    }

    /// What its conditions look at matters too, also where they only stand before the one that is followed.
    fn adopt(&mut self, rules: &Rules) {
        for rule in &rules.0 {
            rule.when.iter().for_each(|is| self.look_for(is));
            self.network |= rule.then.iter().any(|then| matches!(then, Then::Load(..)));
        }
    }

    fn look_for(&mut self, is: &Is) {
        match is {
            Is::At(var, _) | Is::Not(var, _) | Is::Over(var, _) => {
                self.vars.insert(*var);
            }
            Is::Text(field, _) if !self.texts.contains(field) => self.texts.push(*field),
            Is::Text(..) => {}
            Is::Landscape => self.rotation = true,
            Is::Foreign => self.locale = true,
            Is::Offline => self.network = true,
        }
    }

    fn comes_by(&mut self, hook: Hook) {
        match hook {
            Hook::Open | Hook::Back => {}
            Hook::Resume => self.resuming = true,
            Hook::Return => (self.returning, self.memory, self.call) = (true, true, true),
            Hook::Rotate => self.rotation = true,
            Hook::Locale => self.locale = true,
            Hook::Restore | Hook::LowMemory => self.memory = true,
            Hook::Call => self.call = true,
            Hook::Offline | Hook::Online => self.network = true,
        }
    }
}
