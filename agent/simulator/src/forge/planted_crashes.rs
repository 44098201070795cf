//! Planted crashes of generated apps: each on a screen of its own, behind conditions of its kind.

use rand::RngExt;

use super::AppForge;
use super::crash_templates::{CREATED, SIGNALLED, STALLED, TOLD, TOUCHED, TYPED};
use crate::declarative::{
    ActivityHook, AppRule, AppRules, FieldText, RuleCondition, RuleEffect, TextKind, Variable,
    WidgetDefinition, WidgetKind, button, field, rule,
};

impl AppForge {
    /// Plants `count` crashes of all kinds, a part of them behind a mode that nothing shows.
    pub(super) fn plant_crashes(&mut self, count: usize, hidden: f64) {
        let mut free: Vec<(usize, usize)> = Vec::new();
        for (kind, pool) in [
            TOUCHED.len(),
            TYPED.len(),
            CREATED.len(),
            TOLD.len(),
            SIGNALLED.len(),
            STALLED.len(),
        ]
        .into_iter()
        .enumerate()
        {
            free.extend((0..pool).map(|place| (kind, place)));
        }
        // One of each kind first, then as it comes.
        let mut chosen: Vec<(usize, usize)> = (0..6).map(|kind| (kind, 0)).collect();
        free.retain(|one| !chosen.contains(one));
        while chosen.len() < count.max(6) && !free.is_empty() {
            let place = self.pick(free.len());
            chosen.push(free.swap_remove(place));
        }
        for (kind, place) in chosen {
            let screen = self.pick(self.screens.len());
            let gate = self
                .rng
                .random_bool(hidden.clamp(0.0, 1.0))
                .then(|| self.hidden_mode());
            match kind {
                0 => self.on_touch(screen, gate, RuleEffect::Throw(&TOUCHED[place], "")),
                1 => self.on_text(
                    screen,
                    gate,
                    place,
                    RuleEffect::Throw(&TYPED[place], "bad text"),
                ),
                2 => self.on_creation(screen, gate, place),
                3 => self.on_system_event(screen, gate, place),
                4 => self.on_touch(screen, gate, RuleEffect::Signal(&SIGNALLED[place])),
                _ => self.on_touch(
                    screen,
                    gate,
                    RuleEffect::BlockMainThread(9_000, &STALLED[place]),
                ),
            }
        }
    }

    /// A mode that holding some widget switches on, and that nothing shows.
    fn hidden_mode(&mut self) -> RuleCondition {
        let mode = self.new_memory();
        let screen = self.pick(self.screens.len());
        let id = format!("hold_{}", self.next_memory);
        let label = super::inert_widgets::WORDS[self.pick(super::inert_widgets::WORDS.len())];
        let widget = button(
            &id,
            label,
            vec![rule(
                &[RuleCondition::NotEquals(mode, 0)],
                &[RuleEffect::Set(mode, 0)],
            )],
        );
        self.put_first(
            screen,
            widget.on_long_press(vec![rule(&[], &[RuleEffect::Set(mode, 1)])]),
        );
        RuleCondition::Equals(mode, 1)
    }

    /// After one to four taps, in memory or on disk.
    fn on_touch(&mut self, screen: usize, gate: Option<RuleCondition>, then: RuleEffect) {
        let taps = self.pick(4) as u8;
        let count = if self.chance(50) {
            self.new_persistent()
        } else {
            self.new_memory()
        };
        let when: Vec<RuleCondition> = gate
            .into_iter()
            .chain((taps > 0).then_some(RuleCondition::Equals(count, taps)))
            .collect();
        let mut rules: Vec<AppRule> = vec![rule(&when, &[then])];
        if !when.is_empty() {
            rules.push(rule(&[], &[RuleEffect::Increment(count, taps)]));
        }
        let id = format!("do_{}_{}", self.next_persistent, self.next_memory);
        let label = super::inert_widgets::VERBS[self.pick(super::inert_widgets::VERBS.len())];
        let widget = if self.chance(25) {
            button(&id, label, Vec::new()).on_long_press(rules)
        } else {
            button(&id, label, rules)
        };
        self.put_first(screen, widget);
    }

    fn on_text(
        &mut self,
        screen: usize,
        gate: Option<RuleCondition>,
        place: usize,
        then: RuleEffect,
    ) {
        let kind = [
            TextKind::Number,
            TextKind::Quote,
            TextKind::Long,
            TextKind::EmailAddress,
        ][place % 4];
        let text = FieldText::Persistent(place as u8);
        let when: Vec<RuleCondition> = gate
            .into_iter()
            .chain([RuleCondition::Text(text, kind)])
            .collect();
        let empty = rule(&[RuleCondition::Text(text, TextKind::Empty)], &[]);
        self.put_first(
            screen,
            button(
                &format!("send_{place}"),
                "Send",
                vec![rule(&when, &[then]), empty],
            ),
        );
        self.put_first(screen, field(&format!("text_{place}"), "Text", text));
    }

