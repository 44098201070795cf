//! Phones that adb lists, for commands without `--device`.

use retap_shared::error_text::with_causes;

use super::{DevicesError, PhoneLock};
use crate::adb::{Adb, AdbError, AdbState, ListedPhone};
use crate::device_spec::{AdbDeviceSpec, DeviceList, DeviceSpec};
use crate::lab_file::LabFile;
use crate::wording::quoted_list;

/// All phones on adb that are ready now. A resumed run uses the same ones.
pub async fn all_ready_on_adb() -> Result<DeviceList, DevicesError> {
    let listed = list().await.map_err(DevicesError::Unlisted)?;
    DeviceList::of_specs(ready(&listed)).ok_or(DevicesError::NoneReady {
        listed: listed.len(),
    })
}

/// The phone on adb that is ready, if there is exactly one. Otherwise the error says what can be named.
pub async fn only_ready_on_adb() -> Result<DeviceSpec, DevicesError> {
    let listed = list().await;
    let ready = listed
        .as_ref()
        .map(|listed| ready(listed))
        .unwrap_or_default();
    match <[DeviceSpec; 1]>::try_from(ready) {
        Ok([only]) => Ok(only),
        Err(_) => Err(DevicesError::NoneNamed {
            on_adb: describe(&listed),
        }),
    }
}

async fn list() -> Result<Vec<ListedPhone>, AdbError> {
    Adb::open().await?.list().await
}

/// Phones with a tag of the lab file. Those on adb that cannot be used now are left out.
pub async fn with_tag(tag: &str) -> Result<DeviceList, DevicesError> {
    let mut specs = LabFile::phones_with(tag)?;
    if specs.iter().any(DeviceSpec::is_on_adb) {
        let listed = list().await.map_err(DevicesError::Unlisted)?;
        let ready: Vec<String> = ready(&listed).iter().map(DeviceSpec::name).collect();
        specs.retain(|spec| !spec.is_on_adb() || ready.contains(&spec.name()));
    }
    DeviceList::of_specs(specs).ok_or_else(|| DevicesError::NoneTagged {
        tag: tag.to_owned(),
    })
}

/// Phones that are ready, and that no other command of this user has.
fn ready(listed: &[ListedPhone]) -> Vec<DeviceSpec> {
    listed
        .iter()
        .filter(|phone| phone.state == AdbState::Ready)
        .filter(|phone| PhoneLock::owner(&phone.serial).is_none())
        .map(|phone| DeviceSpec::Adb(AdbDeviceSpec::of(&phone.serial)))
        .collect()
}

fn describe(listed: &Result<Vec<ListedPhone>, AdbError>) -> String {
    match listed {
        Ok(listed) if listed.is_empty() => "none".to_owned(),
        Ok(listed) => {
            let phones = listed.iter().map(|phone| match phone.state {
                AdbState::Ready => phone.serial.clone(),
                _ => format!("{} ({})", phone.serial, phone.state),
            });
            let phones: Vec<String> = phones.collect();
            quoted_list(phones.iter().map(String::as_str))
        }
        Err(error) => with_causes(error),
    }
}
