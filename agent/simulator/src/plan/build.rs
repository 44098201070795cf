//! Putting a plan together: short words for widgets and rules, and the numbers that they get at the end.

use retap_shared::Text;

use super::{
    Dialog, DialogKind, Hook, Is, Look, Plan, Rule, Rules, Screen, Then, Typed, Var, Widget,
};

/// Stands for a variable or a field of one's own until the plan is complete.
const OWN: u16 = u16::MAX;
const OWN_TEXT: u8 = u8::MAX;

pub(crate) fn screen(class: &str, title: &str, widgets: Vec<Widget>) -> Screen {
    Screen {
        class: Text::new(class),
        title: Text::new(title),
        widgets,
        ..Screen::default()
    }
}

impl Screen {
    pub(crate) fn menu(mut self, menu: Vec<Widget>) -> Screen {
        self.menu = menu;
        self
    }

    pub(crate) fn on(mut self, hook: Hook, rules: Vec<Rule>) -> Screen {
        self.hooks.push((hook, Rules(rules)));
        self
    }

    /// Rules that come later, numbered from 0.
    pub(crate) fn later(mut self, rules: Vec<Rule>) -> Screen {
        self.later.push(Rules(rules));
        self
    }

    /// A dialog, numbered from 0.
    pub(crate) fn dialog(
        mut self,
        kind: DialogKind,
        title: &str,
        message: &str,
        buttons: Vec<(&str, Vec<Rule>)>,
    ) -> Screen {
        let buttons = buttons
            .into_iter()
            .map(|(label, rules)| (Text::new(label), Rules(rules)))
            .collect();
        self.dialogs.push(Dialog {
            title: Text::new(title),
            message: Text::new(message),
            buttons,
            kind,
        });
        self
    }
}

pub(crate) fn rule(when: &[Is], then: &[Then]) -> Rule {
    Rule {
        when: when.to_vec(),
        then: then.to_vec(),
        decision: 0,
    }
}

pub(crate) fn text(id: &str, label: &str) -> Widget {
    Widget::of(id, label, Look::Text)
}

pub(crate) fn button(id: &str, label: &str, rules: Vec<Rule>) -> Widget {
    Widget {
        tap: Rules(rules),
        ..Widget::of(id, label, Look::Button)
    }
}

/// A row that leads to another screen.
pub(crate) fn go(id: &str, label: &str, to: u8) -> Widget {
    row(id, label, vec![rule(&[], &[Then::Open(to)])])
}

pub(crate) fn row(id: &str, label: &str, rules: Vec<Rule>) -> Widget {
    Widget {
        tap: Rules(rules),
        ..Widget::of(id, label, Look::Row)
    }
}

/// A switch of no consequence.
pub(crate) fn toggle(id: &str, label: &str) -> Widget {
    Widget::of(id, label, Look::Switch(Var::Inert(OWN)))
}

pub(crate) fn check(id: &str, label: &str, var: Var) -> Widget {
    Widget::of(id, label, Look::Check(var))
}

pub(crate) fn radio(id: &str, label: &str, var: Var, value: u8) -> Widget {
    Widget::of(id, label, Look::Radio(var, value))
}

pub(crate) fn tab(id: &str, label: &str, var: Var, value: u8) -> Widget {
    Widget {
        columns: 3,
        ..Widget::of(id, label, Look::Tab(var, value))
    }
}

pub(crate) fn field(id: &str, hint: &str, field: Typed) -> Widget {
    Widget::of(id, hint, Look::Field(field))
}

/// A field of no consequence.
pub(crate) fn note(id: &str, hint: &str) -> Widget {
    Widget::of(id, hint, Look::Field(Typed::Inert(OWN_TEXT)))
}

/// A list whose rows do all the same.
pub(crate) fn rows(id: &str, label: &str, count: u8, rules: Vec<Rule>) -> Widget {
    let look = Look::Rows {
        count,
        more: None,
        chosen: None,
        turn: None,
    };
    Widget {
        tap: Rules(rules),
        ..Widget::of(id, label, look)
    }
}

impl Widget {
    pub(crate) fn of(id: &str, label: &str, look: Look) -> Widget {
        Widget {
            id: Text::new(id),
            label: Text::new(label),
            look,
            shown: Vec::new(),
            tap: Rules::default(),
            long: Rules::default(),
            columns: 0,
            decision: 0,
        }
    }

    pub(crate) fn long(mut self, rules: Vec<Rule>) -> Widget {
        self.long = Rules(rules);
        self
    }

    /// What else it does when it is tapped.
    pub(crate) fn then(mut self, rules: Vec<Rule>) -> Widget {
        self.tap = Rules(rules);
        self
    }

    pub(crate) fn when(mut self, shown: &[Is]) -> Widget {
        self.shown = shown.to_vec();
        self
    }

    pub(crate) fn columns(mut self, columns: u8) -> Widget {
        self.columns = columns;
        self
    }
}

impl Plan {
    /// Gives every decision and every variable of no consequence its number, and every widget its full id.
    pub(crate) fn new(package: &str, first_decision: u32, screens: Vec<Screen>) -> Plan {
        let mut plan = Plan {
            screens,
            first_time: None,
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
                .chain(&mut screen.later)
                .for_each(|rules| plan.number_rules(rules));
        }
        plan.screens = screens;
        plan
    }

    /// Shown first until `var` is set.
    pub(crate) fn first_time(mut self, var: Var, screen: u8) -> Plan {
        self.first_time = Some((var, screen));
        self
    }

    fn number(&mut self, widget: &mut Widget) {
        match &mut widget.look {
            Look::Switch(var) | Look::Check(var) if *var == Var::Inert(OWN) => {
                *var = Var::Inert(self.inert as u16);
                self.inert += 1;
            }
            Look::Field(field) if *field == Typed::Inert(OWN_TEXT) => {
                *field = Typed::Inert(self.inert_texts as u8);
                self.inert_texts += 1;
            }
            _ => {}
        }
        let decides = matches!(
            widget.look,
            Look::Switch(_) | Look::Check(_) | Look::Radio(..) | Look::Tab(..) | Look::Field(_)
        ) || matches!(widget.look, Look::Rows { more: Some(_), .. });
        if decides {
            widget.decision = self.next_decision();
        }
        self.number_rules(&mut widget.tap);
        self.number_rules(&mut widget.long);
    }

    fn number_rules(&mut self, rules: &mut Rules) {
        for rule in rules.0.iter_mut().filter(|rule| !rule.when.is_empty()) {
            rule.decision = self.next_decision();
        }
    }

    fn next_decision(&mut self) -> u32 {
        self.decisions += 1;
        self.first_decision + self.decisions - 1
    }
}
