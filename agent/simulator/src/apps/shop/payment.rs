//! The third step of the checkout: by which means.

use retap_shared::Text;

use super::failures::NO_INVOICE_ADDRESS;
use super::{Branch, Page, Shop, delivery, review};
use crate::kit::{Cx, Ui};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Means {
    #[default]
    Card,
    Invoice,
    GiftCard,
}

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Payment {
    card: Text,
    error: Option<&'static str>,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum Msg {
    Means(Means),
    Card(Text),
    Next,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Payment(msg)
    }
}

/// What a gift card is worth, in cents.
const GIFT: u32 = 2_000;

impl Payment {
    pub(super) fn view(&self, app: &Shop, ui: &mut Ui<'_, super::Msg>) {
        let chosen = app.checkout.payment;
        ui.toolbar("Payment", |_| {});
        ui.scroll(id!("payment_form"), |ui| {
            for (means, label) in [
                (Means::Card, "Card"),
                (Means::Invoice, "Invoice"),
                (Means::GiftCard, "Gift card, 20.00 €"),
            ] {
                ui.radio(id!("means"), label, chosen == means, Msg::Means(means));
            }
            if chosen == Means::Card {
                ui.field(id!("card"), "Card number", &self.card, |text| {
                    Msg::Card(text).into()
                });
            }
            if let Some(error) = self.error {
                ui.text(id!("error"), error);
            }
            ui.button(id!("payment_next"), "Next", Msg::Next);
        });
    }

    pub(super) fn update(&mut self, app: &mut Shop, msg: Msg, cx: &mut Cx<'_, Shop>) {
        self.error = None;
        match msg {
            Msg::Means(means) => app.checkout.payment = means,
            Msg::Card(card) => self.card = card,
            Msg::Next => self.next(app, cx),
        }
    }

    fn next(&mut self, app: &Shop, cx: &mut Cx<'_, Shop>) {
        let means = app.checkout.payment;
        if cx.decide(Branch::PaymentIsCard, means == Means::Card) {
            let digits =
                self.card.len() >= 12 && self.card.bytes().all(|byte| byte.is_ascii_digit());
            if !cx.decide(Branch::PaymentCardValid, digits) {
                self.error = Some("This is not a card number");
                return;
            }
        } else if cx.decide(Branch::PaymentIsInvoice, means == Means::Invoice) {
            // Who picks up has left no address to send an invoice to.
            let pick_up = app.checkout.delivery == delivery::Way::PickUp;
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
        cx.start(Page::Review(review::Review::default()));
    }
}
