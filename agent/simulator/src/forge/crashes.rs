//! What is planted in a made app: each crash on a screen of its own choice, behind conditions of its own kind.

use rand::RngExt;

use super::Forge;
use super::failures::{CREATED, SIGNALLED, STALLED, TOLD, TOUCHED, TYPED};
use crate::plan::{
    Hook, Is, Kind, Look, Rule, Rules, Then, Typed, Var, Widget, button, field, rule,
};

impl Forge {
    /// Plants `count` crashes of all kinds, a part of them behind a mode that nothing shows.
    pub(super) fn plant(&mut self, count: usize, hidden: f64) {
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
                0 => self.on_touch(screen, gate, Then::Throw(&TOUCHED[place], "")),
                1 => self.on_text(screen, gate, place, Then::Throw(&TYPED[place], "bad text")),
                2 => self.on_creation(screen, gate, place),
                3 => self.on_news(screen, gate, place),
                4 => self.on_touch(screen, gate, Then::Signal(&SIGNALLED[place])),
                _ => self.on_touch(screen, gate, Then::Block(9_000, &STALLED[place])),
            }
        }
    }

    /// A mode that holding some widget switches on, and that nothing shows.
    fn hidden_mode(&mut self) -> Is {
        let mode = self.memory();
        let screen = self.pick(self.screens.len());
        let id = format!("hold_{}", self.next_memory);
        let label = super::fill::WORDS[self.pick(super::fill::WORDS.len())];
        let widget = button(
            &id,
            label,
            vec![rule(&[Is::Not(mode, 0)], &[Then::Set(mode, 0)])],
        );
        self.put_first(screen, widget.long(vec![rule(&[], &[Then::Set(mode, 1)])]));
        Is::At(mode, 1)
    }

    /// After one to four taps, in memory or on disk.
    fn on_touch(&mut self, screen: usize, gate: Option<Is>, then: Then) {
        let taps = self.pick(4) as u8;
        let count = if self.chance(50) {
            self.kept()
        } else {
            self.memory()
        };
        let when: Vec<Is> = gate
            .into_iter()
            .chain((taps > 0).then_some(Is::At(count, taps)))
            .collect();
        let mut rules: Vec<Rule> = vec![rule(&when, &[then])];
        if !when.is_empty() {
            rules.push(rule(&[], &[Then::Add(count, taps)]));
        }
        let id = format!("do_{}_{}", self.next_kept, self.next_memory);
        let label = super::fill::VERBS[self.pick(super::fill::VERBS.len())];
        let widget = if self.chance(25) {
            button(&id, label, Vec::new()).long(rules)
        } else {
            button(&id, label, rules)
        };
        self.put_first(screen, widget);
    }

    fn on_text(&mut self, screen: usize, gate: Option<Is>, place: usize, then: Then) {
        let kind = [Kind::Number, Kind::Quote, Kind::Long, Kind::Address][place % 4];
        let text = Typed::Kept(place as u8);
        let when: Vec<Is> = gate.into_iter().chain([Is::Text(text, kind)]).collect();
        let empty = rule(&[Is::Text(text, Kind::Empty)], &[]);
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

    /// When an activity is created anew: turned, in another language, or after its process has gone.
    fn on_creation(&mut self, screen: usize, gate: Option<Is>, place: usize) {
        let then = [Then::Throw(&CREATED[place], "")];
        if place.is_multiple_of(2) {
            let read = self.memory();
            let lost = gate_and(None, Is::At(read, 0));
            self.hook(screen, Hook::Restore, rule(&lost, &then));
            self.hook(screen, Hook::Open, rule(&[], &[Then::Set(read, 1)]));
        } else {
            let (hook, is) =
                [(Hook::Rotate, Is::Landscape), (Hook::Locale, Is::Foreign)][self.pick(2)];
            self.hook(screen, hook, rule(&gate_and(gate, is), &then));
        }
    }

    /// When the system has news: a call, the network, memory. Or later, when nobody expects it.
    fn on_news(&mut self, screen: usize, gate: Option<Is>, place: usize) {
        let begun = self.memory();
        let then = [Then::Throw(&TOLD[place], "")];
        let when = gate_and(gate, Is::At(begun, 1));
        let mut begin = vec![rule(&[], &[Then::Set(begun, 1)])];
        match [Hook::Call, Hook::Offline, Hook::LowMemory, Hook::Online].get(place) {
            Some(hook) => self.hook(screen, *hook, rule(&when, &then)),
            None => {
                let later = self.screens[screen].later.len() as u8;
                self.screens[screen]
                    .later
                    .push(Rules(vec![rule(&when, &then)]));
                let way = if place.is_multiple_of(2) {
                    Then::Haunt(900, later)
                } else {
                    Then::Later(700, later)
                };
                begin = vec![
                    rule(&[Is::At(begun, 1)], &[way]),
                    rule(&[], &[Then::Set(begun, 1)]),
                ];
            }
        }
        self.put_first(
            screen,
            button(&format!("begin_{}", self.next_memory), "Begin", begin),
        );
    }

    fn put_first(&mut self, screen: usize, widget: Widget) {
        let narrow = if matches!(widget.look, Look::Field(_)) {
            widget
        } else {
            widget.columns(2)
        };
        self.screens[screen].widgets.insert(0, narrow);
    }

    fn hook(&mut self, screen: usize, hook: Hook, with: Rule) {
        let hooks = &mut self.screens[screen].hooks;
        match hooks.iter_mut().find(|(of, _)| *of == hook) {
            Some((_, rules)) if with.when.is_empty() => match rules.0.last_mut() {
                Some(last) if last.when.is_empty() => last.then.extend(with.then),
                _ => rules.0.push(with),
            },
            Some((_, rules)) => rules.0.insert(0, with),
            None => hooks.push((hook, Rules(vec![with]))),
        }
    }

    /// An introduction that is shown until it has been gone through once.
    pub(super) fn introduce(&mut self) -> (Var, u8) {
        let seen = self.kept();
        let done = vec![rule(&[], &[Then::Set(seen, 1), Then::Open(0)])];
        let mut widgets = vec![button("start", "Get started", done)];
        widgets.extend((0..self.pick(4)).map(|number| {
            crate::plan::toggle(&format!("wish_{number}"), super::fill::WORDS[number])
        }));
        let number = self.screens.len() as u8;
        let welcome = crate::plan::screen("WelcomeActivity", "Welcome", widgets);
        self.screens
            .push(welcome.on(Hook::Resume, vec![rule(&[Is::At(seen, 1)], &[Then::Close])]));
        self.depths.push(0);
        self.ways.push(0);
        (seen, number)
    }
}

fn gate_and(gate: Option<Is>, is: Is) -> Vec<Is> {
    gate.into_iter().chain([is]).collect()
}
