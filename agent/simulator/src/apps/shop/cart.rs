//! The cart, and a coupon for it.

use retap_shared::Text;

use super::failures::COUPON;
use super::stock::{PRODUCTS, price};
use super::{Branch, ShopApp, ShopPage, address, login, product};
use crate::framework::{AppContext, Ui, number_text};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct CartPage {
    coupon: Text,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum CartMsg {
    Open(usize),
    Remove(usize),
    Coupon(Text),
    Apply,
    Checkout,
}

impl From<CartMsg> for super::ShopMsg {
    fn from(msg: CartMsg) -> super::ShopMsg {
        super::ShopMsg::Cart(msg)
    }
}

impl CartPage {
    pub(super) fn view(&self, app: &ShopApp, ui: &mut Ui<'_, super::ShopMsg>) {
        ui.toolbar("Cart", |_| {});
        if app.cart.is_empty() {
            ui.text(id!("empty"), "Your cart is empty");
            return;
        }
        ui.at_bottom(132, |ui| {
            ui.columns(2, |ui| {
                ui.text(id!("total"), price(app.total()));
                ui.button(id!("checkout"), "Check out", CartMsg::Checkout);
            });
        });
        let coupon = ui.field(id!("coupon"), "Coupon code", &self.coupon, |text| {
            CartMsg::Coupon(text).into()
        });
        ui.on_submit(coupon, CartMsg::Apply);
        ui.button(id!("apply"), "Apply coupon", CartMsg::Apply);
        ui.list(id!("lines"), app.cart.len(), |ui, row| {
            let line = &app.cart[row];
            ui.item(id!("line"), CartMsg::Open(line.product), |ui| {
                ui.at_right(|ui| {
                    ui.toolbar_action(id!("remove"), "Remove", CartMsg::Remove(row));
                });
                ui.text(id!("line_name"), PRODUCTS[line.product].name);
                ui.text(
                    id!("line_quantity"),
                    number_text("", u64::from(line.quantity), " ×"),
                );
            });
        });
    }

    pub(super) fn update(
        &mut self,
        app: &mut ShopApp,
        msg: CartMsg,
        cx: &mut AppContext<'_, ShopApp>,
    ) {
        match msg {
            CartMsg::Open(number) => cx.start(ShopPage::Product(product::ProductPage::of(number))),
            CartMsg::Remove(row) => {
                if row < app.cart.len() {
                    app.cart.remove(row);
                }
                if cx.decide(Branch::CartEmptied, app.cart.is_empty()) {
                    app.discount = 0;
                }
            }
            CartMsg::Coupon(coupon) => self.coupon = coupon,
            CartMsg::Apply => self.apply(app, cx),
            CartMsg::Checkout => checkout(app, cx),
        }
    }

    /// Codes are parsed as numbers; other codes are not handled.
    fn apply(&mut self, app: &mut ShopApp, cx: &mut AppContext<'_, ShopApp>) {
        if cx.decide(Branch::CartCouponEmpty, self.coupon.is_empty()) {
            return;
        }
        let parsed = self.coupon.parse::<u64>();
        if !cx.decide(Branch::CartCouponIsNumber, parsed.is_ok()) {
            return cx.throw(&COUPON, format!("For input string: \"{}\"", self.coupon));
        }
        let large = cx.decide(
            Branch::CartCouponLarge,
            parsed.is_ok_and(|code| code > 1_000),
        );
        if !cx.decide(Branch::CartCouponTwice, app.discount > 0) {
            app.discount = if large { 500 } else { 50 };
        }
    }
}

fn checkout(app: &ShopApp, cx: &mut AppContext<'_, ShopApp>) {
    if cx.decide(Branch::CartEmpty, app.cart.is_empty()) {
        return;
    }
    if cx.decide(Branch::CartSignedIn, app.account.is_some()) {
        cx.start(ShopPage::Address(address::AddressPage::of_account()));
    } else {
        cx.start(ShopPage::Login(login::LoginPage::then_checkout()));
    }
}
