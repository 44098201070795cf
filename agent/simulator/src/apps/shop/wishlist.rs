//! What one would like to have.

use super::stock::{PRODUCTS, price};
use super::{Branch, Page, Shop, product};
use crate::kit::{Cx, Ui};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Wishlist {
    removed: bool,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum Msg {
    Open(usize),
    Remove(usize),
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Wishlist(msg)
    }
}

impl Wishlist {
    pub(super) fn view(&self, app: &Shop, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("Wish list", |_| {});
        if self.removed {
            ui.text(id!("removed"), "Removed");
        }
        ui.list(id!("wishes"), app.wishes.len(), |ui, row| {
            let number = app.wishes[row];
            ui.item(id!("wish_row"), Msg::Open(number), |ui| {
                ui.at_right(|ui| {
                    ui.action(id!("unwish"), "Remove", Msg::Remove(row));
                });
                ui.text(id!("wish_name"), PRODUCTS[number].name);
                ui.text(id!("wish_price"), price(PRODUCTS[number].price));
            });
        });
    }

    pub(super) fn update(&mut self, app: &mut Shop, msg: Msg, cx: &mut Cx<'_, Shop>) {
        match msg {
            Msg::Open(number) => {
                cx.decide(
                    Branch::WishInCart,
                    app.cart.iter().any(|line| line.product == number),
                );
                cx.start(Page::Product(product::Product::of(number)));
            }
            Msg::Remove(row) => {
                if row < app.wishes.len() {
                    app.wishes.remove(row);
                }
                self.removed = !cx.decide(Branch::WishlistLast, app.wishes.is_empty());
            }
        }
    }
}
