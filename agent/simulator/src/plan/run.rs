//! Following a plan's rules.

use retap_shared::action::System;
use retap_shared::micros::Micros;

use super::{Hook, Is, Look, Msg, Page, Plan, Rules, Screen, State, Then, Typed, Widget};
use crate::kit::{App, Cx, Recreation};

/// Rules at work: whose they are, and what they may change.
struct Work<'a, 'b, A: App> {
    state: &'a mut State,
    page: &'a mut Page,
    cx: &'a mut Cx<'b, A>,
}

impl Plan {
    pub(crate) fn update<A: App>(
        &self,
        state: &mut State,
        page: &mut Page,
        msg: Msg,
        cx: &mut Cx<'_, A>,
    ) where
        A::Page: From<Page>,
        A::Msg: From<Msg>,
    {
        let screen = self.screen(page);
        let asked = page.asks.take();
        let mut work = Work { state, page, cx };
        match msg {
            Msg::Tap(place) => screen.widget(place, |widget| work.tap(widget)),
            Msg::Long(place) => screen.widget(place, |widget| work.follow(&widget.long)),
            Msg::Row(place, row) => screen.widget(place, |widget| {
                if let Look::Rows {
                    chosen: Some(chosen),
                    ..
                } = widget.look
                {
                    work.state.set(chosen, row);
                }
                work.follow(&widget.tap);
            }),
            Msg::More(place) => {
                work.page.asks = asked;
                screen.widget(place, |widget| work.more(widget));
            }
            Msg::Edit(number, text) => work.edit(screen, Typed::Kept(number), text),
            Msg::EditInert(number, text) => work.edit(screen, Typed::Inert(number), text),
            Msg::Menu(place) => {
                if let Some(item) = screen.menu.get(usize::from(place)) {
                    work.follow(&item.tap);
                }
            }
            Msg::Answer(button) => {
                let dialog = asked.and_then(|number| screen.dialogs.get(usize::from(number)));
                if let Some((_, rules)) =
                    dialog.and_then(|dialog| dialog.buttons.get(usize::from(button)))
                {
                    work.follow(rules);
                }
            }
            Msg::Cancel => {}
            Msg::Later(number) | Msg::Haunt { number, .. } => {
                work.page.asks = asked;
                work.later(screen, number);
            }
            Msg::Loaded(came, failed) => {
                work.page.asks = asked;
                let fails = work.cx.network_fails();
                work.later(screen, if fails { failed } else { came });
            }
        }
    }

