//! The second step of the checkout: how, and on which day.

use super::failures::DAY_DIALOG;
use super::{Branch, Page, Shop, payment};
use crate::kit::{Cx, Ui};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Way {
    #[default]
    Standard,
    Express,
    PickUp,
}

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Delivery {
    asks_day: bool,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum Msg {
    Way(Way),
    AskDay,
    Day(usize),
    Cancel,
    Next,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Delivery(msg)
    }
}

const DAYS: [&str; 4] = ["Monday", "Tuesday", "Wednesday", "Thursday"];

impl Delivery {
    pub(super) fn view(&self, app: &Shop, ui: &mut Ui<'_, super::Msg>) {
        let chosen = app.checkout.delivery;
        ui.toolbar("Delivery", |_| {});
        ui.scroll(id!("delivery_form"), |ui| {
            for (way, label) in [
                (Way::Standard, "Standard, free"),
                (Way::Express, "Express, 4.90 €"),
                (Way::PickUp, "Pick up at the shop"),
            ] {
                ui.radio(id!("way"), label, chosen == way, Msg::Way(way));
            }
            let day = app.checkout.day.and_then(|day| DAYS.get(day));
            ui.button(id!("day"), *day.unwrap_or(&"Any day"), Msg::AskDay);
            ui.button(id!("delivery_next"), "Next", Msg::Next);
        });
        if self.asks_day {
            ui.dialog("Which day?", Msg::Cancel, |ui| {
                for (number, day) in DAYS.into_iter().enumerate() {
                    ui.choice(day, app.checkout.day == Some(number), Msg::Day(number));
                }
            });
        }
    }

    pub(super) fn update(&mut self, app: &mut Shop, msg: Msg, cx: &mut Cx<'_, Shop>) {
        self.asks_day = false;
        match msg {
            Msg::Way(way) => app.checkout.delivery = way,
            Msg::AskDay => self.asks_day = true,
            Msg::Day(day) => app.checkout.day = Some(day),
            Msg::Cancel => {}
            Msg::Next => {
                cx.decide(
                    Branch::DeliveryIsPickUp,
                    app.checkout.delivery == Way::PickUp,
                );
                cx.decide(
                    Branch::DeliveryIsExpress,
                    app.checkout.delivery == Way::Express,
                );
                cx.decide(Branch::DeliveryDayChosen, app.checkout.day.is_some());
                cx.start(Page::Payment(payment::Payment::default()));
            }
        }
    }

    /// The dialog has no constructor that the framework could call.
    pub(super) fn rotated(&mut self, cx: &mut Cx<'_, Shop>) {
        if cx.decide(Branch::DeliveryDialogOpen, self.asks_day) {
            cx.throw(
                &DAY_DIALOG,
                "Unable to instantiate fragment com.example.shop.DayDialog",
            );
        }
    }
}
