//! Builds definitions: short functions for widgets and rules, and the numbers that they get at the end.

use retap_shared::Text;

use super::{
    ActivityHook, AppDefinition, AppRule, AppRules, DialogDefinition, DialogKind, FieldText,
    RuleCondition, RuleEffect, ScreenDefinition, Variable, WidgetDefinition, WidgetKind,
};

/// Placeholder of an own variable or field until the definition is complete.
const OWN: u16 = u16::MAX;
const OWN_TEXT: u8 = u8::MAX;

pub(crate) fn screen(class: &str, title: &str, widgets: Vec<WidgetDefinition>) -> ScreenDefinition {
    ScreenDefinition {
        class: Text::new(class),
        title: Text::new(title),
        widgets,
        ..ScreenDefinition::default()
    }
}

impl ScreenDefinition {
    pub(crate) fn menu(mut self, menu: Vec<WidgetDefinition>) -> ScreenDefinition {
        self.menu = menu;
        self
    }

    pub(crate) fn on(mut self, hook: ActivityHook, rules: Vec<AppRule>) -> ScreenDefinition {
        self.hooks.push((hook, AppRules(rules)));
        self
    }

    /// Adds delayed rules, numbered from 0.
    pub(crate) fn delayed(mut self, rules: Vec<AppRule>) -> ScreenDefinition {
        self.delayed.push(AppRules(rules));
        self
    }

    /// Adds a dialog, numbered from 0.
    pub(crate) fn dialog(
        mut self,
        kind: DialogKind,
        title: &str,
        message: &str,
        buttons: Vec<(&str, Vec<AppRule>)>,
    ) -> ScreenDefinition {
        let buttons = buttons
            .into_iter()
            .map(|(label, rules)| (Text::new(label), AppRules(rules)))
            .collect();
        self.dialogs.push(DialogDefinition {
            title: Text::new(title),
            message: Text::new(message),
            buttons,
            kind,
        });
        self
    }
}

pub(crate) fn rule(when: &[RuleCondition], then: &[RuleEffect]) -> AppRule {
    AppRule {
        when: when.to_vec(),
        then: then.to_vec(),
        decision: 0,
    }
}

pub(crate) fn text(id: &str, label: &str) -> WidgetDefinition {
    WidgetDefinition::of(id, label, WidgetKind::Text)
}

pub(crate) fn button(id: &str, label: &str, rules: Vec<AppRule>) -> WidgetDefinition {
    WidgetDefinition {
        on_tap: AppRules(rules),
        ..WidgetDefinition::of(id, label, WidgetKind::Button)
    }
}

/// A row that leads to another screen.
pub(crate) fn link_row(id: &str, label: &str, to: u8) -> WidgetDefinition {
    row(id, label, vec![rule(&[], &[RuleEffect::Open(to)])])
}

pub(crate) fn row(id: &str, label: &str, rules: Vec<AppRule>) -> WidgetDefinition {
    WidgetDefinition {
        on_tap: AppRules(rules),
        ..WidgetDefinition::of(id, label, WidgetKind::Row)
    }
}

/// A switch of no consequence.
pub(crate) fn inert_switch(id: &str, label: &str) -> WidgetDefinition {
    WidgetDefinition::of(id, label, WidgetKind::Switch(Variable::Inert(OWN)))
}

pub(crate) fn check(id: &str, label: &str, var: Variable) -> WidgetDefinition {
    WidgetDefinition::of(id, label, WidgetKind::Check(var))
}

pub(crate) fn radio(id: &str, label: &str, var: Variable, value: u8) -> WidgetDefinition {
    WidgetDefinition::of(id, label, WidgetKind::Radio(var, value))
}

pub(crate) fn tab(id: &str, label: &str, var: Variable, value: u8) -> WidgetDefinition {
    WidgetDefinition {
        columns: 3,
        ..WidgetDefinition::of(id, label, WidgetKind::Tab(var, value))
    }
}

pub(crate) fn field(id: &str, hint: &str, field: FieldText) -> WidgetDefinition {
    WidgetDefinition::of(id, hint, WidgetKind::Field(field))
}

/// A field of no consequence.
pub(crate) fn inert_field(id: &str, hint: &str) -> WidgetDefinition {
    WidgetDefinition::of(id, hint, WidgetKind::Field(FieldText::Inert(OWN_TEXT)))
}

