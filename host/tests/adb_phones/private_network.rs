//! The condition for adbd. It gives a root shell to whoever reaches it, so it runs only where nobody else is: in private
//! namespaces, with no network interface but the loopback.

use std::ffi::OsString;
use std::fs;

/// What adbd must not share with the process that started the tests.
const PRIVATE_NAMESPACES: [&str; 3] = ["net", "mnt", "pid"];

/// Shows that adbd may be started here: there is no other way to get one than the check.
#[derive(Debug)]
pub(crate) struct PrivateNetwork {
    _checked: (),
}

impl PrivateNetwork {
    /// Checks this process against the namespaces of the outer one.
    pub(crate) fn check(outer: &str) -> Result<PrivateNetwork, String> {
        let outer: Vec<&str> = outer.split(' ').collect();
        if outer.len() != PRIVATE_NAMESPACES.len() {
            return Err(format!("`{outer:?}` does not name the outer namespaces"));
        }
        for (name, outer) in PRIVATE_NAMESPACES.iter().zip(outer) {
            if namespace_id(name) == outer {
                return Err(format!("the namespace `{name}` is not private: {outer}"));
            }
        }
        let interfaces = network_interfaces();
        if interfaces != ["lo"] {
            return Err(format!("there is a network here: {interfaces:?}"));
        }
        Ok(PrivateNetwork { _checked: () })
    }
}

/// The namespaces of this process, as `PrivateNetwork::check` takes them.
pub(crate) fn namespace_ids() -> OsString {
    PRIVATE_NAMESPACES.map(namespace_id).join(" ").into()
}

fn namespace_id(name: &str) -> String {
    let link = fs::read_link(format!("/proc/self/ns/{name}")).expect("Linux has namespaces");
    link.display().to_string()
}

/// From /proc, which is always of this process's own network namespace; /sys may be of another one.
fn network_interfaces() -> Vec<String> {
    let table = fs::read_to_string("/proc/self/net/dev").expect("Linux lists its networks");
    table
        .lines()
        .filter_map(|line| Some(line.split_once(':')?.0.trim().to_owned()))
        .collect()
}
