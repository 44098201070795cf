//! Phones as `retap devices` lists them and `retap install` uses them.

use std::fs;

use crate::lab::with_phones;
use crate::private_network::{PrivateNetwork, namespace_ids};

#[test]
fn adbd_is_refused_where_the_namespaces_are_those_of_the_tests() {
    let here = namespace_ids();
    let refused = PrivateNetwork::check(here.to_str().unwrap()).unwrap_err();
    assert!(refused.contains("is not private"), "{refused}");
    let refused = PrivateNetwork::check("").unwrap_err();
    assert!(refused.contains("does not name"), "{refused}");
}

#[test]
fn devices_lists_both_phones_with_what_they_are() {
    with_phones(|lab| {
        for phone in &lab.phones {
            let (serial, port) = (phone.serial(), phone.port);
            let words =
                format!("{serial}  on adb, ready: Phone of port {port}, API level 35, x86_64");
            lab.run("devices", 0, &words);
        }
        lab.run("devices --json", 0, "\"api_level\":\"35\"");
    });
}

#[test]
fn install_puts_an_app_on_both_phones_for_one_user() {
    with_phones(|lab| {
        let app = b"PK\x03\x04 an app";
        fs::write(lab.environment.path("app.apk"), app).unwrap();
        let both = lab.both();
        let other = lab.other();
        let line = format!("install app.apk --device {both} --user 10");
        lab.run(&line, 0, &format!("app.apk is on {other}"));
        for phone in &lab.phones {
            assert_eq!(fs::read(phone.path("installed.apk")).unwrap(), app);
            let installer = phone.read("installed.by");
            assert!(installer.contains("--user 10"), "{installer}");
        }
    });
}

#[test]
fn install_tells_the_reason_of_the_installer_and_what_to_do() {
    with_phones(|lab| {
        let one = lab.one();
        let other_signature = "PK\x03\x04 retap-other-signature";
        lab.environment.write("other.apk", other_signature);
        lab.environment.write("no.apk", "4711\n");
        let install = |line: &str, words: &str| lab.run(line, 2, words);
        install(
            &format!("install other.apk --device {one}"),
            "uninstall that one first",
        );
        install(&format!("install no.apk --device {one}"), "is no APK");
        install("install other.apk", "name one or more with");
    });
}
