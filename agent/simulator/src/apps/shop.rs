//! A shop: a catalogue, a login, a cart, and a deep checkout.

/// A resource id of this app.
macro_rules! id {
    ($name:literal) => {
        concat!("com.example.shop:id/", $name)
    };
}

mod address;
mod cart;
mod catalogue;
mod delivery;
mod failures;
mod gallery;
mod login;
mod more;
mod orders;
mod payment;
mod product;
mod review;
mod stock;
mod wishlist;

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::action::System;

use super::Entry;
use crate::kit::{App, Cx, Manifest, Process, Recreation, Rows, Running, Ui, branches};
use crate::plan;

pub(super) const ENTRY: Entry = Entry {
    name: "shop",
    about: "a shop with a catalogue, a login, a cart and a checkout of five screens",
    install: || -> Box<dyn Process> { Box::new(Running::install(manifest(), Shop::default())) },
    planted: failures::PLANTED,
    plan: Some(|| Arc::clone(&more::PLAN)),
};

#[derive(Clone, Debug, Default, Hash)]
struct Shop {
    account: Option<Text>,
    /// The account survives the process.
    remember: bool,
    cart: Vec<Line>,
    discount: u32,
    wishes: Vec<usize>,
    orders: Rows<Order>,
    checkout: Checkout,
    more: plan::State,
}

/// So many of one product, which is named by its number in the stock.
#[derive(Clone, Debug, Hash)]
struct Line {
    product: usize,
    quantity: u32,
}

#[derive(Clone, Debug, Hash)]
struct Order {
    total: u32,
    cancelled: bool,
}

/// What has been chosen on the way through the checkout.
#[derive(Clone, Debug, Default, Hash)]
struct Checkout {
    delivery: delivery::Way,
    day: Option<usize>,
    payment: payment::Means,
}

#[derive(Clone, Debug, Hash)]
enum Page {
    Catalogue(catalogue::Catalogue),
    Product(product::Product),
    Gallery(gallery::Gallery),
    Login(login::Login),
    Cart(cart::Cart),
    Address(address::Address),
    Delivery(delivery::Delivery),
    Payment(payment::Payment),
    Review(review::Review),
    Done(review::Done),
    Orders(orders::Orders),
    Wishlist(wishlist::Wishlist),
    More(plan::Page),
}

#[derive(Clone, Debug, Hash)]
enum Msg {
    Catalogue(catalogue::Msg),
    Product(product::Msg),
    Gallery(gallery::Msg),
    Login(login::Msg),
    Cart(cart::Msg),
    Address(address::Msg),
    Delivery(delivery::Msg),
    Payment(payment::Msg),
    Review(review::Msg),
    Orders(orders::Msg),
    Wishlist(wishlist::Msg),
    More(plan::Msg),
}

impl From<plan::Page> for Page {
    fn from(page: plan::Page) -> Page {
        Page::More(page)
    }
}

impl From<plan::Msg> for Msg {
    fn from(msg: plan::Msg) -> Msg {
        Msg::More(msg)
    }
}

const ACTIVITIES: [&str; 12] = [
    "com.example.shop/.CatalogueActivity",
    "com.example.shop/.ProductActivity",
    "com.example.shop/.GalleryActivity",
    "com.example.shop/.LoginActivity",
    "com.example.shop/.CartActivity",
    "com.example.shop/.AddressActivity",
    "com.example.shop/.DeliveryActivity",
    "com.example.shop/.PaymentActivity",
    "com.example.shop/.ReviewActivity",
    "com.example.shop/.DoneActivity",
    "com.example.shop/.OrdersActivity",
    "com.example.shop/.WishlistActivity",
];

branches![
    CatalogueSignedIn,
    CatalogueCartEmpty,
    CatalogueOnSale,
    CataloguePageTurned,
    ProductInCart,
    ProductQuantityZero,
    ProductQuantityMany,
    ProductWished,
    ProductHasReviews,
    ProductWishShown,
    GalleryAtEnd,
    GalleryAtStart,
    GalleryWide,
    LoginNameEmpty,
    LoginPasswordShort,
    LoginRemembers,
    LoginGoesOn,
    LoginForgotEmpty,
    LoginLostOnRotation,
    CartEmptied,
    CartCouponEmpty,
    CartCouponIsNumber,
    CartCouponLarge,
    CartCouponTwice,
    CartSignedIn,
    CartEmpty,
    AddressStreetEmpty,
    AddressCityEmpty,
    AddressZipValid,
    AddressChanged,
    DeliveryIsPickUp,
    DeliveryIsExpress,
    DeliveryDayChosen,
    DeliveryDialogOpen,
    PaymentIsCard,
    PaymentCardValid,
    PaymentIsInvoice,
    PaymentInvoicePickUp,
    PaymentGiftCovers,
    ReviewTermsAccepted,
    ReviewDiscounted,
    ReviewFirstOrder,
    OrdersCancelled,
    OrdersAny,
    WishInCart,
    WishlistLast,
];

