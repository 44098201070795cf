//! Dependency cone of one failure of a declarative app: the widgets and events that lead to it, that change what its
//! conditions read, and so on. Nothing else can make a trace to it shorter.

use std::collections::BTreeSet;

use retap_shared::Text;

use super::{
    ActivityHook, AppDefinition, AppRules, FieldText, RuleCondition, RuleEffect, ScreenDefinition,
    Variable, WidgetDefinition, WidgetKind,
};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DependencyCone {
    /// Full ids of widgets and menu items.
    pub(crate) widget_ids: BTreeSet<Text>,
    pub(crate) rotation: bool,
    pub(crate) locale: bool,
    pub(crate) call: bool,
    pub(crate) network: bool,
    /// Low memory, and leaving the app and returning to it.
    pub(crate) memory: bool,
    vars: BTreeSet<Variable>,
    texts: Vec<FieldText>,
    /// Screens on which something matters.
    screens: BTreeSet<usize>,
    /// Dialogs and later rules that matter, with their screens.
    dialogs: BTreeSet<(usize, u8)>,
    delayed: BTreeSet<(usize, u8)>,
    resuming: bool,
    returning: bool,
}

impl DependencyCone {
    /// The cone of the effects that `is_target` selects. It grows until nothing is added.
    pub(crate) fn of(
        plan: &AppDefinition,
        is_target: impl Fn(&RuleEffect) -> bool,
    ) -> DependencyCone {
        let mut cone = DependencyCone::default();
        loop {
            let before = cone.clone();
            for (number, screen) in plan.screens.iter().enumerate() {
                cone.visit_screen(number, screen, &is_target);
            }
            cone.memory |= cone
                .vars
                .iter()
                .any(|var| matches!(var, Variable::Memory(_)));
            if cone == before {
                return cone;
            }
        }
    }

    fn visit_screen(
        &mut self,
        number: usize,
        screen: &ScreenDefinition,
        is_target: &impl Fn(&RuleEffect) -> bool,
    ) {
        for widget in screen.widgets.iter().chain(&screen.menu) {
            let rules = [&widget.on_tap, &widget.on_long_press];
            if self.is_changed_by(widget)
                || rules
                    .iter()
                    .any(|rules| self.matters(number, rules, is_target))
            {
                self.widget_ids.insert(widget.id.clone());
                self.screens.insert(number);
                widget
                    .visible_when
                    .iter()
                    .for_each(|is| self.add_condition(is));
                rules.iter().for_each(|rules| self.add_rules(rules));
            }
        }
        for (hook, rules) in &screen.hooks {
            // An activity that closes as soon as it is in front again leads nowhere.
            let closes = |then: &RuleEffect| {
                *hook == ActivityHook::Resume && matches!(then, RuleEffect::Close)
            };
            let only_closes = rules.0.iter().flat_map(|rule| &rule.then).all(closes);
            if !only_closes && self.matters(number, rules, is_target) {
                self.screens.insert(number);
                self.add_rules(rules);
                self.add_hook(*hook);
            }
        }
        for (rules, place) in screen.delayed.iter().zip(0..) {
            if self.matters(number, rules, is_target) {
                self.delayed.insert((number, place));
                self.add_rules(rules);
            }
        }
        for (dialog, place) in screen.dialogs.iter().zip(0..) {
            for (_, rules) in &dialog.buttons {
                if self.matters(number, rules, is_target) {
                    self.dialogs.insert((number, place));
                    self.add_rules(rules);
                }
            }
        }
    }

    /// True if the widget itself, without any rule, changes a variable or text of the cone.
    fn is_changed_by(&self, widget: &WidgetDefinition) -> bool {
        match widget.kind {
            WidgetKind::Switch(var)
            | WidgetKind::Check(var)
            | WidgetKind::Radio(var, _)
            | WidgetKind::Tab(var, _) => self.vars.contains(&var),
            WidgetKind::Rows { chosen, more, .. } => [chosen, more]
                .into_iter()
                .flatten()
                .any(|var| self.vars.contains(&var)),
            WidgetKind::Field(field) => self.texts.contains(&field),
            _ => false,
        }
    }

    fn matters(
        &self,
        screen: usize,
        rules: &AppRules,
        is_target: &impl Fn(&RuleEffect) -> bool,
    ) -> bool {
        rules.0.iter().flat_map(|rule| &rule.then).any(|then| {
            is_target(then)
                || match then {
                    RuleEffect::Set(var, _)
                    | RuleEffect::Increment(var, _)
                    | RuleEffect::Toggle(var) => self.vars.contains(var),
                    RuleEffect::Open(to) => {
                        self.resuming || self.screens.contains(&usize::from(*to))
                    }
                    RuleEffect::Close => self.screens.contains(&screen),
                    RuleEffect::ShowDialog(dialog) => self.dialogs.contains(&(screen, *dialog)),
                    RuleEffect::PostDelayed(_, number) | RuleEffect::PostLeaked(_, number) => {
                        self.delayed.contains(&(screen, *number))
                    }
                    RuleEffect::Load(came, failed) => [came, failed]
                        .into_iter()
                        .any(|number| self.delayed.contains(&(screen, *number))),
                    RuleEffect::CancelPosted => self.delayed.iter().any(|(of, _)| *of == screen),
                    RuleEffect::OpenExternal(_) => self.returning,
                    RuleEffect::BlockMainThread(..)
                    | RuleEffect::Throw(..)
                    | RuleEffect::Signal(_) => false,
                }
        })
    }

    /// Adds the conditions of rules that matter; also those of the rules before, which must not hold.
    fn add_rules(&mut self, rules: &AppRules) {
        for rule in &rules.0 {
            rule.when.iter().for_each(|is| self.add_condition(is));
            self.network |= rule
                .then
                .iter()
                .any(|then| matches!(then, RuleEffect::Load(..)));
        }
    }

    fn add_condition(&mut self, is: &RuleCondition) {
        match is {
            RuleCondition::Equals(var, _)
            | RuleCondition::NotEquals(var, _)
            | RuleCondition::GreaterThan(var, _) => {
                self.vars.insert(*var);
            }
            RuleCondition::Text(field, _) if !self.texts.contains(field) => self.texts.push(*field),
            RuleCondition::Text(..) => {}
            RuleCondition::Landscape => self.rotation = true,
            RuleCondition::ForeignLanguage => self.locale = true,
            RuleCondition::Offline => self.network = true,
        }
    }

    fn add_hook(&mut self, hook: ActivityHook) {
        match hook {
            ActivityHook::Open | ActivityHook::Back => {}
            ActivityHook::Resume => self.resuming = true,
            ActivityHook::Return => (self.returning, self.memory, self.call) = (true, true, true),
            ActivityHook::Rotate => self.rotation = true,
            ActivityHook::Locale => self.locale = true,
            ActivityHook::Restore | ActivityHook::LowMemory => self.memory = true,
            ActivityHook::Call => self.call = true,
            ActivityHook::Offline | ActivityHook::Online => self.network = true,
        }
    }
}
