//! An app that is a plan and nothing else.

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::action::System;

use super::{Hook, Msg, Page, Plan, State, Var};
use crate::kit::{App, Cx, Manifest, Recreation, Running, Shown, Ui};

#[derive(Clone, Debug, Hash)]
pub(crate) struct Planned {
    plan: Shown<Arc<Plan>>,
    state: State,
}

impl Planned {
    pub(crate) fn install(
        package: Text,
        label: Text,
        version_code: u64,
        plan: Arc<Plan>,
    ) -> Running<Planned> {
        let activity = |class: &Text| Text::new(format!("{package}/.{class}"));
        let manifest = Manifest {
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
        Running::install(
            manifest,
            Planned {
                plan: Shown(plan),
                state: State::default(),
            },
        )
    }

    /// The plan, and what it changes.
    fn parts(&mut self) -> (Arc<Plan>, &mut State) {
        (Arc::clone(&self.plan.0), &mut self.state)
    }
}

impl App for Planned {
    type Page = Page;
    type Msg = Msg;

    fn first_page(&self) -> Page {
        let first_time = self
            .plan
            .0
            .first_time
            .filter(|(var, _)| self.state.get(*var) == 0);
        Page::of(first_time.map_or(0, |(_, screen)| screen))
    }

    fn activity(&self, page: &Page) -> usize {
        page.screen.into()
    }

    fn view(&self, page: &Page, ui: &mut Ui<'_, Msg>) {
        self.plan.0.view(&self.state, page, ui);
    }

    fn look(&self, page: &Page) -> Option<u64> {
        Some(self.state.look(page, self.plan.0.inert))
    }

    fn ticked(&self, tick: u16) -> bool {
        self.state.get(Var::Inert(tick)) != 0
    }

    fn update(&mut self, page: &mut Page, msg: Msg, cx: &mut Cx<'_, Planned>) {
        let (plan, state) = self.parts();
        plan.update(state, page, msg, cx);
    }

    fn opened(&mut self, page: &mut Page, cx: &mut Cx<'_, Planned>) {
        let (plan, state) = self.parts();
        plan.opened(state, page, cx);
    }

    fn resumed(&mut self, page: &mut Page, cx: &mut Cx<'_, Planned>) {
        let (plan, state) = self.parts();
        plan.hook(Hook::Resume, state, page, cx);
    }

    fn returned(&mut self, page: &mut Page, cx: &mut Cx<'_, Planned>) {
        let (plan, state) = self.parts();
        plan.hook(Hook::Return, state, page, cx);
    }

    fn recreated(&mut self, page: &mut Page, by: Recreation, cx: &mut Cx<'_, Planned>) {
        let (plan, state) = self.parts();
        plan.recreated(by, state, page, cx);
    }

    fn told(&mut self, page: &mut Page, event: &System, cx: &mut Cx<'_, Planned>) {
        let (plan, state) = self.parts();
        plan.told(event, state, page, cx);
    }

    fn back(&mut self, page: &mut Page, cx: &mut Cx<'_, Planned>) {
        let (plan, state) = self.parts();
        if !plan.hook(Hook::Back, state, page, cx) {
            cx.finish();
        }
    }

    fn orphaned(&mut self, msg: Msg, cx: &mut Cx<'_, Planned>) {
        let (plan, state) = self.parts();
        plan.orphaned(state, &msg, cx);
    }

    fn died(&mut self) {
        self.state.died();
    }
}
