//! The last steps of the checkout: the summary, and the order.

use super::stock::{PRODUCTS, price};
use super::{Branch, CheckoutChoices, PlacedOrder, ShopApp, ShopPage};
use crate::framework::{AppContext, Ui, number_text};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct ReviewPage {
    terms: bool,
}

#[derive(Clone, Debug, Hash)]
pub(super) struct OrderPlacedPage {
    number: usize,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum ReviewMsg {
    Terms,
    Order,
    GoOn,
}

impl From<ReviewMsg> for super::ShopMsg {
    fn from(msg: ReviewMsg) -> super::ShopMsg {
        super::ShopMsg::Review(msg)
    }
}

impl ReviewPage {
    pub(super) fn view(&self, app: &ShopApp, ui: &mut Ui<'_, super::ShopMsg>) {
        ui.toolbar("Your order", |_| {});
        ui.at_bottom(132, |ui| {
            let order = ui.button(id!("order"), "Order and pay", ReviewMsg::Order);
            ui.enable(order, self.terms);
        });
        ui.text(id!("review_total"), price(app.total()));
        ui.check(
            id!("terms"),
            "I accept the terms",
            self.terms,
            ReviewMsg::Terms,
        );
        ui.list(id!("review_lines"), app.cart.len(), |ui, row| {
            let line = &app.cart[row];
            ui.item(id!("review_line"), ReviewMsg::GoOn, |ui| {
                ui.text(id!("review_name"), PRODUCTS[line.product].name);
                ui.text(
                    id!("review_quantity"),
                    number_text("", u64::from(line.quantity), " ×"),
                );
            });
        });
    }

    pub(super) fn update(
        &mut self,
        app: &mut ShopApp,
        msg: ReviewMsg,
        cx: &mut AppContext<'_, ShopApp>,
    ) {
        match msg {
            ReviewMsg::Terms => self.terms = cx.decide(Branch::ReviewTermsAccepted, !self.terms),
            ReviewMsg::Order => {
                cx.decide(Branch::ReviewDiscounted, app.discount > 0);
                cx.decide(Branch::ReviewFirstOrder, app.orders.is_empty());
                app.orders.insert(
                    0,
                    PlacedOrder {
                        total: app.total(),
                        cancelled: false,
                    },
                );
                app.cart.clear();
                app.discount = 0;
                app.checkout = CheckoutChoices::default();
                cx.start(ShopPage::Done(OrderPlacedPage {
                    number: app.orders.len(),
                }));
            }
            ReviewMsg::GoOn => {}
        }
    }
}

impl OrderPlacedPage {
    pub(super) fn view(&self, ui: &mut Ui<'_, super::ShopMsg>) {
        ui.toolbar("Thank you", |_| {});
        ui.text(
            id!("order_number"),
            number_text("Your order has the number ", self.number as u64, ""),
        );
        ui.button(id!("go_on"), "Back to the shop", ReviewMsg::GoOn);
    }
}
