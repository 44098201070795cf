//! Lists of device specs: parsed, printed as they were, counted and refused.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::device_spec::{AdbDeviceSpec, JvmDeviceSpec, PairedDeviceSpec};
use crate::link::ReconnectPolicy;
use crate::link::pairing::LinkAddress;

/// Specs of every kind, with all characters that a serial or a file name may have.
pub(in crate::device_spec) fn any_spec() -> impl Strategy<Value = DeviceSpec> {
    let adb = (
        "[^?]{1,12}",
        0..3_u32,
        any::<bool>(),
        any::<bool>(),
        299..302_u64,
    )
        .prop_map(|(serial, user, keep_agent, allow_system, wait)| {
            DeviceSpec::Adb(AdbDeviceSpec {
                serial,
                user,
                keep_agent,
                allow_system,
                reconnect_timeout: Duration::from_secs(wait),
            })
        });
    let simulated = (
        prop::sample::select(retap_simulator::app_names()),
        prop::sample::select(&["", "?seed=7", "?noise=0.5&latency=realistic"][..]),
    )
        .prop_map(|(app, parameters)| {
            DeviceSpec::simulated(&format!("{app}{parameters}")).unwrap()
        });
    let trust = prop::sample::select(&[AppTrust::Contained, AppTrust::Trusted][..]);
    let jvm =
        (".{1,12}", trust).prop_map(|(file, trust)| DeviceSpec::Jvm(JvmDeviceSpec { file, trust }));
    let paired = (
        any::<[u8; 4]>(),
        any::<u16>(),
        any::<bool>(),
        prop::option::of(".{1,12}"),
    )
        .prop_map(|(host, port, is_udp, pairing)| {
            let address = (host, port).into();
            let address = match is_udp {
                true => LinkAddress::Udp(address),
                false => LinkAddress::Tcp(address),
            };
            DeviceSpec::Paired(PairedDeviceSpec {
                address,
                pairing,
                reconnect_timeout: ReconnectPolicy::default().reconnect_timeout,
            })
        });
    prop_oneof![adb, simulated, jvm, paired]
}

fn names(device: &str, count: u32) -> Vec<String> {
    let device = device.parse().unwrap();
    let phones = PhoneSelection { device, count }.phones().unwrap();
    phones.into_iter().map(|phone| phone.name).collect()
}

#[test]
fn each_phone_has_a_name_of_its_own() {
    assert_eq!(names("sim:shop", 1), ["sim:shop"]);
    assert_eq!(names("sim:shop", 2), ["sim:shop#1", "sim:shop#2"]);
    assert_eq!(names("sim:shop,sim:shop", 1), names("sim:shop", 2));
    assert_eq!(names("sim:shop,R58M?user=10", 1), ["sim:shop", "R58M"]);
    assert_eq!(
        names("sim:shop,jvm:a.apk", 2),
        ["sim:shop#1", "sim:shop#2", "jvm:a.apk#1", "jvm:a.apk#2"]
    );
}

#[test]
fn a_phone_that_exists_is_counted_once() {
    for list in ["R58M", "udp:127.0.0.1:9", "sim:shop,R58M"] {
        let device = list.parse().unwrap();
        let selection = PhoneSelection { device, count: 2 };
        assert!(selection.phones().is_err(), "{list}");
    }
    for list in ["R58M,R58M?user=1", "udp:127.0.0.1:9,udp:127.0.0.1:9"] {
        assert!(
            matches!(list.parse::<DeviceList>(), Err(DeviceSpecError::Twice(_))),
            "{list}"
        );
    }
}

#[test]
fn a_comma_in_a_file_name_is_written_twice() {
    let list: DeviceList = "jvm:a,,b.apk,jvm:c.apk".parse().unwrap();
    let files = ["a,b.apk", "c.apk"].map(|file| {
        let file = file.to_owned();
        let trust = AppTrust::Contained;
        DeviceSpec::Jvm(JvmDeviceSpec { file, trust })
    });
    assert_eq!(list.specs(), files);
    assert_eq!(list.to_string(), "jvm:a,,b.apk,jvm:c.apk");
}

#[test]
fn trust_is_for_apps_on_jvm_phones_and_kept_in_the_list() {
    let list: DeviceList = "jvm:a.apk,sim:shop".parse().unwrap();
    assert!(list.has_contained_app());
    let trusted = list.with_trusted_apps();
    assert!(!trusted.has_contained_app());
    assert_eq!(trusted.to_string(), "jvm-trusted:a.apk,sim:shop");
    assert_eq!(
        names("jvm:a.apk,jvm-trusted:a.apk", 1),
        ["jvm:a.apk#1", "jvm:a.apk#2"]
    );
}

#[test]
fn gaps_in_a_list_and_all_among_others_are_refused() {
    for list in ["", "R58M,", ",R58M", "sim:shop,all", "sim:shop,"] {
        assert!(list.parse::<DeviceSelector>().is_err(), "{list}");
    }
    assert_eq!("all".parse(), Ok(DeviceSelector::AllOnAdb));
}

#[test]
fn a_list_is_stored_as_it_is_printed() {
    let list: DeviceList = serde_json::from_str("\"R58M,192.168.1.7:5555?user=10\"").unwrap();
    assert_eq!(list.specs().len(), 2);
    let text = serde_json::to_string(&list).unwrap();
    assert_eq!(text, "\"R58M,192.168.1.7:5555?user=10\"");
    assert!(serde_json::from_str::<DeviceList>("\"sim:nothing\"").is_err());
}

proptest! {
    #[test]
    fn a_list_that_is_printed_is_read_as_the_same(specs in prop::collection::vec(any_spec(), 1..5)) {
        let list = DeviceList(specs);
        let is_named_twice = matches!(list.to_string().parse::<DeviceList>(), Err(DeviceSpecError::Twice(_)));
        if !is_named_twice {
            prop_assert_eq!(list.to_string().parse(), Ok(list));
        }
    }
}
