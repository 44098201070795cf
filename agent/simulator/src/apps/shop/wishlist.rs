//! The wish list.

use super::stock::{PRODUCTS, price};
use super::{Branch, ShopApp, ShopPage, product};
use crate::framework::{AppContext, Ui};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct WishlistPage {
    removed: bool,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum WishlistMsg {
    Open(usize),
    Remove(usize),
}

impl From<WishlistMsg> for super::ShopMsg {
    fn from(msg: WishlistMsg) -> super::ShopMsg {
        super::ShopMsg::Wishlist(msg)
    }
}

impl WishlistPage {
    pub(super) fn view(&self, app: &ShopApp, ui: &mut Ui<'_, super::ShopMsg>) {
        ui.toolbar("Wish list", |_| {});
        if self.removed {
            ui.text(id!("removed"), "Removed");
        }
        ui.list(id!("wishes"), app.wishes.len(), |ui, row| {
            let number = app.wishes[row];
            ui.item(id!("wish_row"), WishlistMsg::Open(number), |ui| {
                ui.at_right(|ui| {
                    ui.toolbar_action(id!("unwish"), "Remove", WishlistMsg::Remove(row));
                });
                ui.text(id!("wish_name"), PRODUCTS[number].name);
                ui.text(id!("wish_price"), price(PRODUCTS[number].price));
            });
        });
    }

    pub(super) fn update(
        &mut self,
        app: &mut ShopApp,
        msg: WishlistMsg,
        cx: &mut AppContext<'_, ShopApp>,
    ) {
        match msg {
            WishlistMsg::Open(number) => {
                cx.decide(
                    Branch::WishInCart,
                    app.cart.iter().any(|line| line.product == number),
                );
                cx.start(ShopPage::Product(product::ProductPage::of(number)));
            }
            WishlistMsg::Remove(row) => {
                if row < app.wishes.len() {
                    app.wishes.remove(row);
                }
                self.removed = !cx.decide(Branch::WishlistLast, app.wishes.is_empty());
            }
        }
    }
}
