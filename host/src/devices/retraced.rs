//! Phones whose findings are retraced: the host sees the source's names, the phone never does. Fingerprints are those of
//! the retraced stacks, so that they are the same in every build.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use retap_device::run_event::{EventSink, RunEvent};
use retap_shared::connection::{BoxFuture, Connection, FreshStartError, RequestError};
use retap_shared::finding::Finding;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::phone_health::PhoneHealth;
use retap_shared::protocol::{PlayReply, Reply, Request};
use retap_shared::target::{Target, TargetMatcher};
use retap_shared::trace::App;
use retap_shared::verdict::Verdict;

use crate::format::mapping::{BuildMapping, MappingError};
use crate::options::MappingOptions;

/// The mapping of the app under test, once its version is known, and what became of the stacks.
pub struct FindingRetracer {
    mapping: OnceLock<BuildMapping>,
    sink: EventSink,
    /// Stacks as the phone reported them, by the fingerprint of what they were retraced to.
    obfuscated_stacks: Mutex<BTreeMap<Fingerprint, String>>,
    /// Warnings that were emitted already.
    warnings: Mutex<Vec<String>>,
}

impl FindingRetracer {
    pub fn new(sink: EventSink) -> FindingRetracer {
        FindingRetracer {
            mapping: OnceLock::new(),
            sink,
            obfuscated_stacks: Mutex::default(),
            warnings: Mutex::default(),
        }
    }

    /// Reads the mapping of the app's version. Only the first one counts: a run tests one build.
    pub fn use_mapping_for(
        &self,
        app: &App,
        mappings: &MappingOptions,
    ) -> Result<(), MappingError> {
        if self.mapping.get().is_some() {
            return Ok(());
        }
        match mappings.of_version(app.version_code) {
            Some(path) => {
                let _ = self.mapping.set(BuildMapping::read(path)?);
            }
            None => self.warn_once(format!(
                "`[mappings]` has no version {} of `{}`: its stacks stay as they are",
                app.version_code, app.package
            )),
        }
        Ok(())
    }

    /// The mapping that is used.
    pub fn mapping_path(&self) -> Option<PathBuf> {
        self.mapping.get().map(|mapping| mapping.path().to_owned())
    }

    /// The stack as the phone reported it first, if it was retraced.
    pub fn obfuscated_stack(&self, fingerprint: Fingerprint) -> Option<String> {
        self.stacks().get(&fingerprint).cloned()
    }

    fn retrace(&self, finding: &mut Finding) {
        let Some(mapping) = self.mapping.get() else {
            return;
        };
        match mapping.retrace(finding) {
            Ok(retraced) if retraced.stack != finding.stack => {
                let obfuscated = std::mem::replace(finding, retraced).stack;
                let mut stacks = self.stacks();
                stacks.entry(finding.fingerprint()).or_insert(obfuscated);
            }
            Ok(_) => {}
            Err(mismatch) => self.warn_once(format!("{mismatch}; the stack stays as it is")),
        }
    }

    fn warn_once(&self, text: String) {
        let mut reported = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if !reported.contains(&text) {
            reported.push(text.clone());
            (self.sink)(RunEvent::Warning { text });
        }
    }

    fn stacks(&self) -> MutexGuard<'_, BTreeMap<Fingerprint, String>> {
        self.obfuscated_stacks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn retrace_events(&self, events: &mut [PhoneEvent]) {
        for event in events {
            if let PhoneEventKind::Finding(finding) = &mut event.kind {
                self.retrace(finding);
            }
        }
    }

    /// Retraces a play's findings and judges its target by them: the phone compares obfuscated stacks.
    fn retrace_play(&self, reply: &mut PlayReply, target: Option<Target>) {
        self.retrace_events(&mut reply.events);
        let Verdict::Problem(finding) = &mut reply.verdict else {
            return;
        };
        self.retrace(finding);
        // A target that cannot be matched has been refused by the phone.
        let matcher = target.and_then(|target| TargetMatcher::new(target).ok());
        let mut events = reply.events.iter();
        if matcher.is_some_and(|matcher| events.any(|event| matcher.is_reached_by(&event.kind))) {
            reply.verdict = Verdict::TargetReached;
        }
    }
}

/// A phone behind a retracer.
pub struct RetracedPhone {
    phone: Arc<dyn Connection>,
    retracer: Arc<FindingRetracer>,
}

impl RetracedPhone {
    pub fn new(phone: Arc<dyn Connection>, retracer: Arc<FindingRetracer>) -> RetracedPhone {
        RetracedPhone { phone, retracer }
    }
}

impl Connection for RetracedPhone {
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        Box::pin(async move {
            let target = match &request {
                Request::Play(play) => play.target.clone(),
                _ => None,
            };
            let mut reply = self.phone.request(request).await?;
            match &mut reply {
                Reply::ActReply(reply) => self.retracer.retrace_events(&mut reply.events),
                Reply::SettleReply(reply) => self.retracer.retrace_events(&mut reply.events),
                Reply::ControlAppReply(reply) => self.retracer.retrace_events(&mut reply.events),
                Reply::WatchAppReply(reply) => self.retracer.retrace_events(&mut reply.events),
                Reply::PlayReply(reply) => self.retracer.retrace_play(reply, target),
                Reply::DescribePhoneReply(_)
                | Reply::CaptureReply(_)
                | Reply::ManageSnapshotReply(_)
                | Reply::TakeScreenshotReply(_)
                | Reply::ReadLogReply(_) => {}
            }
            Ok(reply)
        })
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        Box::pin(async move {
            let mut event = self.phone.next_notification().await?;
            self.retracer
                .retrace_events(std::slice::from_mut(&mut event));
            Some(event)
        })
    }

    fn start_fresh(&self) -> BoxFuture<'_, Result<(), FreshStartError>> {
        self.phone.start_fresh()
    }

    fn health(&self) -> BoxFuture<'_, Option<PhoneHealth>> {
        self.phone.health()
    }
}

impl fmt::Debug for FindingRetracer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FindingRetracer")
            .field("mapping", &self.mapping)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for RetracedPhone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetracedPhone").finish_non_exhaustive()
    }
}
