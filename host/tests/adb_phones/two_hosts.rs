//! A phone that another Retap has, has had, or has left behind.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::command_checks::run_saying;
use crate::lab::with_phones;
use crate::phone::ANIMATION;

#[test]
fn a_second_retap_is_told_who_has_the_phone_and_gets_it_once_the_first_is_killed() {
    with_phones(|lab| {
        let other = lab.other();
        let mut running = lab.start_long_run("held", &["env"]);
        let explore = format!("explore --device {other} --events 3 --seed 1");
        lab.run(
            &format!("{explore} --out second"),
            4,
            &format!("`{other}` is in use"),
        );
        // A user with a directory of its own does not see the lock, and is refused by the agent.
        let elsewhere = lab.environment.path("elsewhere");
        let mut stranger = lab.command(&format!("{explore} --out third"));
        run_saying(
            stranger.env("XDG_DATA_HOME", elsewhere),
            4,
            &format!("another Retap works on `{other}`"),
        );
        running.kill();
        lab.run(&format!("{explore} --out fourth"), 0, "");
        lab.assert_nothing_left();
    });
}

#[test]
fn an_agent_that_nobody_has_is_ended_and_what_it_changed_is_restored() {
    with_phones(|lab| {
        let phone = &lab.phones[1];
        let folder = phone.retap_folder();
        fs::create_dir_all(&folder).unwrap();
        let saved = "global window_animation_scale 0.5\n";
        fs::write(folder.join("settings.saved"), saved).unwrap();
        let undo = "network\tsettings\tput\tglobal\tairplane_mode_on\t0\n";
        fs::write(folder.join("system.saved"), undo).unwrap();
        let mut agent = Command::new("sleep")
            .arg0("agent --name retap-old")
            .arg("600")
            .spawn()
            .unwrap();
        let process = format!("{} retap-old\n", agent.id());
        fs::write(folder.join("agent.pid"), process).unwrap();
        // Whoever ends it waits until it is gone, so it must be reaped at once.
        let reaper = std::thread::spawn(move || agent.wait().unwrap());
        lab.run(
            &format!(
                "explore --device {} --events 3 --seed 1 --out taken",
                lab.other()
            ),
            0,
            "",
        );
        lab.assert_nothing_left();
        let ended = reaper.join().unwrap();
        assert!(!ended.success(), "the old agent was not killed: {ended}");
        assert_eq!(phone.read(ANIMATION), "0.5\n");
        assert_eq!(phone.read("set/global.airplane_mode_on"), "0\n");
    });
}
