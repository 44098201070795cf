//! Ctrl-C and `kill` while a phone is in use: everything is restored and removed.

use crate::lab::with_phones;
use crate::running_program::signal;

#[test]
fn ctrl_c_ends_with_130_and_leaves_nothing_on_the_phone() {
    with_phones(|lab| {
        let mut running = lab.start_long_run("by-ctrl-c", &["env", "--default-signal=INT"]);
        signal(running.id(), "INT");
        running.wait(&[130]);
        lab.assert_nothing_left();
    });
}

/// A shell starts programs in the background this way.
#[test]
fn kill_ends_with_130_and_leaves_nothing_also_where_ctrl_c_is_ignored() {
    with_phones(|lab| {
        let mut running = lab.start_long_run("by-kill", &["env", "--ignore-signal=INT"]);
        signal(running.id(), "TERM");
        running.wait(&[130]);
        lab.assert_nothing_left();
    });
}