/// A list whose rows all have the same effect.
pub(crate) fn rows(id: &str, label: &str, count: u8, rules: Vec<AppRule>) -> WidgetDefinition {
    let look = WidgetKind::Rows {
        count,
        more: None,
        chosen: None,
        content_version: None,
    };
    WidgetDefinition {
        on_tap: AppRules(rules),
        ..WidgetDefinition::of(id, label, look)
    }
}

impl WidgetDefinition {
    pub(crate) fn of(id: &str, label: &str, look: WidgetKind) -> WidgetDefinition {
        WidgetDefinition {
            id: Text::new(id),
            label: Text::new(label),
            kind: look,
            visible_when: Vec::new(),
            on_tap: AppRules::default(),
            on_long_press: AppRules::default(),
            columns: 0,
            decision: 0,
        }
    }

    pub(crate) fn on_long_press(mut self, rules: Vec<AppRule>) -> WidgetDefinition {
        self.on_long_press = AppRules(rules);
        self
    }

    /// Adds an effect of a tap.
    pub(crate) fn then(mut self, rules: Vec<AppRule>) -> WidgetDefinition {
        self.on_tap = AppRules(rules);
        self
    }

    pub(crate) fn visible_when(mut self, shown: &[RuleCondition]) -> WidgetDefinition {
        self.visible_when = shown.to_vec();
        self
    }

    pub(crate) fn columns(mut self, columns: u8) -> WidgetDefinition {
        self.columns = columns;
        self
    }
}

impl AppDefinition {
    /// Gives every decision and every variable of no consequence its number, and every widget its full id.
    pub(crate) fn new(
        package: &str,
        first_decision: u32,
        screens: Vec<ScreenDefinition>,
    ) -> AppDefinition {
        let mut plan = AppDefinition {
            screens,
            introduction: None,
            first_decision,
            decisions: 0,
            inert: 0,
            inert_texts: 0,
        };
        let mut screens = std::mem::take(&mut plan.screens);
        for screen in &mut screens {
            screen.decision = plan.next_decision();
            for widget in screen.widgets.iter_mut().chain(&mut screen.menu) {
                widget.id = Text::new(format!("{package}:id/{}", widget.id));
                plan.number(widget);
            }
            let dialogs = screen
                .dialogs
                .iter_mut()
                .flat_map(|dialog| &mut dialog.buttons);
            let answers = dialogs.map(|(_, rules)| rules);
            let hooks = screen.hooks.iter_mut().map(|(_, rules)| rules);
            answers
                .chain(hooks)
                .chain(&mut screen.delayed)
                .for_each(|rules| plan.number_rules(rules));
        }
        plan.screens = screens;
        plan
    }

    /// Shown first until `var` is set.
    pub(crate) fn first_time(mut self, var: Variable, screen: u8) -> AppDefinition {
        self.introduction = Some((var, screen));
        self
    }

    fn number(&mut self, widget: &mut WidgetDefinition) {
        match &mut widget.kind {
            WidgetKind::Switch(var) | WidgetKind::Check(var) if *var == Variable::Inert(OWN) => {
                *var = Variable::Inert(self.inert as u16);
                self.inert += 1;
            }
            WidgetKind::Field(field) if *field == FieldText::Inert(OWN_TEXT) => {
                *field = FieldText::Inert(self.inert_texts as u8);
                self.inert_texts += 1;
            }
            _ => {}
        }
        let decides = matches!(
            widget.kind,
            WidgetKind::Switch(_)
                | WidgetKind::Check(_)
                | WidgetKind::Radio(..)
                | WidgetKind::Tab(..)
                | WidgetKind::Field(_)
        ) || matches!(widget.kind, WidgetKind::Rows { more: Some(_), .. });
        if decides {
            widget.decision = self.next_decision();
        }
        self.number_rules(&mut widget.on_tap);
        self.number_rules(&mut widget.on_long_press);
    }

    fn number_rules(&mut self, rules: &mut AppRules) {
        for rule in rules.0.iter_mut().filter(|rule| !rule.when.is_empty()) {
            rule.decision = self.next_decision();
        }
    }

    fn next_decision(&mut self) -> u32 {
        self.decisions += 1;
        self.first_decision + self.decisions - 1
    }
}
