//! The second step of the checkout: the kind and the day of delivery.

use super::failures::DAY_DIALOG;
use super::{Branch, ShopApp, ShopPage, payment};
use crate::framework::{AppContext, Ui};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum DeliveryMethod {
    #[default]
    Standard,
    Express,
    PickUp,
}

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct DeliveryPage {
    asks_day: bool,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum DeliveryMsg {
    Way(DeliveryMethod),
    AskDay,
    Day(usize),
    Cancel,
    Next,
}

impl From<DeliveryMsg> for super::ShopMsg {
    fn from(msg: DeliveryMsg) -> super::ShopMsg {
        super::ShopMsg::Delivery(msg)
    }
}

const DAYS: [&str; 4] = ["Monday", "Tuesday", "Wednesday", "Thursday"];

impl DeliveryPage {
    pub(super) fn view(&self, app: &ShopApp, ui: &mut Ui<'_, super::ShopMsg>) {
        let chosen = app.checkout.delivery;
        ui.toolbar("Delivery", |_| {});
        ui.scroll(id!("delivery_form"), |ui| {
            for (way, label) in [
                (DeliveryMethod::Standard, "Standard, free"),
                (DeliveryMethod::Express, "Express, 4.90 €"),
                (DeliveryMethod::PickUp, "Pick up at the shop"),
            ] {
                ui.radio(id!("way"), label, chosen == way, DeliveryMsg::Way(way));
            }
            let day = app.checkout.day.and_then(|day| DAYS.get(day));
            ui.button(id!("day"), *day.unwrap_or(&"Any day"), DeliveryMsg::AskDay);
            ui.button(id!("delivery_next"), "Next", DeliveryMsg::Next);
        });
        if self.asks_day {
            ui.dialog("Which day?", DeliveryMsg::Cancel, |ui| {
                for (number, day) in DAYS.into_iter().enumerate() {
                    ui.choice(
                        day,
                        app.checkout.day == Some(number),
                        DeliveryMsg::Day(number),
                    );
                }
            });
        }
    }

    pub(super) fn update(
        &mut self,
        app: &mut ShopApp,
        msg: DeliveryMsg,
        cx: &mut AppContext<'_, ShopApp>,
    ) {
        self.asks_day = false;
        match msg {
            DeliveryMsg::Way(way) => app.checkout.delivery = way,
            DeliveryMsg::AskDay => self.asks_day = true,
            DeliveryMsg::Day(day) => app.checkout.day = Some(day),
            DeliveryMsg::Cancel => {}
            DeliveryMsg::Next => {
                cx.decide(
                    Branch::DeliveryIsPickUp,
                    app.checkout.delivery == DeliveryMethod::PickUp,
                );
                cx.decide(
                    Branch::DeliveryIsExpress,
                    app.checkout.delivery == DeliveryMethod::Express,
                );
                cx.decide(Branch::DeliveryDayChosen, app.checkout.day.is_some());
                cx.start(ShopPage::Payment(payment::PaymentPage::default()));
            }
        }
    }

    /// The dialog has no constructor that the framework could call.
    pub(super) fn rotated(&mut self, cx: &mut AppContext<'_, ShopApp>) {
        if cx.decide(Branch::DeliveryDialogOpen, self.asks_day) {
            cx.throw(
                &DAY_DIALOG,
                "Unable to instantiate fragment com.example.shop.DayDialog",
            );
        }
    }
}