    /// Crashes when an activity is created again: after a rotation, a change of language, or the end of its process.
    fn on_creation(&mut self, screen: usize, gate: Option<RuleCondition>, place: usize) {
        let then = [RuleEffect::Throw(&CREATED[place], "")];
        if place.is_multiple_of(2) {
            let read = self.new_memory();
            let lost = gate_and(None, RuleCondition::Equals(read, 0));
            self.hook(screen, ActivityHook::Restore, rule(&lost, &then));
            self.hook(
                screen,
                ActivityHook::Open,
                rule(&[], &[RuleEffect::Set(read, 1)]),
            );
        } else {
            let (hook, is) = [
                (ActivityHook::Rotate, RuleCondition::Landscape),
                (ActivityHook::Locale, RuleCondition::ForeignLanguage),
            ][self.pick(2)];
            self.hook(screen, hook, rule(&gate_and(gate, is), &then));
        }
    }

    /// Crashes on system events: a call, the network, memory. Or later, after a delay.
    fn on_system_event(&mut self, screen: usize, gate: Option<RuleCondition>, place: usize) {
        let begun = self.new_memory();
        let then = [RuleEffect::Throw(&TOLD[place], "")];
        let when = gate_and(gate, RuleCondition::Equals(begun, 1));
        let mut begin = vec![rule(&[], &[RuleEffect::Set(begun, 1)])];
        match [
            ActivityHook::Call,
            ActivityHook::Offline,
            ActivityHook::LowMemory,
            ActivityHook::Online,
        ]
        .get(place)
        {
            Some(hook) => self.hook(screen, *hook, rule(&when, &then)),
            None => {
                let later = self.screens[screen].delayed.len() as u8;
                self.screens[screen]
                    .delayed
                    .push(AppRules(vec![rule(&when, &then)]));
                let way = if place.is_multiple_of(2) {
                    RuleEffect::PostLeaked(900, later)
                } else {
                    RuleEffect::PostDelayed(700, later)
                };
                begin = vec![
                    rule(&[RuleCondition::Equals(begun, 1)], &[way]),
                    rule(&[], &[RuleEffect::Set(begun, 1)]),
                ];
            }
        }
        self.put_first(
            screen,
            button(&format!("begin_{}", self.next_memory), "Begin", begin),
        );
    }

    fn put_first(&mut self, screen: usize, widget: WidgetDefinition) {
        let narrow = if matches!(widget.kind, WidgetKind::Field(_)) {
            widget
        } else {
            widget.columns(2)
        };
        self.screens[screen].widgets.insert(0, narrow);
    }

    fn hook(&mut self, screen: usize, hook: ActivityHook, with: AppRule) {
        let hooks = &mut self.screens[screen].hooks;
        match hooks.iter_mut().find(|(of, _)| *of == hook) {
            Some((_, rules)) if with.when.is_empty() => match rules.0.last_mut() {
                Some(last) if last.when.is_empty() => last.then.extend(with.then),
                _ => rules.0.push(with),
            },
            Some((_, rules)) => rules.0.insert(0, with),
            None => hooks.push((hook, AppRules(vec![with]))),
        }
    }

    /// An introduction that is shown until it has been gone through once.
    pub(super) fn add_introduction(&mut self) -> (Variable, u8) {
        let seen = self.new_persistent();
        let done = vec![rule(&[], &[RuleEffect::Set(seen, 1), RuleEffect::Open(0)])];
        let mut widgets = vec![button("start", "Get started", done)];
        widgets.extend((0..self.pick(4)).map(|number| {
            crate::declarative::inert_switch(
                &format!("wish_{number}"),
                super::inert_widgets::WORDS[number],
            )
        }));
        let number = self.screens.len() as u8;
        let welcome = crate::declarative::screen("WelcomeActivity", "Welcome", widgets);
        self.screens.push(welcome.on(
            ActivityHook::Resume,
            vec![rule(
                &[RuleCondition::Equals(seen, 1)],
                &[RuleEffect::Close],
            )],
        ));
        self.depths.push(0);
        self.exits.push(0);
        (seen, number)
    }
}

fn gate_and(gate: Option<RuleCondition>, is: RuleCondition) -> Vec<RuleCondition> {
    gate.into_iter().chain([is]).collect()
}
