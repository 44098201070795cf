//! Signing in. Any name and a password of four characters will do.

use retap_shared::Text;
use retap_shared::micros::Micros;

use super::failures::RESOLVE;
use super::{Branch, ShopApp, ShopPage, address};
use crate::framework::{AppContext, Ui};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct LoginPage {
    name: Text,
    password: Text,
    error: Option<&'static str>,
    /// The e-mail address, while the dialog for a forgotten password is open.
    forgot: Option<Text>,
    sent: bool,
    then_checkout: bool,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum LoginMsg {
    Name(Text),
    Password(Text),
    Remember,
    SignIn,
    Forgot,
    Email(Text),
    Send,
    Cancel,
}

impl From<LoginMsg> for super::ShopMsg {
    fn from(msg: LoginMsg) -> super::ShopMsg {
        super::ShopMsg::Login(msg)
    }
}

impl LoginPage {
    pub(super) fn then_checkout() -> LoginPage {
        LoginPage {
            then_checkout: true,
            ..LoginPage::default()
        }
    }

    pub(super) fn view(&self, app: &ShopApp, ui: &mut Ui<'_, super::ShopMsg>) {
        ui.toolbar("Sign in", |_| {});
        ui.scroll(id!("login_form"), |ui| {
            ui.field(id!("user"), "User name", &self.name, |text| {
                LoginMsg::Name(text).into()
            });
            let password = ui.password(id!("password"), "Password", &self.password, |text| {
                LoginMsg::Password(text).into()
            });
            ui.on_submit(password, LoginMsg::SignIn);
            if let Some(error) = self.error {
                ui.text(id!("error"), error);
            }
            ui.check(
                id!("remember"),
                "Remember me",
                app.remember,
                LoginMsg::Remember,
            );
            ui.button(id!("sign_in"), "Sign in", LoginMsg::SignIn);
            ui.button(id!("forgot"), "Forgot your password?", LoginMsg::Forgot);
            if self.sent {
                ui.text(id!("sent"), "Look into your mail");
            }
        });
        if let Some(email) = &self.forgot {
            ui.dialog("Forgot your password?", LoginMsg::Cancel, |ui| {
                ui.field(id!("email"), "E-mail address", email, |text| {
                    LoginMsg::Email(text).into()
                });
                ui.columns(2, |ui| {
                    ui.negative("Cancel", LoginMsg::Cancel);
                    ui.positive("Send", LoginMsg::Send);
                });
            });
        }
    }

    pub(super) fn update(
        &mut self,
        app: &mut ShopApp,
        msg: LoginMsg,
        cx: &mut AppContext<'_, ShopApp>,
    ) {
        match msg {
            LoginMsg::Name(name) => self.name = name,
            LoginMsg::Password(password) => self.password = password,
            LoginMsg::Remember => app.remember = cx.decide(Branch::LoginRemembers, !app.remember),
            LoginMsg::SignIn => self.sign_in(app, cx),
            LoginMsg::Forgot => self.forgot = Some(Text::default()),
            LoginMsg::Email(email) => self.forgot = Some(email),
            LoginMsg::Send => self.send(cx),
            LoginMsg::Cancel => self.forgot = None,
        }
    }

    fn sign_in(&mut self, app: &mut ShopApp, cx: &mut AppContext<'_, ShopApp>) {
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
            cx.start(ShopPage::Address(address::AddressPage::of_account()));
        }
    }

    /// The mail server's name is looked up on the main thread.
    fn send(&mut self, cx: &mut AppContext<'_, ShopApp>) {
        let email = self.forgot.take().unwrap_or_default();
        if cx.decide(Branch::LoginForgotEmpty, email.is_empty()) {
            self.forgot = Some(email);
            return;
        }
        self.sent = true;
        cx.block(Micros::from_millis(20_000), &RESOLVE);
    }

    /// Fields keep their text by themselves; the dialog and the message are lost.
    pub(super) fn rotated(&mut self, cx: &mut AppContext<'_, ShopApp>) {
        cx.decide(Branch::LoginLostOnRotation, self.forgot.is_some());
        (self.forgot, self.error) = (None, None);
    }
}
