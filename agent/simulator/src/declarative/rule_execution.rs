//! Follows the rules of a declarative app.

use retap_shared::action::SystemEvent;
use retap_shared::micros::Micros;

use super::{
    ActivityHook, AppDefinition, AppRules, DeclarativeMsg, DeclarativePage, DeclarativeState,
    FieldText, RuleCondition, RuleEffect, ScreenDefinition, WidgetDefinition, WidgetKind,
};
use crate::framework::{AppContext, Recreation, SimulatedApp};

/// An app that contains declarative activities.
pub(crate) trait DeclarativeHost:
    SimulatedApp<Page: From<DeclarativePage>, Msg: From<DeclarativeMsg>>
{
}

impl<A> DeclarativeHost for A where
    A: SimulatedApp<Page: From<DeclarativePage>, Msg: From<DeclarativeMsg>>
{
}

/// Rules in execution: the state, page and context that they may change.
struct RuleExecution<'a, 'b, A: SimulatedApp> {
    state: &'a mut DeclarativeState,
    page: &'a mut DeclarativePage,
    cx: &'a mut AppContext<'b, A>,
}

impl AppDefinition {
    pub(crate) fn update<A: DeclarativeHost>(
        &self,
        state: &mut DeclarativeState,
        page: &mut DeclarativePage,
        msg: DeclarativeMsg,
        cx: &mut AppContext<'_, A>,
    ) {
        let screen = self.screen(page);
        let asked = page.open_dialog.take();
        let mut work = RuleExecution { state, page, cx };
        match msg {
            DeclarativeMsg::Tap(place) => screen.widget(place, |widget| work.tap(widget)),
            DeclarativeMsg::LongPress(place) => {
                screen.widget(place, |widget| work.follow(&widget.on_long_press));
            }
            DeclarativeMsg::Row(place, row) => {
                screen.widget(place, |widget| work.choose_row(widget, row));
            }
            DeclarativeMsg::More(place) => {
                work.page.open_dialog = asked;
                screen.widget(place, |widget| work.more(widget));
            }
            DeclarativeMsg::Edit(number, text) => {
                work.edit(screen, FieldText::Persistent(number), text);
            }
            DeclarativeMsg::EditInert(number, text) => {
                work.edit(screen, FieldText::Inert(number), text);
            }
            DeclarativeMsg::Menu(place) => {
                if let Some(item) = screen.menu.get(usize::from(place)) {
                    work.follow(&item.on_tap);
                }
            }
            DeclarativeMsg::Answer(button) => {
                let rules = asked.and_then(|dialog| screen.button_rules(dialog, button));
                rules.into_iter().for_each(|rules| work.follow(rules));
            }
            DeclarativeMsg::Cancel => {}
            DeclarativeMsg::Delayed(number) | DeclarativeMsg::LeakedDelayed { number, .. } => {
                work.page.open_dialog = asked;
                work.later(screen, number);
            }
            DeclarativeMsg::Loaded(came, failed) => {
                work.page.open_dialog = asked;
                work.loaded(screen, came, failed);
            }
        }
    }

    pub(crate) fn opened<A: DeclarativeHost>(
        &self,
        state: &mut DeclarativeState,
        page: &mut DeclarativePage,
        cx: &mut AppContext<'_, A>,
    ) {
        cx.decide(self.screen(page).decision, true);
        self.hook(ActivityHook::Open, state, page, cx);
    }

    /// Dialogs are not saved.
    pub(crate) fn recreated<A: DeclarativeHost>(
        &self,
        by: Recreation,
        state: &mut DeclarativeState,
        page: &mut DeclarativePage,
        cx: &mut AppContext<'_, A>,
    ) {
        cx.decide(self.screen(page).decision, false);
        let hook = match by {
            Recreation::Rotation => ActivityHook::Rotate,
            Recreation::Language => ActivityHook::Locale,
            Recreation::Restoring => ActivityHook::Restore,
        };
        self.hook(hook, state, page, cx);
        page.open_dialog = None;
    }

    /// Follows the screen's rules for a hook. Returns false if there are none.
    pub(crate) fn hook<A: DeclarativeHost>(
        &self,
        hook: ActivityHook,
        state: &mut DeclarativeState,
        page: &mut DeclarativePage,
        cx: &mut AppContext<'_, A>,
    ) -> bool {
        let rules = self.screen(page).hooks.iter().find(|(of, _)| *of == hook);
        if let Some((_, rules)) = rules {
            RuleExecution { state, page, cx }.follow(rules);
        }
        rules.is_some()
    }

    pub(crate) fn system_event<A: DeclarativeHost>(
        &self,
        event: &SystemEvent,
        state: &mut DeclarativeState,
        page: &mut DeclarativePage,
        cx: &mut AppContext<'_, A>,
    ) {
        let hook = match event {
            SystemEvent::Call => ActivityHook::Call,
            SystemEvent::Offline => ActivityHook::Offline,
            SystemEvent::Online => ActivityHook::Online,
            SystemEvent::LowMemory => ActivityHook::LowMemory,
            SystemEvent::Locale(_) => ActivityHook::Locale,
            // No simulated phone does these.
            SystemEvent::Message
            | SystemEvent::Broadcast(_)
            | SystemEvent::TimeZone(_)
            | SystemEvent::Doze
            | SystemEvent::Wake => {
                return;
            }
        };
        self.hook(hook, state, page, cx);
    }

