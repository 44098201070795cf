//! The phone that this process runs on: a `Phone` over the Android framework, one file per system service, and one table
//! of every Java name that is used.

mod accessibility;
mod activities;
mod app_data;
mod app_log;
mod automation_holders;
pub(crate) mod clock;
mod coverage;
mod display;
mod front;
mod input;
pub mod java;
mod lock_screen;
mod nodes;
mod packages;
mod phone;
mod phone_settings;
mod program;
mod screenshot;
mod secure_windows;
#[cfg(feature = "self-test")]
mod self_test;
pub(crate) mod system_callbacks;
mod system_events;
pub mod table;
mod typing;
pub(crate) mod user;
mod windows;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fmt, io};

use jni::Env;
use jni::objects::JObject;
use jni::refs::Global;
use retap_shared::Text;
use retap_shared::action::Action;
use retap_shared::micros::Micros;
use retap_shared::obstacle::Obstacle;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::RequestFailure;
use retap_shared::screen::{ScreenContent, WindowFlags, WindowKind};

use self::accessibility::Accessibility;
use self::app_data::AppDataSnapshots;
use self::app_log::AppLogReader;
use self::display::{DISPLAY, DisplayInfo, rotation_number};
use self::input::InputInjector;
use self::java::{JavaBridge, JavaResult};
use self::packages::Packages;
use self::phone_settings::{PhoneSettings, SettingsProgram};
use self::program::PhonePrograms;
use self::secure_windows::SecureWindows;
use self::system_callbacks::SYSTEM_CALLBACKS;
use self::system_events::SystemEventInjector;
use self::table::{JavaName, LEVELS};
use self::windows::ReadWindow;
use crate::coverage::AppCoverage;
use crate::options::AgentOptions;
use crate::phone::PhoneError;

/// Maximum number of waits for a tree. Compose, Flutter and WebView build theirs only after accessibility is on.
const LATE_TREE_TRIES: u32 = 20;
/// A reading that takes longer has timed out: the system waits for 5 s for the nodes of an app that is blocked.
const BLOCKED_READ: Duration = Duration::from_millis(4_500);
/// Duration of each wait for a tree.
const LATE_TREE_MILLIS: i64 = 100;

/// Objects that the bootstrap creates, because JNI cannot: the shell's context and three listeners.
#[derive(Debug)]
pub struct BootstrapObjects {
    /// The shell's context.
    pub context: Global<JObject<'static>>,
    /// Listener for crashes and ANRs.
    pub controller: Global<JObject<'static>>,
    /// Listener for accessibility events.
    pub events: Global<JObject<'static>>,
    /// Listener for cleared data.
    pub cleared: Global<JObject<'static>>,
}

/// The phone that this process runs on.
pub struct AndroidPhone {
    java: Arc<JavaBridge>,
    objects: BootstrapObjects,
    accessibility: Arc<Accessibility>,
    settings: Option<PhoneSettings<SettingsProgram>>,
    level: u32,
    user: i32,
    watched_package: Text,
    activity: Text,
    events: Vec<PhoneEvent>,
    /// Packages that have shown a tree. Their next tree is not waited for.
    packages_with_tree: HashSet<Text>,
    /// The windows of a reading that has timed out, until the step has ended.
    blocked_windows: Option<Vec<ReadWindow>>,
    /// Packages of the launchers, once they were needed.
    launchers: Option<BTreeSet<Text>>,
    secure: SecureWindows,
    /// Kept, because a context looks its services up for each call.
    activity_manager: Global<JObject<'static>>,
    app_data: AppDataSnapshots,
    app_log: AppLogReader<PhonePrograms>,
    system: SystemEventInjector<PhonePrograms>,
    app_coverage: Option<AppCoverage>,
    /// Time of the last screen change, exclusive, for which the framework's cache of nodes was cleared.
    cache_valid_until: Micros,
}

