//! Round trips: messages, screens, screen diffs and trace files.

mod arbitrary;

use std::sync::Arc;

use proptest::prelude::*;
use retap_shared::codec::{CodecError, decode, encode};
use retap_shared::phone_event::PhoneEvent;
use retap_shared::protocol::{Reply, Request, RequestFailure};
use retap_shared::screen::{Screen, ScreenDiff, ScreenDiffError, SharedScreen};
use retap_shared::trace::{Trace, TraceHeader};

proptest! {
    #[test]
    fn requests_survive_encoding_and_decoding(message in arbitrary::request()) {
        prop_assert_eq!(decode::<Request>(&encode(&message)?)?, message);
    }

    #[test]
    fn replies_survive_encoding_and_decoding(message in arbitrary::reply()) {
        prop_assert_eq!(decode::<Reply>(&encode(&message)?)?, message);
    }

    #[test]
    fn events_and_failures_survive_encoding_and_decoding(event in arbitrary::event(), failure in arbitrary::failure()) {
        prop_assert_eq!(decode::<PhoneEvent>(&encode(&event)?)?, event);
        prop_assert_eq!(decode::<RequestFailure>(&encode(&failure)?)?, failure);
    }

    #[test]
    fn a_message_that_is_cut_off_or_has_an_excess_is_refused(
        message in arbitrary::reply(),
        cut in any::<prop::sample::Index>(),
    ) {
        let bytes = encode(&message)?;
        let short = &bytes[..cut.index(bytes.len())];
        prop_assert!(matches!(decode::<Reply>(short), Err(CodecError::Decode(_))));
        let long = [&bytes[..], &[0, 0]].concat();
        let excess = matches!(decode::<Reply>(&long), Err(CodecError::Excess { excess: 2 }));
        prop_assert!(excess);
    }

    #[test]
    fn screens_survive_any_format_with_their_hash(screen in arbitrary::screen()) {
        let screen = Arc::new(screen);
        let received: SharedScreen = decode(&encode(&screen)?)?;
        prop_assert_eq!(received.hash(), screen.hash());
        prop_assert_eq!(&received, &screen);
        let json = serde_json::to_string(&screen)?;
        prop_assert_eq!(serde_json::from_str::<Screen>(&json)?, Arc::unwrap_or_clone(screen));
    }

    #[test]
    fn a_diff_leads_from_any_screen_to_any_other((before, after) in arbitrary::screen_pair()) {
        let change: ScreenDiff = decode(&encode(&ScreenDiff::between(&before, &after))?)?;
        prop_assert_eq!(change.apply(&before), Ok(after.clone()));
        prop_assert_eq!((change.base, change.result), (before.hash(), after.hash()));
    }

    #[test]
    fn a_diff_applies_to_its_base_only((before, after) in arbitrary::screen_pair()) {
        let refusal = ScreenDiffError::Base { expected: before.hash(), found: after.hash() };
        let expected = if before == after { Ok(after.clone()) } else { Err(refusal) };
        prop_assert_eq!(ScreenDiff::between(&before, &after).apply(&after), expected);
    }

    #[test]
    fn a_damaged_diff_never_leads_to_another_screen(
        (before, after) in arbitrary::screen_pair(),
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = encode(&ScreenDiff::between(&before, &after))?;
        let place = place.index(bytes.len());
        bytes[place] = byte;
        if let Ok(change) = decode::<ScreenDiff>(&bytes)
            && let Ok(result) = change.apply(&before)
        {
            prop_assert_eq!(result, after);
        }
    }

    #[test]
    fn traces_survive_writing_and_reading(trace in trace()) {
        let text = trace.to_text();
        prop_assert_eq!(Trace::parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?, trace);
    }

    #[test]
    fn a_trace_file_survives_other_line_ends_a_byte_order_mark_and_blank_lines(trace in trace()) {
        let text = format!("\u{feff}\n{}\n\n", trace.to_text()).replace('\n', "\r\n");
        prop_assert_eq!(Trace::parse(&text).map_err(|error| TestCaseError::fail(error.to_string()))?, trace);
    }

    #[test]
    fn a_damaged_trace_file_is_read_or_refused_with_its_line(
        trace in trace(),
        place in any::<prop::sample::Index>(),
        damage in prop_oneof![any::<Option<char>>().prop_map(String::from_iter), "[\\[{\":,}\\]0-9a-z\\n]{1,5}"],
    ) {
        let mut letters: Vec<char> = trace.to_text().chars().collect();
        let place = place.index(letters.len());
        letters.splice(place..=place, damage.chars());
        let text: String = letters.into_iter().collect();
        if let Err(error) = Trace::parse(&text) {
            prop_assert!((1..=text.lines().count().max(1)).contains(&error.line), "{error}");
        }
    }

    #[test]
    fn arbitrary_text_is_refused_without_a_panic(text in any::<String>()) {
        prop_assert!(Trace::parse(&text).is_err());
    }
}

fn trace() -> impl Strategy<Value = Trace> {
    let header = (
        arbitrary::app(),
        arbitrary::start(),
        prop::option::of(any::<u64>()),
        prop::option::of(arbitrary::target()),
        arbitrary::messages::phone(),
        (arbitrary::pace(), prop::option::of(arbitrary::claim())),
    );
    (header, prop::collection::vec(arbitrary::step(), 0..8)).prop_map(
        |((app, start, seed, target, phone, (pace, claim)), steps)| Trace {
            header: TraceHeader {
                app,
                start,
                seed,
                target,
                phone,
                pace,
                claim,
            },
            steps,
        },
    )
}
