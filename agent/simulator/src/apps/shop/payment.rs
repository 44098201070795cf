//! The third step of the checkout: the means of payment.

use retap_shared::Text;

use super::failures::NO_INVOICE_ADDRESS;
use super::{Branch, ShopApp, ShopPage, delivery, review};
use crate::framework::{AppContext, Ui};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum PaymentMethod {
    #[default]
    Card,
    Invoice,
    GiftCard,
}

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct PaymentPage {
    card: Text,
    error: Option<&'static str>,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum PaymentMsg {
    Means(PaymentMethod),
    Card(Text),
    Next,
}

impl From<PaymentMsg> for super::ShopMsg {
    fn from(msg: PaymentMsg) -> super::ShopMsg {
        super::ShopMsg::Payment(msg)
    }
}

/// Value of a gift card in cents.
const GIFT: u32 = 2_000;

impl PaymentPage {
    pub(super) fn view(&self, app: &ShopApp, ui: &mut Ui<'_, super::ShopMsg>) {
        let chosen = app.checkout.payment;
        ui.toolbar("Payment", |_| {});
        ui.scroll(id!("payment_form"), |ui| {
            for (means, label) in [
                (PaymentMethod::Card, "Card"),
                (PaymentMethod::Invoice, "Invoice"),
                (PaymentMethod::GiftCard, "Gift card, 20.00 €"),
            ] {
                ui.radio(
                    id!("means"),
                    label,
                    chosen == means,
                    PaymentMsg::Means(means),
                );
            }
            if chosen == PaymentMethod::Card {
                ui.field(id!("card"), "Card number", &self.card, |text| {
                    PaymentMsg::Card(text).into()
                });
            }
            if let Some(error) = self.error {
                ui.text(id!("error"), error);
            }
            ui.button(id!("payment_next"), "Next", PaymentMsg::Next);
        });
    }

    pub(super) fn update(
        &mut self,
        app: &mut ShopApp,
        msg: PaymentMsg,
        cx: &mut AppContext<'_, ShopApp>,
    ) {
        self.error = None;
        match msg {
            PaymentMsg::Means(means) => app.checkout.payment = means,
            PaymentMsg::Card(card) => self.card = card,
            PaymentMsg::Next => self.next(app, cx),
        }
    }

    fn next(&mut self, app: &ShopApp, cx: &mut AppContext<'_, ShopApp>) {
        let means = app.checkout.payment;
        if cx.decide(Branch::PaymentIsCard, means == PaymentMethod::Card) {
            let digits =
                self.card.len() >= 12 && self.card.bytes().all(|byte| byte.is_ascii_digit());
            if !cx.decide(Branch::PaymentCardValid, digits) {
                cx.log("W/Payment: refused: this is not a card number");
                self.error = Some("This is not a card number");
                return;
            }
        } else if cx.decide(Branch::PaymentIsInvoice, means == PaymentMethod::Invoice) {
            // Without a delivery there is no address for the invoice.
            let pick_up = app.checkout.delivery == delivery::DeliveryMethod::PickUp;
            if cx.decide(Branch::PaymentInvoicePickUp, pick_up) {
                return cx.throw(
                    &NO_INVOICE_ADDRESS,
                    "lateinit property invoiceAddress has not been initialized",
                );
            }
        } else if !cx.decide(Branch::PaymentGiftCovers, app.total() <= GIFT) {
            self.error = Some("The gift card does not cover this");
            return;
        }
        cx.start(ShopPage::Review(review::ReviewPage::default()));
    }
}
