//! A camera whose shutter must not be pressed twice while a picture is written: the crash needs two taps that are
//! closer together than a screen takes to settle. Nothing on the screen shows that a picture is being written.

use std::sync::{Arc, LazyLock};

use retap_shared::Text;

use super::SimulatedAppEntry;
use crate::declarative::{
    AppDefinition, DeclarativeApp, RuleCondition, RuleEffect, Variable, button, inert_switch,
    link_row, rows, rule, screen, text,
};
use crate::framework::{AppProcess, Exception, FrameworkCaller};

pub(super) const ENTRY: SimulatedAppEntry = SimulatedAppEntry {
    name: "camera",
    about: "a camera whose shutter crashes if it is tapped twice within 150 ms",
    install: || -> Box<dyn AppProcess> {
        let package = Text::new_static("com.example.camera");
        let label = Text::new_static("Camera");
        Box::new(DeclarativeApp::install(package, label, 3, plan()))
    },
    // Ground truth waits for a settled screen after each step, and then nothing fails.
    planted_crashes: &[],
    definition: Some(plan),
};

/// Time that writing a picture takes: less than a screen needs to settle.
const WRITING_MILLIS: u64 = 150;

/// A picture is being written.
const WRITING: Variable = Variable::Memory(0);
const GALLERY: u8 = 1;

static BUSY: Exception = Exception {
    class: "java.lang.IllegalStateException",
    frames: &[
        "com.example.camera.PictureWriter.begin(PictureWriter.java:48)",
        "com.example.camera.CameraActivity.onShutter(CameraActivity.java:112)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

fn plan() -> Arc<AppDefinition> {
    static PLAN: LazyLock<Arc<AppDefinition>> = LazyLock::new(|| {
        let shutter = vec![
            rule(
                &[RuleCondition::Equals(WRITING, 1)],
                &[RuleEffect::Throw(&BUSY, "a picture is being written")],
            ),
            rule(
                &[],
                &[
                    RuleEffect::Set(WRITING, 1),
                    RuleEffect::PostDelayed(WRITING_MILLIS, 0),
                ],
            ),
        ];
        let finder = vec![
            text("finder", "View finder"),
            button("shutter", "Shutter", shutter),
            inert_switch("flash", "Flash").columns(2),
            inert_switch("timer", "Timer").columns(2),
            link_row("gallery", "Gallery", GALLERY),
        ];
        let camera = screen("CameraActivity", "Camera", finder)
            .delayed(vec![rule(&[], &[RuleEffect::Set(WRITING, 0)])]);
        let gallery = screen(
            "GalleryActivity",
            "Gallery",
            vec![rows("pictures", "Picture", 3, Vec::new())],
        );
        Arc::new(AppDefinition::new(
            "com.example.camera",
            0,
            vec![camera, gallery],
        ))
    });
    Arc::clone(&PLAN)
}
