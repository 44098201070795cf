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
mod extra_screens;
mod failures;
mod gallery;
mod login;
mod orders;
mod payment;
mod product;
mod review;
mod stock;
mod wishlist;

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::action::SystemEvent;

use super::SimulatedAppEntry;
use crate::declarative;
use crate::framework::{
    AppContext, AppManifest, AppProcess, Recreation, RunningApp, SharedRows, SimulatedApp, Ui,
    branches,
};

pub(super) const ENTRY: SimulatedAppEntry = SimulatedAppEntry {
    name: "shop",
    about: "a shop with a catalogue, a login, a cart and a checkout of five screens",
    install: || -> Box<dyn AppProcess> {
        Box::new(RunningApp::install(manifest(), ShopApp::default()))
    },
    planted_crashes: failures::PLANTED,
    definition: Some(|| Arc::clone(&extra_screens::DEFINITION)),
};

#[derive(Clone, Debug, Default, Hash)]
struct ShopApp {
    account: Option<Text>,
    /// The account survives the process.
    remember: bool,
    cart: Vec<CartLine>,
    discount: u32,
    wishes: Vec<usize>,
    orders: SharedRows<PlacedOrder>,
    checkout: CheckoutChoices,
    extra: declarative::DeclarativeState,
}

/// Quantity of one product, which is named by its number in the stock.
#[derive(Clone, Debug, Hash)]
struct CartLine {
    product: usize,
    quantity: u32,
}

#[derive(Clone, Debug, Hash)]
struct PlacedOrder {
    total: u32,
    cancelled: bool,
}

/// Choices made in the checkout so far.
#[derive(Clone, Debug, Default, Hash)]
struct CheckoutChoices {
    delivery: delivery::DeliveryMethod,
    day: Option<usize>,
    payment: payment::PaymentMethod,
}

#[derive(Clone, Debug, Hash)]
enum ShopPage {
    Catalogue(catalogue::CataloguePage),
    Product(product::ProductPage),
    Gallery(gallery::GalleryPage),
    Login(login::LoginPage),
    Cart(cart::CartPage),
    Address(address::AddressPage),
    Delivery(delivery::DeliveryPage),
    Payment(payment::PaymentPage),
    Review(review::ReviewPage),
    Done(review::OrderPlacedPage),
    Orders(orders::OrdersPage),
    Wishlist(wishlist::WishlistPage),
    More(declarative::DeclarativePage),
}

#[derive(Clone, Debug, Hash)]
enum ShopMsg {
    Catalogue(catalogue::CatalogueMsg),
    Product(product::ProductMsg),
    Gallery(gallery::GalleryMsg),
    Login(login::LoginMsg),
    Cart(cart::CartMsg),
    Address(address::AddressMsg),
    Delivery(delivery::DeliveryMsg),
    Payment(payment::PaymentMsg),
    Review(review::ReviewMsg),
    Orders(orders::OrdersMsg),
    Wishlist(wishlist::WishlistMsg),
    More(declarative::DeclarativeMsg),
}

impl From<declarative::DeclarativePage> for ShopPage {
    fn from(page: declarative::DeclarativePage) -> ShopPage {
        ShopPage::More(page)
    }
}

