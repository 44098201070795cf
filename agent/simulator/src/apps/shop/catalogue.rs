//! What there is to buy, one category a page.

use super::stock::{CATEGORIES, PER_CATEGORY, PRODUCTS, price};
use super::{Branch, Page, Shop, cart, login, orders, product, wishlist};
use crate::kit::{Cx, Ui};
use crate::plan;

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Catalogue {
    category: usize,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum Msg {
    Category(usize),
    Open(usize),
    Cart,
    Login,
    Logout,
    Wishlist,
    Orders,
    Service,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Catalogue(msg)
    }
}

impl Catalogue {
    pub(super) fn view(&self, app: &Shop, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("Shop", |ui| {
            ui.menu(|menu| {
                if app.account.is_some() {
                    menu.item(id!("logout"), "Sign out", Msg::Logout);
                } else {
                    menu.item(id!("login"), "Sign in", Msg::Login);
                }
                menu.item(id!("wishlist"), "Wish list", Msg::Wishlist);
                menu.item(id!("orders"), "My orders", Msg::Orders);
                menu.item(id!("service"), "Service", Msg::Service);
            });
            ui.action(id!("cart"), "Cart", Msg::Cart);
        });
        ui.columns(CATEGORIES.len() as i32, |ui| {
            for (number, name) in CATEGORIES.into_iter().enumerate() {
                ui.tab(
                    id!("category"),
                    name,
                    number == self.category,
                    Msg::Category(number),
                );
            }
        });
        let previous = self
            .category
            .checked_sub(1)
            .map(|number| Msg::Category(number).into());
        let next = self.category + 1;
        let next = (next < CATEGORIES.len()).then(|| Msg::Category(next).into());
        ui.pager(id!("pager"), previous, next, |ui| {
            ui.list(id!("products"), PER_CATEGORY, |ui, row| {
                let number = self.category * PER_CATEGORY + row;
                let product = &PRODUCTS[number];
                ui.item(id!("product"), Msg::Open(number), |ui| {
                    ui.text(id!("product_name"), product.name);
                    ui.text(id!("product_price"), price(product.price));
                });
            });
        });
    }

    pub(super) fn update(&mut self, app: &mut Shop, msg: Msg, cx: &mut Cx<'_, Shop>) {
        match msg {
            Msg::Category(category) => {
                cx.decide(Branch::CataloguePageTurned, category != self.category);
                self.category = category;
            }
            Msg::Open(number) => {
                cx.decide(Branch::CatalogueOnSale, PRODUCTS[number].price < 1_000);
                cx.start(Page::Product(product::Product::of(number)));
            }
            Msg::Cart => {
                cx.decide(Branch::CatalogueCartEmpty, app.cart.is_empty());
                cx.start(Page::Cart(cart::Cart::default()));
            }
            Msg::Login => cx.start(Page::Login(login::Login::default())),
            Msg::Logout => {
                if cx.decide(Branch::CatalogueSignedIn, app.account.take().is_some()) {
                    app.remember = false;
                }
            }
            Msg::Wishlist => cx.start(Page::Wishlist(wishlist::Wishlist::default())),
            Msg::Orders => cx.start(Page::Orders(orders::Orders::default())),
            Msg::Service => cx.start(Page::More(plan::Page::of(0))),
        }
    }
}
