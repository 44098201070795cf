//! Signing in. Any name and a password of four characters will do.

use retap_shared::Text;
use retap_shared::micros::Micros;

use super::failures::RESOLVE;
use super::{Branch, Page, Shop, address};
use crate::kit::{Cx, Ui};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Login {
    name: Text,
    password: Text,
    error: Option<&'static str>,
    /// The e-mail address, while the dialog for a forgotten password is up.
    forgot: Option<Text>,
    sent: bool,
    then_checkout: bool,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum Msg {
    Name(Text),
    Password(Text),
    Remember,
    SignIn,
    Forgot,
    Email(Text),
    Send,
    Cancel,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Login(msg)
    }
}

impl Login {
    pub(super) fn then_checkout() -> Login {
        Login {
            then_checkout: true,
            ..Login::default()
        }
    }

    pub(super) fn view(&self, app: &Shop, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("Sign in", |_| {});
        ui.scroll(id!("login_form"), |ui| {
            ui.field(id!("user"), "User name", &self.name, |text| {
                Msg::Name(text).into()
            });
            let password = ui.password(id!("password"), "Password", &self.password, |text| {
                Msg::Password(text).into()
            });
            ui.submit(password, Msg::SignIn);
            if let Some(error) = self.error {
                ui.text(id!("error"), error);
            }
            ui.check(id!("remember"), "Remember me", app.remember, Msg::Remember);
            ui.button(id!("sign_in"), "Sign in", Msg::SignIn);
            ui.button(id!("forgot"), "Forgot your password?", Msg::Forgot);
            if self.sent {
                ui.text(id!("sent"), "Look into your mail");
            }
        });
        if let Some(email) = &self.forgot {
            ui.dialog("Forgot your password?", Msg::Cancel, |ui| {
                ui.field(id!("email"), "E-mail address", email, |text| {
                    Msg::Email(text).into()
                });
                ui.columns(2, |ui| {
                    ui.negative("Cancel", Msg::Cancel);
                    ui.positive("Send", Msg::Send);
                });
            });
        }
    }

    pub(super) fn update(&mut self, app: &mut Shop, msg: Msg, cx: &mut Cx<'_, Shop>) {
        match msg {
            Msg::Name(name) => self.name = name,
            Msg::Password(password) => self.password = password,
            Msg::Remember => app.remember = cx.decide(Branch::LoginRemembers, !app.remember),
            Msg::SignIn => self.sign_in(app, cx),
            Msg::Forgot => self.forgot = Some(Text::default()),
            Msg::Email(email) => self.forgot = Some(email),
            Msg::Send => self.send(cx),
            Msg::Cancel => self.forgot = None,
        }
    }

    fn sign_in(&mut self, app: &mut Shop, cx: &mut Cx<'_, Shop>) {
        if cx.decide(Branch::LoginNameEmpty, self.name.is_empty()) {
            self.error = Some("Who are you?");
            return;
        }
        if cx.decide(
            Branch::LoginPasswordShort,
            self.password.chars().count() < 4,
        ) {
            self.error = Some("This password is too short");
            return;
        }
        app.account = Some(self.name.clone());
        cx.finish();
        if cx.decide(Branch::LoginGoesOn, self.then_checkout) {
            cx.start(Page::Address(address::Address::of_account()));
        }
    }

    /// The mail server's name is looked up on the main thread.
    fn send(&mut self, cx: &mut Cx<'_, Shop>) {
        let email = self.forgot.take().unwrap_or_default();
        if cx.decide(Branch::LoginForgotEmpty, email.is_empty()) {
            self.forgot = Some(email);
            return;
        }
        self.sent = true;
        cx.block(Micros::from_millis(20_000), &RESOLVE);
    }

    /// Fields keep their text by themselves; the dialog and the message go.
    pub(super) fn rotated(&mut self, cx: &mut Cx<'_, Shop>) {
        cx.decide(Branch::LoginLostOnRotation, self.forgot.is_some());
        (self.forgot, self.error) = (None, None);
    }
}