impl Shop {
    fn total(&self) -> u32 {
        let sum: u32 = self
            .cart
            .iter()
            .map(|line| stock::PRODUCTS[line.product].price * line.quantity)
            .sum();
        sum.saturating_sub(self.discount)
    }
}

impl App for Shop {
    type Page = Page;
    type Msg = Msg;

    fn first_page(&self) -> Page {
        Page::Catalogue(catalogue::Catalogue::default())
    }

    fn activity(&self, page: &Page) -> usize {
        match page {
            Page::Catalogue(_) => 0,
            Page::Product(_) => 1,
            Page::Gallery(_) => 2,
            Page::Login(_) => 3,
            Page::Cart(_) => 4,
            Page::Address(_) => 5,
            Page::Delivery(_) => 6,
            Page::Payment(_) => 7,
            Page::Review(_) => 8,
            Page::Done(_) => 9,
            Page::Orders(_) => 10,
            Page::Wishlist(_) => 11,
            Page::More(page) => ACTIVITIES.len() + usize::from(page.screen),
        }
    }

    fn view(&self, page: &Page, ui: &mut Ui<'_, Msg>) {
        match page {
            Page::Catalogue(page) => page.view(self, ui),
            Page::Product(page) => page.view(self, ui),
            Page::Gallery(page) => page.view(ui),
            Page::Login(page) => page.view(self, ui),
            Page::Cart(page) => page.view(self, ui),
            Page::Address(page) => page.view(ui),
            Page::Delivery(page) => page.view(self, ui),
            Page::Payment(page) => page.view(self, ui),
            Page::Review(page) => page.view(self, ui),
            Page::Done(page) => page.view(ui),
            Page::Orders(page) => page.view(self, ui),
            Page::Wishlist(page) => page.view(self, ui),
            Page::More(page) => more::PLAN.view(&self.more, page, ui),
        }
    }

    fn update(&mut self, page: &mut Page, msg: Msg, cx: &mut Cx<'_, Shop>) {
        match (page, msg) {
            (Page::Catalogue(page), Msg::Catalogue(msg)) => page.update(self, msg, cx),
            (Page::Product(page), Msg::Product(msg)) => page.update(self, msg, cx),
            (Page::Gallery(page), Msg::Gallery(msg)) => page.update(msg, cx),
            (Page::Login(page), Msg::Login(msg)) => page.update(self, msg, cx),
            (Page::Cart(page), Msg::Cart(msg)) => page.update(self, msg, cx),
            (Page::Address(page), Msg::Address(msg)) => page.update(msg, cx),
            (Page::Delivery(page), Msg::Delivery(msg)) => page.update(self, msg, cx),
            (Page::Payment(page), Msg::Payment(msg)) => page.update(self, msg, cx),
            (Page::Review(page), Msg::Review(msg)) => page.update(self, msg, cx),
            (Page::Done(_), Msg::Review(_)) => cx.back_to_first(),
            (Page::Orders(page), Msg::Orders(msg)) => page.update(self, msg, cx),
            (Page::Wishlist(page), Msg::Wishlist(msg)) => page.update(self, msg, cx),
            (Page::More(page), Msg::More(msg)) => more::PLAN.update(&mut self.more, page, msg, cx),
            _ => {}
        }
    }

    fn opened(&mut self, page: &mut Page, cx: &mut Cx<'_, Shop>) {
        if let Page::More(page) = page {
            more::PLAN.opened(&mut self.more, page, cx);
        }
    }

    fn told(&mut self, page: &mut Page, event: &System, cx: &mut Cx<'_, Shop>) {
        if let Page::More(page) = page {
            more::PLAN.told(event, &mut self.more, page, cx);
        }
    }

    fn recreated(&mut self, page: &mut Page, by: Recreation, cx: &mut Cx<'_, Shop>) {
        match page {
            Page::Gallery(page) => page.show(cx),
            Page::Login(page) => page.rotated(cx),
            Page::Delivery(page) => page.rotated(cx),
            Page::More(page) => more::PLAN.recreated(by, &mut self.more, page, cx),
            _ => {}
        }
    }

    fn back(&mut self, page: &mut Page, cx: &mut Cx<'_, Shop>) {
        match page {
            Page::Done(_) => cx.back_to_first(),
            _ => cx.finish(),
        }
    }

    fn orphaned(&mut self, msg: Msg, cx: &mut Cx<'_, Shop>) {
        if let Msg::Product(product::Msg::WishShown) = msg {
            product::wish_shown(false, cx);
        }
    }

    fn died(&mut self) {
        self.more.died();
        if !self.remember {
            self.account = None;
        }
        self.checkout = Checkout::default();
    }
}

fn manifest() -> Manifest {
    let more = more::PLAN
        .screens
        .iter()
        .map(|screen| Text::new(format!("com.example.shop/.{}", screen.class)));
    Manifest {
        package: Text::new_static("com.example.shop"),
        label: Text::new_static("Shop"),
        version_code: 31,
        activities: ACTIVITIES
            .map(Text::new_static)
            .into_iter()
            .chain(more)
            .collect(),
        branches: Branch::COUNT + 2 * more::PLAN.decisions,
    }
}
