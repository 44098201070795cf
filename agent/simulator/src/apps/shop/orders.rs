//! Earlier orders.

use super::stock::price;
use super::{Branch, ShopApp};
use crate::framework::{AppContext, Ui};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct OrdersPage {
    asks: Option<usize>,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum OrdersMsg {
    Ask(usize),
    CancelOrder(usize),
    Keep,
}

impl From<OrdersMsg> for super::ShopMsg {
    fn from(msg: OrdersMsg) -> super::ShopMsg {
        super::ShopMsg::Orders(msg)
    }
}

impl OrdersPage {
    pub(super) fn view(&self, app: &ShopApp, ui: &mut Ui<'_, super::ShopMsg>) {
        ui.toolbar("My orders", |_| {});
        if app.orders.is_empty() {
            ui.text(id!("no_orders"), "You have not ordered yet");
        }
        ui.list(id!("orders_list"), app.orders.len(), |ui, row| {
            let order = &app.orders[row];
            ui.item(id!("order_row"), OrdersMsg::Ask(row), |ui| {
                ui.text(id!("order_total"), price(order.total));
                ui.text(
                    id!("order_state"),
                    if order.cancelled {
                        "Cancelled"
                    } else {
                        "On its way"
                    },
                );
            });
        });
        if let Some(row) = self.asks {
            ui.dialog("Cancel this order?", OrdersMsg::Keep, |ui| {
                ui.columns(2, |ui| {
                    ui.negative("No", OrdersMsg::Keep);
                    ui.positive("Yes", OrdersMsg::CancelOrder(row));
                });
            });
        }
    }

    pub(super) fn update(
        &mut self,
        app: &mut ShopApp,
        msg: OrdersMsg,
        cx: &mut AppContext<'_, ShopApp>,
    ) {
        self.asks = None;
        cx.decide(Branch::OrdersAny, app.orders.len() > 1);
        match msg {
            OrdersMsg::Ask(row) => {
                let cancelled = app.orders.get(row).is_some_and(|order| order.cancelled);
                if !cx.decide(Branch::OrdersCancelled, cancelled) {
                    self.asks = Some(row);
                }
            }
            OrdersMsg::CancelOrder(row) => {
                if let Some(order) = app.orders.get_mut(row) {
                    order.cancelled = true;
                }
            }
            OrdersMsg::Keep => {}
        }
    }
}