    /// Handles a message whose activity was closed.
    pub(crate) fn leaked_message<A: DeclarativeHost>(
        &self,
        state: &mut DeclarativeState,
        msg: &DeclarativeMsg,
        cx: &mut AppContext<'_, A>,
    ) {
        if let DeclarativeMsg::LeakedDelayed { screen, number } = msg {
            let mut page = DeclarativePage::of(*screen);
            let screen = self.screen(&page);
            RuleExecution {
                state,
                page: &mut page,
                cx,
            }
            .later(screen, *number);
        }
    }

    fn screen(&self, page: &DeclarativePage) -> &ScreenDefinition {
        &self.screens[usize::from(page.screen)]
    }
}

impl ScreenDefinition {
    fn widget(&self, place: u16, with: impl FnOnce(&WidgetDefinition)) {
        if let Some(widget) = self.widgets.get(usize::from(place)) {
            with(widget);
        }
    }

    fn button_rules(&self, dialog: u8, button: u8) -> Option<&AppRules> {
        let dialog = self.dialogs.get(usize::from(dialog))?;
        let (_, rules) = dialog.buttons.get(usize::from(button))?;
        Some(rules)
    }
}

impl<A: DeclarativeHost> RuleExecution<'_, '_, A> {
    fn tap(&mut self, widget: &WidgetDefinition) {
        match widget.kind {
            WidgetKind::Switch(var) | WidgetKind::Check(var) => {
                let on = self.cx.decide(widget.decision, self.state.get(var) == 0);
                self.state.set(var, on.into());
            }
            WidgetKind::Radio(var, value) | WidgetKind::Tab(var, value) => {
                self.cx
                    .decide(widget.decision, self.state.get(var) == value);
                self.state.set(var, value);
            }
            _ => {}
        }
        self.follow(&widget.on_tap);
    }

    fn choose_row(&mut self, widget: &WidgetDefinition, row: u8) {
        if let WidgetKind::Rows {
            chosen: Some(chosen),
            ..
        } = widget.kind
        {
            self.state.set(chosen, row);
        }
        self.follow(&widget.on_tap);
    }

    fn more(&mut self, widget: &WidgetDefinition) {
        if let WidgetKind::Rows {
            more: Some(more), ..
        } = widget.kind
        {
            let pages = self.state.get(more);
            if self.cx.decide(widget.decision, pages < u8::MAX) {
                self.state.set(more, pages + 1);
            }
        }
    }

    fn edit(&mut self, screen: &ScreenDefinition, field: FieldText, text: retap_shared::Text) {
        let widget = screen
            .widgets
            .iter()
            .find(|widget| widget.kind == WidgetKind::Field(field));
        if let Some(widget) = widget {
            self.cx.decide(widget.decision, text.is_empty());
        }
        self.state.set_text(field, text);
        if let Some(widget) = widget {
            self.follow(&widget.on_tap);
        }
    }

    fn loaded(&mut self, screen: &ScreenDefinition, came: u8, failed: u8) {
        let fails = self.cx.network_fails();
        self.later(screen, if fails { failed } else { came });
    }

    fn later(&mut self, screen: &ScreenDefinition, number: u8) {
        if let Some(rules) = screen.delayed.get(usize::from(number)) {
            self.follow(rules);
        }
    }

    fn follow(&mut self, rules: &AppRules) {
        for rule in &rules.0 {
            if rule.when.is_empty() || {
                let all = rule.when.iter().all(|is| self.holds(is));
                self.cx.decide(rule.decision, all)
            } {
                return rule.then.iter().for_each(|then| self.obey(*then));
            }
        }
    }

    fn holds(&self, is: &RuleCondition) -> bool {
        is.in_state(self.state).unwrap_or_else(|| match is {
            RuleCondition::Landscape => self.cx.landscape(),
            RuleCondition::ForeignLanguage => self.cx.foreign_language(),
            _ => self.cx.offline(),
        })
    }

    fn obey(&mut self, then: RuleEffect) {
        match then {
            RuleEffect::Set(var, value) => self.state.set(var, value),
            RuleEffect::Increment(var, most) => self
                .state
                .set(var, self.state.get(var).saturating_add(1).min(most)),
            RuleEffect::Toggle(var) => self.state.set(var, u8::from(self.state.get(var) == 0)),
            RuleEffect::Open(screen) => self.cx.start(DeclarativePage::of(screen).into()),
            RuleEffect::Close => self.cx.finish(),
            RuleEffect::ShowDialog(dialog) => self.page.open_dialog = Some(dialog),
            RuleEffect::PostDelayed(millis, number) => self
                .cx
                .post(Micros::from_millis(millis), DeclarativeMsg::Delayed(number)),
            RuleEffect::PostLeaked(millis, number) => {
                let screen = self.page.screen;
                self.cx.post(
                    Micros::from_millis(millis),
                    DeclarativeMsg::LeakedDelayed { screen, number },
                );
            }
            RuleEffect::CancelPosted => self.cx.cancel_posted(),
            RuleEffect::Load(came, failed) => {
                let takes = self.cx.network_delay();
                self.cx.post(takes, DeclarativeMsg::Loaded(came, failed));
            }
            RuleEffect::OpenExternal(to) => self.cx.open_external(to),
            RuleEffect::BlockMainThread(millis, at) => {
                self.cx.block(Micros::from_millis(millis), at);
            }
            RuleEffect::Throw(exception, message) => self.cx.throw(exception, message),
            RuleEffect::Signal(tombstone) => self.cx.signal(tombstone),
        }
    }
}