impl AndroidPhone {
    /// Connects to the system's services. Changed settings are saved in the options' folder until they are restored.
    pub fn connect(
        java: Arc<JavaBridge>,
        objects: BootstrapObjects,
        options: &AgentOptions,
    ) -> std::result::Result<Self, PhoneError> {
        let user = options.user;
        let folder = &options.folder;
        let level = supported_api_level(&java)?;
        let settings = PhoneSettings::recover(SettingsProgram { user }, folder);
        let (accessibility, activity_manager) = java.with(|env| {
            let accessibility =
                Accessibility::connect(&java, env, &objects.context, &objects.events)?;
            activities::watch(&java, env, &objects.controller)?;
            Ok((
                accessibility,
                activities::manager(&java, env, &objects.context)?,
            ))
        })?;
        let applied = settings.as_ref().map_or_else(
            |error| Err(io::Error::other(error.to_string())),
            PhoneSettings::apply,
        );
        if let Err(error) = applied {
            tracing::warn!(%error, "could not change the phone's settings: animations stay on");
        }
        let over_network = options
            .udp
            .is_some_and(|address| !address.ip().is_loopback());
        Ok(AndroidPhone {
            java,
            objects,
            accessibility: Arc::new(accessibility),
            settings: settings.ok(),
            level,
            user,
            watched_package: Text::default(),
            activity: Text::default(),
            events: Vec::new(),
            packages_with_tree: HashSet::new(),
            blocked_windows: None,
            launchers: None,
            secure: SecureWindows::default(),
            activity_manager,
            app_data: AppDataSnapshots::new(folder, user),
            app_log: AppLogReader::new(PhonePrograms::new(folder), user),
            system: SystemEventInjector::new(
                PhonePrograms::new(folder),
                folder,
                user,
                over_network,
            ),
            app_coverage: options.coverage.as_deref().map(AppCoverage::new),
            cache_valid_until: Micros::ZERO,
        })
    }

    fn input(&self) -> InputInjector<'_> {
        InputInjector {
            java: &self.java,
            accessibility: &self.accessibility,
            context: &self.objects.context,
        }
    }

    fn packages(&self) -> Packages<'_> {
        Packages {
            java: &self.java,
            context: &self.objects.context,
            user: self.user,
        }
    }

    fn describe(&self, env: &mut Env) -> JavaResult<PhoneInfo> {
        let model = self
            .java
            .get_static(env, JavaName::BuildModel)?
            .into_object()?;
        let display = DisplayInfo::read(&self.java, env)?;
        let (locale, font_scale, dark_mode) = activities::configuration(&self.java, env)?;
        Ok(PhoneInfo {
            kind: "android".into(),
            model: self.java.text(env, &model)?,
            api_level: self.level,
            display: DISPLAY as u32,
            size: display.size,
            density: display.density,
            rotation: display.rotation,
            posture: Text::default(),
            locale,
            font_scale,
            dark_mode,
        })
    }

    /// Reads the windows, repeatedly if the app in front has not built its tree yet.
    fn read_windows(&mut self, env: &mut Env) -> JavaResult<Vec<ReadWindow>> {
        if let Some(windows) = &self.blocked_windows {
            return Ok(windows.clone());
        }
        let event = SYSTEM_CALLBACKS.last_screen_change();
        if event >= self.cache_valid_until {
            self.accessibility.clear_cache(&self.java, env)?;
            self.cache_valid_until = event + Micros(1);
        }
        let mut windows = self.read_windows_once(env)?;
        for _ in 0..LATE_TREE_TRIES {
            let is_blocked = self.blocked_windows.is_some();
            if is_blocked || !is_tree_pending(&windows, &self.packages_with_tree) {
                break;
            }
            clock::sleep(&self.java, env, LATE_TREE_MILLIS)?;
            self.accessibility.clear_cache(&self.java, env)?;
            windows = self.read_windows_once(env)?;
        }
        self.packages_with_tree
            .extend(windows.iter().map(|read| read.window.package.clone()));
        Ok(windows)
    }

    /// Reads the windows. If an app does not answer, what was read is kept for the rest of the step.
    fn read_windows_once(&mut self, env: &mut Env) -> JavaResult<Vec<ReadWindow>> {
        let started = Instant::now();
        let windows = windows::read_windows(&self.java, env, &self.accessibility, self.level)?;
        if started.elapsed() > BLOCKED_READ {
            tracing::info!("an app does not answer: its windows are not read again in this step");
            self.blocked_windows = Some(windows.clone());
        }
        Ok(windows)
    }

    fn read_screen(&mut self, env: &mut Env) -> JavaResult<ScreenContent> {
        let mut windows = self.read_windows(env)?;
        let secure = self
            .secure
            .packages(windows.iter().map(|read| read.number).collect());
        for read in &mut windows {
            read.window
                .flags
                .set(WindowFlags::SECURE, secure.contains(&read.window.package));
        }
        let display = DisplayInfo::read(&self.java, env)?;
        let activity = activities::top_activity(&self.java, env, &self.activity_manager)?;
        if activity != self.activity && !activity.is_empty() {
            let at = clock::micros(clock::now(&self.java, env)?);
            self.events.push(PhoneEvent {
                at,
                kind: PhoneEventKind::Activity(activity.clone()),
            });
            self.activity = activity.clone();
        }
        let mut content = ScreenContent {
            size: display.size,
            rotation: display.rotation,
            activity,
            ..ScreenContent::default()
        };
        for read in windows {
            content.windows.push(read.window);
            content.nodes.extend(read.nodes);
        }
        Ok(content)
    }

    fn find_obstacle(&mut self, env: &mut Env, package: &str) -> JavaResult<Option<Obstacle>> {
        if self.launchers.is_none() {
            self.launchers = Some(self.packages().launchers(env)?);
        }
        self.accessibility.clear_cache(&self.java, env)?;
        let windows = windows::read_windows(&self.java, env, &self.accessibility, self.level)?;
        let top = activities::top_activity(&self.java, env, &self.activity_manager)?;
        let launchers = self.launchers.as_ref();
        Ok(launchers.and_then(|launchers| front::obstacle(package, &top, &windows, launchers)))
    }

    fn inject_action(&self, env: &mut Env, action: &Action) -> JavaResult<bool> {
        let input = self.input();
        match action {
            Action::Tap(at) => input.tap(env, *at)?,
            Action::LongPress(at) => input.long_press(env, *at)?,
            Action::Swipe { from, to, millis } => input.swipe(env, *from, *to, *millis)?,
            Action::Pinch {
                center,
                from,
                to,
                millis,
            } => input.pinch(env, *center, *from, *to, *millis)?,
            Action::Key(key) => input.key(env, *key)?,
            Action::Text { at, text } => typing::replace_text(input, env, *at, text)?,
            Action::Rotate(rotation) => {
                return self
                    .accessibility
                    .rotate(&self.java, env, rotation_number(*rotation));
            }
            Action::Wait { millis } => clock::sleep(&self.java, env, i64::from(*millis))?,
            Action::Launch => self.start(env, &self.watched_package, "")?,
            Action::System(_) => return Ok(false),
        }
        Ok(true)
    }

    fn start(&self, env: &mut Env, package: &str, activity: &str) -> JavaResult<()> {
        let launchable;
        let activity = if activity.is_empty() {
            launchable = self.packages().launchable(env, package)?;
            let first = launchable.first().map(|found| found.activity.as_str());
            let why = "the app has no launcher activity: name an activity";
            first.ok_or(java::JavaError::Refused {
                call: "queryIntentActivitiesAsUser",
                why,
            })?
        } else {
            activity
        };
        activities::start(&self.java, env, package, activity, self.user)
    }

    /// Grants every permission that the app declares. One that cannot be granted is not a runtime permission of this phone.
    fn grant_all(&self, env: &mut Env, package: &str) -> JavaResult<()> {
        let permissions = self.packages().permissions(env, package)?;
        let package = env.new_string(package)?;
        for permission in permissions {
            let name = env.new_string(&permission)?;
            let granted = self
                .accessibility
                .grant(&self.java, env, &package, &name, self.user);
            if let Err(error) = granted {
                tracing::debug!(%permission, %error, "could not grant a permission");
            }
            env.delete_local_ref(name);
        }
        Ok(())
    }
}

