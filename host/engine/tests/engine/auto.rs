//! What `auto` promises where several phones work on one model.

use std::collections::HashSet;
use std::sync::Arc;

use retap_engine::explore::{ApeRules, At, Auto, Did, Explorer, Move, New, Seen, Way};
use retap_engine::model::ape::{DecisionTree, Paths, Reducer};
use retap_engine::seed::Seed;
use retap_shared::micros::Micros;
use retap_shared::protocol::Capabilities;
use retap_shared::screen::SharedScreen;

use crate::screens::{TAPPABLE, app, node, root};

const SEEDS: u64 = 100;

/// Each button is something else to the model.
fn buttons(count: i32) -> SharedScreen {
    let button = |row: i32| {
        node(1, "Button", &format!("app:id/button_{row}"), TAPPABLE, [0, 60 * row, 400, 60 * row + 50])
    };
    Arc::new(app(std::iter::once(root()).chain((0..count).map(button)).collect()))
}

/// In how many runs two phones that stand before the same screen do the same. `between`: the first is told of this before the
/// second chooses.
fn done_twice(screen: &SharedScreen, between: Option<Did<'_>>) -> usize {
    let alike = |seed: &u64| {
        let tree = DecisionTree::plain(Reducer::TYPE);
        let mut auto = Auto::new(ApeRules::default(), tree, Paths::default(), false);
        let (mut rng, way) = (Seed(*seed).rng(), Way::default());
        let seen = |walker, did| {
            let (took, new) = (Micros::ZERO, New::default());
            Seen { walker, did, screen: Some(screen), inside: true, problems: &[], took, new, way: &way }
        };
        for walker in 0..2 {
            auto.observe(&seen(walker, Did::Started { clean: true }));
        }
        let mut chosen = HashSet::new();
        for walker in 0..2 {
            let at = At { walker, screen, can: Capabilities::default() };
            let Move::Act(choice) = auto.choose(&at, &mut rng) else { panic!("nothing to do") };
            chosen.insert((choice.node, choice.action.to_string()));
            if let (0, Some(did)) = (walker, between) {
                auto.observe(&seen(walker, did));
            }
        }
        chosen.len() == 1
    };
    (0..SEEDS).filter(alike).count()
}

#[test]
fn what_one_phone_is_doing_another_one_leaves_alone_until_that_phone_is_lost() {
    let screen = buttons(4);
    let (busy, lost) = (done_twice(&screen, None), done_twice(&screen, Some(Did::Forgotten)));
    // By chance it is one in four or so. One in five choices is among all there is, and what is under way counts half then.
    assert!(busy <= 5, "{busy} of {SEEDS}");
    assert!(lost >= 12, "{lost} of {SEEDS}");
}
