//! Simulated phones, settings and explorers that the tests of explorations share.

use std::sync::Arc;

use retap_agent::in_process::InProcessConnection;
use retap_device::{Device, DevicePool};
use retap_explore::{
    ApeExplorer, ApeParameters, AutoExplorer, EventMix, ExploreSettings, Explorer, MonkeyExplorer,
    TimeTravelExplorer, TimeTravelParameters,
};
use retap_model::ape::{AttributePaths, AttributeReducer, DecisionTree};
use retap_shared::micros::Micros;

pub(crate) const SPEC: &str = "sim:notes";

pub(crate) fn new_phone() -> Arc<InProcessConnection> {
    Arc::new(InProcessConnection::new(Box::new(
        retap_simulator::open(SPEC).unwrap(),
    )))
}

pub(crate) async fn phones(spec: &str, count: usize) -> DevicePool {
    let mut devices = Vec::new();
    for number in 0..count {
        let connection = Arc::new(InProcessConnection::new(Box::new(
            retap_simulator::open(spec).unwrap(),
        )));
        devices.push(
            Device::connect(format!("{spec}#{number}"), connection)
                .await
                .unwrap(),
        );
    }
    DevicePool::new(devices)
}

pub(crate) fn settings(pool_app: &str, events: u64) -> ExploreSettings {
    let mut phone = retap_simulator::open(pool_app).unwrap();
    let app = retap_agent::phone::Phone::apps(&mut phone)
        .unwrap()
        .remove(0);
    ExploreSettings::new(app, events)
}

pub(crate) fn model() -> (ApeParameters, DecisionTree, AttributePaths) {
    (
        ApeParameters::default(),
        DecisionTree::uniform(AttributeReducer::TYPE),
        AttributePaths::default(),
    )
}

pub(crate) fn monkey() -> Box<dyn Explorer> {
    Box::new(
        MonkeyExplorer::new(EventMix::default(), Micros::from_millis(200)).with_system_events(),
    )
}

pub(crate) fn auto() -> Box<dyn Explorer> {
    let tree = DecisionTree::uniform(AttributeReducer::TYPE);
    Box::new(AutoExplorer::new(
        ApeParameters::default(),
        tree,
        AttributePaths::default(),
        true,
    ))
}

pub(crate) fn time_travel() -> Box<dyn Explorer> {
    Box::new(TimeTravelExplorer::over(
        monkey(),
        TimeTravelParameters::default(),
    ))
}

pub(crate) fn ape() -> Box<dyn Explorer> {
    Box::new(ApeExplorer::new(
        ApeParameters::default(),
        DecisionTree::uniform(AttributeReducer::TYPE),
        AttributePaths::default(),
    ))
}
