//! One product: how many of it, into the cart, onto the wish list.

use retap_shared::micros::Micros;

use super::failures::{DETACHED, NO_POINTER, PRICE_EACH};
use super::stock::{PRODUCTS, price};
use super::{Branch, Line, Page, Shop, cart, gallery};
use crate::kit::{Cx, Ui, number};

#[derive(Clone, Debug, Hash)]
pub(super) struct Product {
    number: usize,
    quantity: u32,
    reviews: bool,
    thanks: bool,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum Msg {
    Picture,
    Zoom,
    Less,
    More,
    Add,
    Wish,
    WishShown,
    Reviews,
    Cart,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Product(msg)
    }
}

/// How long the heart flies to the wish list.
const HEART: Micros = Micros::from_millis(800);

impl Product {
    pub(super) fn of(number: usize) -> Product {
        Product {
            number,
            quantity: 1,
            reviews: false,
            thanks: false,
        }
    }

    pub(super) fn view(&self, app: &Shop, ui: &mut Ui<'_, super::Msg>) {
        let product = &PRODUCTS[self.number];
        ui.toolbar(product.name, |ui| {
            ui.action(id!("cart"), "Cart", Msg::Cart);
        });
        ui.scroll(id!("details"), |ui| {
            let picture = ui.picture(id!("picture"), "Picture", Msg::Picture);
            ui.long(picture, Msg::Zoom);
            ui.text(id!("price"), price(product.price));
            ui.columns(3, |ui| {
                let less = ui.button(id!("less"), "−", Msg::Less);
                ui.enable(less, self.quantity > 0);
                ui.text(id!("quantity"), number("", u64::from(self.quantity), ""));
                ui.button(id!("more"), "+", Msg::More);
            });
            ui.button(id!("add"), "Add to cart", Msg::Add);
            let wished = app.wishes.contains(&self.number);
            ui.button(
                id!("wish"),
                if wished {
                    "On your wish list"
                } else {
                    "Wish for it"
                },
                Msg::Wish,
            );
            if self.thanks {
                ui.text(id!("in_cart"), "It is in your cart");
            }
            ui.check(id!("reviews"), "Reviews", self.reviews, Msg::Reviews);
            if self.reviews {
                ui.text(
                    id!("review_count"),
                    number("", u64::from(product.reviews), " reviews"),
                );
            }
        });
    }

    pub(super) fn update(&mut self, app: &mut Shop, msg: Msg, cx: &mut Cx<'_, Shop>) {
        match msg {
            Msg::Picture => cx.start(Page::Gallery(gallery::Gallery::default())),
            Msg::Zoom => cx.throw(
                &NO_POINTER,
                "pointerIndex out of range pointerIndex=-1 pointerCount=1",
            ),
            Msg::Less => self.quantity = self.quantity.saturating_sub(1),
            Msg::More => {
                if !cx.decide(Branch::ProductQuantityMany, self.quantity >= 5) {
                    self.quantity += 1;
                }
            }
            Msg::Add => self.add(app, cx),
            Msg::Wish => self.wish(app, cx),
            Msg::WishShown => wish_shown(true, cx),
            Msg::Reviews => {
                self.reviews = !self.reviews;
                cx.decide(Branch::ProductHasReviews, PRODUCTS[self.number].reviews > 0);
            }
            Msg::Cart => cx.start(Page::Cart(cart::Cart::default())),
        }
    }

    /// Works out the price of each from the price of all.
    fn add(&mut self, app: &mut Shop, cx: &mut Cx<'_, Shop>) {
        if cx.decide(Branch::ProductQuantityZero, self.quantity == 0) {
            return cx.throw(&PRICE_EACH, "divide by zero");
        }
        let line = app.cart.iter_mut().find(|line| line.product == self.number);
        cx.decide(Branch::ProductInCart, line.is_some());
        match line {
            Some(line) => line.quantity = (line.quantity + self.quantity).min(9),
            None => app.cart.push(Line {
                product: self.number,
                quantity: self.quantity,
            }),
        }
        self.thanks = true;
    }

    fn wish(&self, app: &mut Shop, cx: &mut Cx<'_, Shop>) {
        let wished = app.wishes.contains(&self.number);
        if cx.decide(Branch::ProductWished, wished) {
            app.wishes.retain(|wish| *wish != self.number);
        } else {
            app.wishes.push(self.number);
            cx.post(HEART, Msg::WishShown);
        }
    }
}

/// The heart has arrived, even if the page it flew over is gone.
pub(super) fn wish_shown(attached: bool, cx: &mut Cx<'_, Shop>) {
    if !cx.decide(Branch::ProductWishShown, attached) {
        cx.throw(
            &DETACHED,
            "Fragment WishFragment{5c2d1} not attached to an activity.",
        );
    }
}
