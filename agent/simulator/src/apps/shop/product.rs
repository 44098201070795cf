//! One product: how many of it, into the cart, onto the wish list.

use retap_shared::micros::Micros;

use super::failures::{DETACHED, NO_POINTER, PRICE_EACH};
use super::stock::{PRODUCTS, price};
use super::{Branch, CartLine, ShopApp, ShopPage, cart, gallery};
use crate::framework::{AppContext, Ui, number_text};

#[derive(Clone, Debug, Hash)]
pub(super) struct ProductPage {
    number: usize,
    quantity: u32,
    reviews: bool,
    thanks: bool,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum ProductMsg {
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

impl From<ProductMsg> for super::ShopMsg {
    fn from(msg: ProductMsg) -> super::ShopMsg {
        super::ShopMsg::Product(msg)
    }
}

/// Duration of the heart's flight to the wish list.
const HEART: Micros = Micros::from_millis(800);

impl ProductPage {
    pub(super) fn of(number: usize) -> ProductPage {
        ProductPage {
            number,
            quantity: 1,
            reviews: false,
            thanks: false,
        }
    }

    pub(super) fn view(&self, app: &ShopApp, ui: &mut Ui<'_, super::ShopMsg>) {
        let product = &PRODUCTS[self.number];
        ui.toolbar(product.name, |ui| {
            ui.toolbar_action(id!("cart"), "Cart", ProductMsg::Cart);
        });
        ui.scroll(id!("details"), |ui| {
            let picture = ui.picture(id!("picture"), "Picture", ProductMsg::Picture);
            ui.on_long_press(picture, ProductMsg::Zoom);
            ui.text(id!("price"), price(product.price));
            ui.columns(3, |ui| {
                let less = ui.button(id!("less"), "−", ProductMsg::Less);
                ui.enable(less, self.quantity > 0);
                ui.text(
                    id!("quantity"),
                    number_text("", u64::from(self.quantity), ""),
                );
                ui.button(id!("more"), "+", ProductMsg::More);
            });
            ui.button(id!("add"), "Add to cart", ProductMsg::Add);
            let wished = app.wishes.contains(&self.number);
            ui.button(
                id!("wish"),
                if wished {
                    "On your wish list"
                } else {
                    "Wish for it"
                },
                ProductMsg::Wish,
            );
            if self.thanks {
                ui.text(id!("in_cart"), "It is in your cart");
            }
            ui.check(id!("reviews"), "Reviews", self.reviews, ProductMsg::Reviews);
            if self.reviews {
                ui.text(
                    id!("review_count"),
                    number_text("", u64::from(product.reviews), " reviews"),
                );
            }
        });
    }

    pub(super) fn update(
        &mut self,
        app: &mut ShopApp,
        msg: ProductMsg,
        cx: &mut AppContext<'_, ShopApp>,
    ) {
        match msg {
            ProductMsg::Picture => cx.start(ShopPage::Gallery(gallery::GalleryPage::default())),
            ProductMsg::Zoom => cx.throw(
                &NO_POINTER,
                "pointerIndex out of range pointerIndex=-1 pointerCount=1",
            ),
            ProductMsg::Less => self.quantity = self.quantity.saturating_sub(1),
            ProductMsg::More => {
                if !cx.decide(Branch::ProductQuantityMany, self.quantity >= 5) {
                    self.quantity += 1;
                }
            }
            ProductMsg::Add => self.add(app, cx),
            ProductMsg::Wish => self.wish(app, cx),
            ProductMsg::WishShown => wish_shown(true, cx),
            ProductMsg::Reviews => {
                self.reviews = !self.reviews;
                cx.decide(Branch::ProductHasReviews, PRODUCTS[self.number].reviews > 0);
            }
            ProductMsg::Cart => cx.start(ShopPage::Cart(cart::CartPage::default())),
        }
    }

    /// Works out the price of each from the price of all.
    fn add(&mut self, app: &mut ShopApp, cx: &mut AppContext<'_, ShopApp>) {
        if cx.decide(Branch::ProductQuantityZero, self.quantity == 0) {
            return cx.throw(&PRICE_EACH, "divide by zero");
        }
        let line = app.cart.iter_mut().find(|line| line.product == self.number);
        cx.decide(Branch::ProductInCart, line.is_some());
        match line {
            Some(line) => line.quantity = (line.quantity + self.quantity).min(9),
            None => app.cart.push(CartLine {
                product: self.number,
                quantity: self.quantity,
            }),
        }
        self.thanks = true;
    }

    fn wish(&self, app: &mut ShopApp, cx: &mut AppContext<'_, ShopApp>) {
        let wished = app.wishes.contains(&self.number);
        if cx.decide(Branch::ProductWished, wished) {
            app.wishes.retain(|wish| *wish != self.number);
        } else {
            app.wishes.push(self.number);
            cx.post(HEART, ProductMsg::WishShown);
        }
    }
}

/// The heart has arrived, even if its page was closed.
pub(super) fn wish_shown(attached: bool, cx: &mut AppContext<'_, ShopApp>) {
    if !cx.decide(Branch::ProductWishShown, attached) {
        cx.throw(
            &DETACHED,
            "Fragment WishFragment{5c2d1} not attached to an activity.",
        );
    }
}