impl From<declarative::DeclarativeMsg> for ShopMsg {
    fn from(msg: declarative::DeclarativeMsg) -> ShopMsg {
        ShopMsg::More(msg)
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

impl ShopApp {
    fn total(&self) -> u32 {
        let sum: u32 = self
            .cart
            .iter()
            .map(|line| stock::PRODUCTS[line.product].price * line.quantity)
            .sum();
        sum.saturating_sub(self.discount)
    }
}

impl SimulatedApp for ShopApp {
    type Page = ShopPage;
    type Msg = ShopMsg;

    fn first_page(&self) -> ShopPage {
        ShopPage::Catalogue(catalogue::CataloguePage::default())
    }

    fn activity_index(&self, page: &ShopPage) -> usize {
        match page {
            ShopPage::Catalogue(_) => 0,
            ShopPage::Product(_) => 1,
            ShopPage::Gallery(_) => 2,
            ShopPage::Login(_) => 3,
            ShopPage::Cart(_) => 4,
            ShopPage::Address(_) => 5,
            ShopPage::Delivery(_) => 6,
            ShopPage::Payment(_) => 7,
            ShopPage::Review(_) => 8,
            ShopPage::Done(_) => 9,
            ShopPage::Orders(_) => 10,
            ShopPage::Wishlist(_) => 11,
            ShopPage::More(page) => ACTIVITIES.len() + usize::from(page.screen),
        }
    }

    fn view(&self, page: &ShopPage, ui: &mut Ui<'_, ShopMsg>) {
        match page {
            ShopPage::Catalogue(page) => page.view(self, ui),
            ShopPage::Product(page) => page.view(self, ui),
            ShopPage::Gallery(page) => page.view(ui),
            ShopPage::Login(page) => page.view(self, ui),
            ShopPage::Cart(page) => page.view(self, ui),
            ShopPage::Address(page) => page.view(ui),
            ShopPage::Delivery(page) => page.view(self, ui),
            ShopPage::Payment(page) => page.view(self, ui),
            ShopPage::Review(page) => page.view(self, ui),
            ShopPage::Done(page) => page.view(ui),
            ShopPage::Orders(page) => page.view(self, ui),
            ShopPage::Wishlist(page) => page.view(self, ui),
            ShopPage::More(page) => extra_screens::DEFINITION.view(&self.extra, page, ui),
        }
    }

    fn update(&mut self, page: &mut ShopPage, msg: ShopMsg, cx: &mut AppContext<'_, ShopApp>) {
        match (page, msg) {
            (ShopPage::Catalogue(page), ShopMsg::Catalogue(msg)) => page.update(self, msg, cx),
            (ShopPage::Product(page), ShopMsg::Product(msg)) => page.update(self, msg, cx),
            (ShopPage::Gallery(page), ShopMsg::Gallery(msg)) => page.update(msg, cx),
            (ShopPage::Login(page), ShopMsg::Login(msg)) => page.update(self, msg, cx),
            (ShopPage::Cart(page), ShopMsg::Cart(msg)) => page.update(self, msg, cx),
            (ShopPage::Address(page), ShopMsg::Address(msg)) => page.update(msg, cx),
            (ShopPage::Delivery(page), ShopMsg::Delivery(msg)) => page.update(self, msg, cx),
            (ShopPage::Payment(page), ShopMsg::Payment(msg)) => page.update(self, msg, cx),
            (ShopPage::Review(page), ShopMsg::Review(msg)) => page.update(self, msg, cx),
            (ShopPage::Done(_), ShopMsg::Review(_)) => cx.back_to_first(),
            (ShopPage::Orders(page), ShopMsg::Orders(msg)) => page.update(self, msg, cx),
            (ShopPage::Wishlist(page), ShopMsg::Wishlist(msg)) => page.update(self, msg, cx),
            (ShopPage::More(page), ShopMsg::More(msg)) => {
                extra_screens::DEFINITION.update(&mut self.extra, page, msg, cx);
            }
            _ => {}
        }
    }

    fn opened(&mut self, page: &mut ShopPage, cx: &mut AppContext<'_, ShopApp>) {
        if let ShopPage::More(page) = page {
            extra_screens::DEFINITION.opened(&mut self.extra, page, cx);
        }
    }

    fn system_event(
        &mut self,
        page: &mut ShopPage,
        event: &SystemEvent,
        cx: &mut AppContext<'_, ShopApp>,
    ) {
        if let ShopPage::More(page) = page {
            extra_screens::DEFINITION.system_event(event, &mut self.extra, page, cx);
        }
    }

    fn recreated(&mut self, page: &mut ShopPage, by: Recreation, cx: &mut AppContext<'_, ShopApp>) {
        match page {
            ShopPage::Gallery(page) => page.show(cx),
            ShopPage::Login(page) => page.rotated(cx),
            ShopPage::Delivery(page) => page.rotated(cx),
            ShopPage::More(page) => {
                extra_screens::DEFINITION.recreated(by, &mut self.extra, page, cx);
            }
            _ => {}
        }
    }

    fn back(&mut self, page: &mut ShopPage, cx: &mut AppContext<'_, ShopApp>) {
        match page {
            ShopPage::Done(_) => cx.back_to_first(),
            _ => cx.finish(),
        }
    }

    fn leaked_message(&mut self, msg: ShopMsg, cx: &mut AppContext<'_, ShopApp>) {
        if let ShopMsg::Product(product::ProductMsg::WishShown) = msg {
            product::wish_shown(false, cx);
        }
    }

    fn process_died(&mut self) {
        self.extra.process_died();
        if !self.remember {
            self.account = None;
        }
        self.checkout = CheckoutChoices::default();
    }
}

fn manifest() -> AppManifest {
    let more = extra_screens::DEFINITION
        .screens
        .iter()
        .map(|screen| Text::new(format!("com.example.shop/.{}", screen.class)));
    AppManifest {
        package: Text::new_static("com.example.shop"),
        label: Text::new_static("Shop"),
        version_code: 31,
        activities: ACTIVITIES
            .map(Text::new_static)
            .into_iter()
            .chain(more)
            .collect(),
        branches: Branch::COUNT + 2 * extra_screens::DEFINITION.decisions,
    }
}
