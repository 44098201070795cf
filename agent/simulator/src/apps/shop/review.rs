//! The last steps of the checkout: a look at everything, and the order.

use super::stock::{PRODUCTS, price};
use super::{Branch, Checkout, Order, Page, Shop};
use crate::kit::{Cx, Ui, number};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Review {
    terms: bool,
}

#[derive(Clone, Debug, Hash)]
pub(super) struct Done {
    number: usize,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum Msg {
    Terms,
    Order,
    GoOn,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Review(msg)
    }
}

impl Review {
    pub(super) fn view(&self, app: &Shop, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("Your order", |_| {});
        ui.at_bottom(132, |ui| {
            let order = ui.button(id!("order"), "Order and pay", Msg::Order);
            ui.enable(order, self.terms);
        });
        ui.text(id!("review_total"), price(app.total()));
        ui.check(id!("terms"), "I accept the terms", self.terms, Msg::Terms);
        ui.list(id!("review_lines"), app.cart.len(), |ui, row| {
            let line = &app.cart[row];
            ui.item(id!("review_line"), Msg::GoOn, |ui| {
                ui.text(id!("review_name"), PRODUCTS[line.product].name);
                ui.text(
                    id!("review_quantity"),
                    number("", u64::from(line.quantity), " ×"),
                );
            });
        });
    }

    pub(super) fn update(&mut self, app: &mut Shop, msg: Msg, cx: &mut Cx<'_, Shop>) {
        match msg {
            Msg::Terms => self.terms = cx.decide(Branch::ReviewTermsAccepted, !self.terms),
            Msg::Order => {
                cx.decide(Branch::ReviewDiscounted, app.discount > 0);
                cx.decide(Branch::ReviewFirstOrder, app.orders.is_empty());
                app.orders.insert(
                    0,
                    Order {
                        total: app.total(),
                        cancelled: false,
                    },
                );
                app.cart.clear();
                app.discount = 0;
                app.checkout = Checkout::default();
                cx.start(Page::Done(Done {
                    number: app.orders.len(),
                }));
            }
            Msg::GoOn => {}
        }
    }
}

impl Done {
    pub(super) fn view(&self, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("Thank you", |_| {});
        ui.text(
            id!("order_number"),
            number("Your order has the number ", self.number as u64, ""),
        );
        ui.button(id!("go_on"), "Back to the shop", Msg::GoOn);
    }
}