/// The phone's API level; an error if it is older than the oldest supported one.
fn supported_api_level(java: &JavaBridge) -> std::result::Result<u32, PhoneError> {
    // Build.VERSION.SDK_INT
    let level = java.with(|env| Ok(java.get_static(env, JavaName::BuildLevel)?.into_int()?))?;
    let level = u32::try_from(level).unwrap_or_default();
    if level >= *LEVELS.start() {
        return Ok(level);
    }
    let reason = format!(
        "be driven: it has API level {level}, and {} is the oldest that is supported",
        LEVELS.start()
    );
    Err(RequestFailure::Unsupported(reason).into())
}

/// True if the app in front shows no tree and has never shown one.
fn is_tree_pending(windows: &[ReadWindow], packages_with_tree: &HashSet<Text>) -> bool {
    let in_front = windows
        .iter()
        .rev()
        .find(|read| read.window.kind == WindowKind::Application);
    in_front.is_none_or(|read| {
        read.nodes.len() < 2 && !packages_with_tree.contains(&read.window.package)
    })
}

impl Drop for AndroidPhone {
    /// Undoes every change of the phone and disconnects. The settings come last, because the system turns the display back
    /// when UiAutomation disconnects.
    fn drop(&mut self) {
        if let Err(error) = self.system.undo_all() {
            tracing::warn!(%error, "could not undo the system events: the next start tries again");
        }
        let disconnected = self.java.with(|env| {
            activities::watch(&self.java, env, &JObject::null())?;
            self.accessibility.disconnect(&self.java, env)
        });
        if let Err(error) = disconnected {
            tracing::warn!(%error, "could not disconnect from the system's services");
        }
        if let Some(Err(error)) = self.settings.as_ref().map(PhoneSettings::restore) {
            tracing::warn!(%error, "could not restore the settings: the next start tries again");
        }
    }
}

impl fmt::Debug for AndroidPhone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AndroidPhone")
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}
