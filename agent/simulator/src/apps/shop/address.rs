//! The first step of the checkout: where to.

use retap_shared::Text;

use super::{Branch, Page, Shop, delivery};
use crate::kit::{Cx, Ui};

#[derive(Clone, Debug, Hash)]
pub(super) struct Address {
    street: Text,
    city: Text,
    zip: Text,
    error: Option<&'static str>,
    changed: bool,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum Msg {
    Street(Text),
    City(Text),
    Zip(Text),
    Next,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Address(msg)
    }
}

impl Address {
    /// The one that the account has.
    pub(super) fn of_account() -> Address {
        Address {
            street: Text::new_static("Harbour Road 7"),
            city: Text::new_static("Portville"),
            zip: Text::new_static("12345"),
            error: None,
            changed: false,
        }
    }

    pub(super) fn view(&self, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("Address", |_| {});
        ui.scroll(id!("address_form"), |ui| {
            ui.field(id!("street"), "Street", &self.street, |text| {
                Msg::Street(text).into()
            });
            ui.field(id!("city"), "City", &self.city, |text| {
                Msg::City(text).into()
            });
            ui.field(id!("zip"), "Zip code", &self.zip, |text| {
                Msg::Zip(text).into()
            });
            if let Some(error) = self.error {
                ui.text(id!("error"), error);
            }
            ui.button(id!("address_next"), "Next", Msg::Next);
        });
    }

    pub(super) fn update(&mut self, msg: Msg, cx: &mut Cx<'_, Shop>) {
        self.changed |= !matches!(msg, Msg::Next);
        match msg {
            Msg::Street(street) => self.street = street,
            Msg::City(city) => self.city = city,
            Msg::Zip(zip) => self.zip = zip,
            Msg::Next => self.next(cx),
        }
    }

    fn next(&mut self, cx: &mut Cx<'_, Shop>) {
        cx.decide(Branch::AddressChanged, self.changed);
        self.error = if cx.decide(Branch::AddressStreetEmpty, self.street.is_empty()) {
            Some("Which street?")
        } else if cx.decide(Branch::AddressCityEmpty, self.city.is_empty()) {
            Some("Which city?")
        } else if !cx.decide(Branch::AddressZipValid, self.zip.parse::<u32>().is_ok()) {
            Some("A zip code is a number")
        } else {
            None
        };
        if self.error.is_none() {
            cx.start(Page::Delivery(delivery::Delivery::default()));
        }
    }
}
