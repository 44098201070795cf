//! What is about to be bought, and a coupon for it.

use retap_shared::Text;

use super::failures::COUPON;
use super::stock::{PRODUCTS, price};
use super::{Branch, Page, Shop, address, login, product};
use crate::kit::{Cx, Ui, number};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Cart {
    coupon: Text,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum Msg {
    Open(usize),
    Remove(usize),
    Coupon(Text),
    Apply,
    Checkout,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Cart(msg)
    }
}

impl Cart {
    pub(super) fn view(&self, app: &Shop, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("Cart", |_| {});
        if app.cart.is_empty() {
            ui.text(id!("empty"), "Your cart is empty");
            return;
        }
        ui.at_bottom(132, |ui| {
            ui.columns(2, |ui| {
                ui.text(id!("total"), price(app.total()));
                ui.button(id!("checkout"), "Check out", Msg::Checkout);
            });
        });
        let coupon = ui.field(id!("coupon"), "Coupon code", &self.coupon, |text| {
            Msg::Coupon(text).into()
        });
        ui.submit(coupon, Msg::Apply);
        ui.button(id!("apply"), "Apply coupon", Msg::Apply);
        ui.list(id!("lines"), app.cart.len(), |ui, row| {
            let line = &app.cart[row];
            ui.item(id!("line"), Msg::Open(line.product), |ui| {
                ui.at_right(|ui| {
                    ui.action(id!("remove"), "Remove", Msg::Remove(row));
                });
                ui.text(id!("line_name"), PRODUCTS[line.product].name);
                ui.text(
                    id!("line_quantity"),
                    number("", u64::from(line.quantity), " ×"),
                );
            });
        });
    }

    pub(super) fn update(&mut self, app: &mut Shop, msg: Msg, cx: &mut Cx<'_, Shop>) {
        match msg {
            Msg::Open(number) => cx.start(Page::Product(product::Product::of(number))),
            Msg::Remove(row) => {
                if row < app.cart.len() {
                    app.cart.remove(row);
                }
                if cx.decide(Branch::CartEmptied, app.cart.is_empty()) {
                    app.discount = 0;
                }
            }
            Msg::Coupon(coupon) => self.coupon = coupon,
            Msg::Apply => self.apply(app, cx),
            Msg::Checkout => checkout(app, cx),
        }
    }

    /// Codes are numbers, and nobody thought of others.
    fn apply(&mut self, app: &mut Shop, cx: &mut Cx<'_, Shop>) {
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

fn checkout(app: &Shop, cx: &mut Cx<'_, Shop>) {
    if cx.decide(Branch::CartEmpty, app.cart.is_empty()) {
        return;
    }
    if cx.decide(Branch::CartSignedIn, app.account.is_some()) {
        cx.start(Page::Address(address::Address::of_account()));
    } else {
        cx.start(Page::Login(login::Login::then_checkout()));
    }
}
