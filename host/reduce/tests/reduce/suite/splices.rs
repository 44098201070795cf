//! The survey of spliced traces: replayable ones by number of fragments, and fragments of random paths.

use retap_device::CancellationToken;
use retap_device::seed::Seed;
use retap_reduce::suite::{SpliceSurveySettings, SuiteSettings, survey_splices};
use retap_shared::trace::Trace;

use super::machine::{Machine, random_machine, random_suite, trace};
use super::{EXAMPLE_2_4, example_2_4};

async fn survey(machine: &Machine, suite: &[Vec<u32>]) -> retap_reduce::suite::SpliceSurvey {
    let traces: Vec<Trace> = suite.iter().map(|actions| trace(actions)).collect();
    let settings = SuiteSettings::default();
    let asked = SpliceSurveySettings::new(Seed(1));
    let cancellation = CancellationToken::new();
    survey_splices(&traces, &settings, &asked, machine, &cancellation)
        .await
        .unwrap()
        .unwrap()
}

#[tokio::test]
async fn all_splices_of_an_app_that_shows_its_whole_state_are_replayable() {
    let suite: Vec<Vec<u32>> = EXAMPLE_2_4.iter().map(|actions| actions.to_vec()).collect();
    let survey = survey(&example_2_4(), &suite).await;
    assert_eq!(survey.replayable.len(), 10);
    let (replayable, sampled) = survey.replayable[2];
    assert!(sampled > 0);
    assert_eq!(replayable, sampled);
    assert_eq!(survey.random_paths.values().sum::<u32>(), 1_000);
}

#[tokio::test]
async fn the_more_fragments_the_fewer_traces_of_an_app_with_hidden_state_are_replayable() {
    let survey = survey(&random_machine(3), &random_suite(3)).await;
    let rate = |fragments: usize| {
        let (replayable, sampled) = survey.replayable[fragments - 1];
        f64::from(replayable) / f64::from(sampled)
    };
    assert!(rate(1) > rate(3), "{survey:?}");
    assert!(rate(3) > rate(10), "{survey:?}");
}
