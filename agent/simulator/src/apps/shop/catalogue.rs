//! The catalogue: one category a page.

use super::stock::{CATEGORIES, PER_CATEGORY, PRODUCTS, price};
use super::{Branch, ShopApp, ShopPage, cart, login, orders, product, wishlist};
use crate::declarative;
use crate::framework::{AppContext, Ui};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct CataloguePage {
    category: usize,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum CatalogueMsg {
    Category(usize),
    Open(usize),
    Cart,
    Login,
    Logout,
    Wishlist,
    Orders,
    Service,
}

impl From<CatalogueMsg> for super::ShopMsg {
    fn from(msg: CatalogueMsg) -> super::ShopMsg {
        super::ShopMsg::Catalogue(msg)
    }
}

impl CataloguePage {
    pub(super) fn view(&self, app: &ShopApp, ui: &mut Ui<'_, super::ShopMsg>) {
        ui.toolbar("Shop", |ui| {
            ui.menu(|menu| {
                if app.account.is_some() {
                    menu.item(id!("logout"), "Sign out", CatalogueMsg::Logout);
                } else {
                    menu.item(id!("login"), "Sign in", CatalogueMsg::Login);
                }
                menu.item(id!("wishlist"), "Wish list", CatalogueMsg::Wishlist);
                menu.item(id!("orders"), "My orders", CatalogueMsg::Orders);
                menu.item(id!("service"), "Service", CatalogueMsg::Service);
            });
            ui.toolbar_action(id!("cart"), "Cart", CatalogueMsg::Cart);
        });
        ui.columns(CATEGORIES.len() as i32, |ui| {
            for (number, name) in CATEGORIES.into_iter().enumerate() {
                ui.tab(
                    id!("category"),
                    name,
                    number == self.category,
                    CatalogueMsg::Category(number),
                );
            }
        });
        let previous = self
            .category
            .checked_sub(1)
            .map(|number| CatalogueMsg::Category(number).into());
        let next = self.category + 1;
        let next = (next < CATEGORIES.len()).then(|| CatalogueMsg::Category(next).into());
        ui.pager(id!("pager"), previous, next, |ui| {
            ui.list(id!("products"), PER_CATEGORY, |ui, row| {
                let number = self.category * PER_CATEGORY + row;
                let product = &PRODUCTS[number];
                ui.item(id!("product"), CatalogueMsg::Open(number), |ui| {
                    ui.text(id!("product_name"), product.name);
                    ui.text(id!("product_price"), price(product.price));
                });
            });
        });
    }

    pub(super) fn update(
        &mut self,
        app: &mut ShopApp,
        msg: CatalogueMsg,
        cx: &mut AppContext<'_, ShopApp>,
    ) {
        match msg {
            CatalogueMsg::Category(category) => {
                cx.decide(Branch::CataloguePageTurned, category != self.category);
                self.category = category;
            }
            CatalogueMsg::Open(number) => {
                cx.decide(Branch::CatalogueOnSale, PRODUCTS[number].price < 1_000);
                cx.start(ShopPage::Product(product::ProductPage::of(number)));
            }
            CatalogueMsg::Cart => {
                cx.decide(Branch::CatalogueCartEmpty, app.cart.is_empty());
                cx.start(ShopPage::Cart(cart::CartPage::default()));
            }
            CatalogueMsg::Login => cx.start(ShopPage::Login(login::LoginPage::default())),
            CatalogueMsg::Logout => {
                if cx.decide(Branch::CatalogueSignedIn, app.account.take().is_some()) {
                    app.remember = false;
                }
            }
            CatalogueMsg::Wishlist => {
                cx.start(ShopPage::Wishlist(wishlist::WishlistPage::default()));
            }
            CatalogueMsg::Orders => cx.start(ShopPage::Orders(orders::OrdersPage::default())),
            CatalogueMsg::Service => cx.start(ShopPage::More(declarative::DeclarativePage::of(0))),
        }
    }
}
