//! The first step of the checkout: the address.

use retap_shared::Text;

use super::{Branch, ShopApp, ShopPage, delivery};
use crate::framework::{AppContext, Ui};

#[derive(Clone, Debug, Hash)]
pub(super) struct AddressPage {
    street: Text,
    city: Text,
    zip: Text,
    error: Option<&'static str>,
    changed: bool,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum AddressMsg {
    Street(Text),
    City(Text),
    Zip(Text),
    Next,
}

impl From<AddressMsg> for super::ShopMsg {
    fn from(msg: AddressMsg) -> super::ShopMsg {
        super::ShopMsg::Address(msg)
    }
}

impl AddressPage {
    /// The one that the account has.
    pub(super) fn of_account() -> AddressPage {
        AddressPage {
            street: Text::new_static("Harbour Road 7"),
            city: Text::new_static("Portville"),
            zip: Text::new_static("12345"),
            error: None,
            changed: false,
        }
    }

    pub(super) fn view(&self, ui: &mut Ui<'_, super::ShopMsg>) {
        ui.toolbar("Address", |_| {});
        ui.scroll(id!("address_form"), |ui| {
            ui.field(id!("street"), "Street", &self.street, |text| {
                AddressMsg::Street(text).into()
            });
            ui.field(id!("city"), "City", &self.city, |text| {
                AddressMsg::City(text).into()
            });
            ui.field(id!("zip"), "Zip code", &self.zip, |text| {
                AddressMsg::Zip(text).into()
            });
            if let Some(error) = self.error {
                ui.text(id!("error"), error);
            }
            ui.button(id!("address_next"), "Next", AddressMsg::Next);
        });
    }

    pub(super) fn update(&mut self, msg: AddressMsg, cx: &mut AppContext<'_, ShopApp>) {
        self.changed |= !matches!(msg, AddressMsg::Next);
        match msg {
            AddressMsg::Street(street) => self.street = street,
            AddressMsg::City(city) => self.city = city,
            AddressMsg::Zip(zip) => self.zip = zip,
            AddressMsg::Next => self.next(cx),
        }
    }

    fn next(&mut self, cx: &mut AppContext<'_, ShopApp>) {
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
            cx.start(ShopPage::Delivery(delivery::DeliveryPage::default()));
        }
    }
}
