//! An app that is a definition and nothing else.

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::action::SystemEvent;

use super::{
    ActivityHook, AppDefinition, DeclarativeMsg, DeclarativePage, DeclarativeState, Variable,
};
use crate::framework::{
    AppContext, AppManifest, Recreation, RunningApp, SimulatedApp, Ui, Unhashed,
};

#[derive(Clone, Debug, Hash)]
pub(crate) struct DeclarativeApp {
    plan: Unhashed<Arc<AppDefinition>>,
    state: DeclarativeState,
}

impl DeclarativeApp {
    pub(crate) fn install(
        package: Text,
        label: Text,
        version_code: u64,
        plan: Arc<AppDefinition>,
    ) -> RunningApp<DeclarativeApp> {
        let activity = |class: &Text| Text::new(format!("{package}/.{class}"));
        let manifest = AppManifest {
            activities: plan
                .screens
                .iter()
                .map(|screen| activity(&screen.class))
                .collect(),
            branches: 2 * plan.decisions,
            package,
            label,
            version_code,
        };
        RunningApp::install(
            manifest,
            DeclarativeApp {
                plan: Unhashed(plan),
                state: DeclarativeState::default(),
            },
        )
    }

    /// The definition and the current state.
    fn parts(&mut self) -> (Arc<AppDefinition>, &mut DeclarativeState) {
        (Arc::clone(&self.plan.0), &mut self.state)
    }
}

impl SimulatedApp for DeclarativeApp {
    type Page = DeclarativePage;
    type Msg = DeclarativeMsg;

    fn first_page(&self) -> DeclarativePage {
        let first_time = self
            .plan
            .0
            .introduction
            .filter(|(var, _)| self.state.get(*var) == 0);
        DeclarativePage::of(first_time.map_or(0, |(_, screen)| screen))
    }

    fn data_cleared(&mut self, before: &DeclarativeApp) {
        self.state.data_cleared(&before.state);
    }

    fn activity_index(&self, page: &DeclarativePage) -> usize {
        page.screen.into()
    }

    fn view(&self, page: &DeclarativePage, ui: &mut Ui<'_, DeclarativeMsg>) {
        self.plan.0.view(&self.state, page, ui);
    }

    fn view_hash(&self, page: &DeclarativePage) -> Option<u64> {
        Some(self.state.view_hash(page, self.plan.0.inert))
    }

    fn is_checked(&self, tick: u16) -> bool {
        self.state.get(Variable::Inert(tick)) != 0
    }

    fn update(
        &mut self,
        page: &mut DeclarativePage,
        msg: DeclarativeMsg,
        cx: &mut AppContext<'_, DeclarativeApp>,
    ) {
        let (plan, state) = self.parts();
        plan.update(state, page, msg, cx);
    }

    fn opened(&mut self, page: &mut DeclarativePage, cx: &mut AppContext<'_, DeclarativeApp>) {
        let (plan, state) = self.parts();
        plan.opened(state, page, cx);
    }

    fn resumed(&mut self, page: &mut DeclarativePage, cx: &mut AppContext<'_, DeclarativeApp>) {
        let (plan, state) = self.parts();
        plan.hook(ActivityHook::Resume, state, page, cx);
    }

    fn returned(&mut self, page: &mut DeclarativePage, cx: &mut AppContext<'_, DeclarativeApp>) {
        let (plan, state) = self.parts();
        plan.hook(ActivityHook::Return, state, page, cx);
    }

    fn recreated(
        &mut self,
        page: &mut DeclarativePage,
        by: Recreation,
        cx: &mut AppContext<'_, DeclarativeApp>,
    ) {
        let (plan, state) = self.parts();
        plan.recreated(by, state, page, cx);
    }

    fn system_event(
        &mut self,
        page: &mut DeclarativePage,
        event: &SystemEvent,
        cx: &mut AppContext<'_, DeclarativeApp>,
    ) {
        let (plan, state) = self.parts();
        plan.system_event(event, state, page, cx);
    }

    fn back(&mut self, page: &mut DeclarativePage, cx: &mut AppContext<'_, DeclarativeApp>) {
        let (plan, state) = self.parts();
        if !plan.hook(ActivityHook::Back, state, page, cx) {
            cx.finish();
        }
    }

    fn leaked_message(&mut self, msg: DeclarativeMsg, cx: &mut AppContext<'_, DeclarativeApp>) {
        let (plan, state) = self.parts();
        plan.leaked_message(state, &msg, cx);
    }

    fn process_died(&mut self) {
        self.state.process_died();
    }
}
