//! What was ordered before.

use super::stock::price;
use super::{Branch, Shop};
use crate::kit::{Cx, Ui};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Orders {
    asks: Option<usize>,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum Msg {
    Ask(usize),
    CancelOrder(usize),
    Keep,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Orders(msg)
    }
}

impl Orders {
    pub(super) fn view(&self, app: &Shop, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("My orders", |_| {});
        if app.orders.is_empty() {
            ui.text(id!("no_orders"), "You have not ordered yet");
        }
        ui.list(id!("orders_list"), app.orders.len(), |ui, row| {
            let order = &app.orders[row];
            ui.item(id!("order_row"), Msg::Ask(row), |ui| {
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
            ui.dialog("Cancel this order?", Msg::Keep, |ui| {
                ui.columns(2, |ui| {
                    ui.negative("No", Msg::Keep);
                    ui.positive("Yes", Msg::CancelOrder(row));
                });
            });
        }
    }

    pub(super) fn update(&mut self, app: &mut Shop, msg: Msg, cx: &mut Cx<'_, Shop>) {
        self.asks = None;
        cx.decide(Branch::OrdersAny, app.orders.len() > 1);
        match msg {
            Msg::Ask(row) => {
                let cancelled = app.orders.get(row).is_some_and(|order| order.cancelled);
                if !cx.decide(Branch::OrdersCancelled, cancelled) {
                    self.asks = Some(row);
                }
            }
            Msg::CancelOrder(row) => {
                if let Some(order) = app.orders.get_mut(row) {
                    order.cancelled = true;
                }
            }
            Msg::Keep => {}
        }
    }
}