    pub(crate) fn opened<A: App>(&self, state: &mut State, page: &mut Page, cx: &mut Cx<'_, A>)
    where
        A::Page: From<Page>,
        A::Msg: From<Msg>,
    {
        cx.decide(self.screen(page).decision, true);
        self.hook(Hook::Open, state, page, cx);
    }

    /// Dialogs are not saved.
    pub(crate) fn recreated<A: App>(
        &self,
        by: Recreation,
        state: &mut State,
        page: &mut Page,
        cx: &mut Cx<'_, A>,
    ) where
        A::Page: From<Page>,
        A::Msg: From<Msg>,
    {
        cx.decide(self.screen(page).decision, false);
        let hook = match by {
            Recreation::Rotation => Hook::Rotate,
            Recreation::Language => Hook::Locale,
            Recreation::Restoring => Hook::Restore,
        };
        self.hook(hook, state, page, cx);
        page.asks = None;
    }

    /// Follows the screen's rules for it. False if it has none.
    pub(crate) fn hook<A: App>(
        &self,
        hook: Hook,
        state: &mut State,
        page: &mut Page,
        cx: &mut Cx<'_, A>,
    ) -> bool
    where
        A::Page: From<Page>,
        A::Msg: From<Msg>,
    {
        let rules = self.screen(page).hooks.iter().find(|(of, _)| *of == hook);
        if let Some((_, rules)) = rules {
            Work { state, page, cx }.follow(rules);
        }
        rules.is_some()
    }

    pub(crate) fn told<A: App>(
        &self,
        event: &System,
        state: &mut State,
        page: &mut Page,
        cx: &mut Cx<'_, A>,
    ) where
        A::Page: From<Page>,
        A::Msg: From<Msg>,
    {
        let hook = match event {
            System::Call => Hook::Call,
            System::Offline => Hook::Offline,
            System::Online => Hook::Online,
            System::LowMemory => Hook::LowMemory,
            System::Locale(_) => Hook::Locale,
            // No simulated phone does these.
            System::Message
            | System::Broadcast(_)
            | System::TimeZone(_)
            | System::Doze
            | System::Wake => {
                return;
            }
        };
        self.hook(hook, state, page, cx);
    }

    /// A message whose activity is gone.
    pub(crate) fn orphaned<A: App>(&self, state: &mut State, msg: &Msg, cx: &mut Cx<'_, A>)
    where
        A::Page: From<Page>,
        A::Msg: From<Msg>,
    {
        if let Msg::Haunt { screen, number } = msg {
            let mut page = Page::of(*screen);
            let screen = self.screen(&page);
            Work {
                state,
                page: &mut page,
                cx,
            }
            .later(screen, *number);
        }
    }

    fn screen(&self, page: &Page) -> &Screen {
        &self.screens[usize::from(page.screen)]
    }
}

impl Screen {
    fn widget(&self, place: u16, with: impl FnOnce(&Widget)) {
        if let Some(widget) = self.widgets.get(usize::from(place)) {
            with(widget);
        }
    }
}

impl<A: App> Work<'_, '_, A>
where
    A::Page: From<Page>,
    A::Msg: From<Msg>,
{
    fn tap(&mut self, widget: &Widget) {
        match widget.look {
            Look::Switch(var) | Look::Check(var) => {
                let on = self.cx.decide(widget.decision, self.state.get(var) == 0);
                self.state.set(var, on.into());
            }
            Look::Radio(var, value) | Look::Tab(var, value) => {
                self.cx
                    .decide(widget.decision, self.state.get(var) == value);
                self.state.set(var, value);
            }
            _ => {}
        }
        self.follow(&widget.tap);
    }

    fn more(&mut self, widget: &Widget) {
        if let Look::Rows {
            more: Some(more), ..
        } = widget.look
        {
            let pages = self.state.get(more);
            if self.cx.decide(widget.decision, pages < u8::MAX) {
                self.state.set(more, pages + 1);
            }
        }
    }

    fn edit(&mut self, screen: &Screen, field: Typed, text: retap_shared::Text) {
        let widget = screen
            .widgets
            .iter()
            .find(|widget| widget.look == Look::Field(field));
        if let Some(widget) = widget {
            self.cx.decide(widget.decision, text.is_empty());
        }
        self.state.type_into(field, text);
        if let Some(widget) = widget {
            self.follow(&widget.tap);
        }
    }

    fn later(&mut self, screen: &Screen, number: u8) {
        if let Some(rules) = screen.later.get(usize::from(number)) {
            self.follow(rules);
        }
    }

    fn follow(&mut self, rules: &Rules) {
        for rule in &rules.0 {
            if rule.when.is_empty() || {
                let all = rule.when.iter().all(|is| self.holds(is));
                self.cx.decide(rule.decision, all)
            } {
                return rule.then.iter().for_each(|then| self.obey(*then));
            }
        }
    }

    fn holds(&self, is: &Is) -> bool {
        is.in_state(self.state).unwrap_or_else(|| match is {
            Is::Landscape => self.cx.landscape(),
            Is::Foreign => self.cx.foreign(),
            _ => self.cx.offline(),
        })
    }

    fn obey(&mut self, then: Then) {
        match then {
            Then::Set(var, value) => self.state.set(var, value),
            Then::Add(var, most) => self
                .state
                .set(var, self.state.get(var).saturating_add(1).min(most)),
            Then::Flip(var) => self.state.set(var, u8::from(self.state.get(var) == 0)),
            Then::Open(screen) => self.cx.start(Page::of(screen).into()),
            Then::Close => self.cx.finish(),
            Then::Ask(dialog) => self.page.asks = Some(dialog),
            Then::Later(millis, number) => self
                .cx
                .post(Micros::from_millis(millis), Msg::Later(number)),
            Then::Haunt(millis, number) => {
                let screen = self.page.screen;
                self.cx
                    .post(Micros::from_millis(millis), Msg::Haunt { screen, number });
            }
            Then::Unpost => self.cx.unpost(),
            Then::Load(came, failed) => {
                let takes = self.cx.network();
                self.cx.post(takes, Msg::Loaded(came, failed));
            }
            Then::Leave(to) => self.cx.leave(to),
            Then::Block(millis, at) => self.cx.block(Micros::from_millis(millis), at),
            Then::Throw(exception, message) => self.cx.throw(exception, message),
            Then::Signal(tombstone) => self.cx.signal(tombstone),
        }
    }
}
