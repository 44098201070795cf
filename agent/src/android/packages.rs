//! PackageManager: the apps with a launcher activity, their activities and their permissions.

use std::collections::BTreeSet;

use jni::Env;
use jni::objects::{JObject, JObjectArray};
use retap_shared::Text;
use retap_shared::protocol::AppInfo;
use retap_shared::trace::App;

use super::activities::{CATEGORY_HOME, CATEGORY_LAUNCHER, main_intent};
use super::coverage;
use super::java::{JavaBridge, JavaResult};
use super::table::JavaName;
use super::windows::for_each_element;

/// PackageManager.GET_ACTIVITIES and GET_PERMISSIONS.
const ACTIVITIES: i32 = 1;
const PERMISSIONS: i32 = 0x1000;

/// The packages of one Android user.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packages<'a> {
    pub(crate) java: &'a JavaBridge,
    pub(crate) context: &'a JObject<'static>,
    pub(crate) user: i32,
}

/// A launcher activity.
#[derive(Debug)]
pub(crate) struct LaunchableActivity {
    pub(crate) package: Text,
    pub(crate) activity: Text,
    pub(crate) label: Text,
}

impl Packages<'_> {
    /// The launcher activities of `package`, or of every app if it is empty.
    pub(crate) fn launchable(
        self,
        env: &mut Env,
        package: &str,
    ) -> JavaResult<Vec<LaunchableActivity>> {
        self.with_category(env, CATEGORY_LAUNCHER, package)
    }

    /// The packages of the launchers.
    pub(crate) fn launchers(self, env: &mut Env) -> JavaResult<BTreeSet<Text>> {
        let found = self.with_category(env, CATEGORY_HOME, "")?;
        Ok(found.into_iter().map(|found| found.package).collect())
    }

    fn with_category(
        self,
        env: &mut Env,
        category: &str,
        package: &str,
    ) -> JavaResult<Vec<LaunchableActivity>> {
        let java = self.java;
        let manager = self.manager(env)?;
        let intent = main_intent(java, env, category, package)?;
        // manager.queryIntentActivitiesAsUser(intent, 0, user)
        let arguments = [(&intent).into(), 0.into(), self.user.into()];
        let list = java
            .call(env, JavaName::PackageQuery, &manager, &arguments)?
            .into_object()?;
        let mut found = Vec::new();
        for_each_element(java, env, &list, &mut |env, resolved| {
            let activity = java
                .get(env, JavaName::ResolveActivity, resolved)?
                .into_object()?;
            if activity.is_null() {
                return Ok(());
            }
            // resolved.loadLabel(manager)
            let label = java
                .call(env, JavaName::ResolveLabel, resolved, &[(&manager).into()])?
                .into_object()?;
            found.push(LaunchableActivity {
                package: field(java, env, JavaName::ActivityInfoPackage, &activity)?,
                activity: field(java, env, JavaName::ActivityInfoName, &activity)?,
                label: java.text(env, &label)?,
            });
            Ok(())
        })?;
        Ok(found)
    }

    /// Every app with a launcher activity, once each. An app that is removed meanwhile is left out.
    pub(crate) fn apps(self, env: &mut Env) -> JavaResult<Vec<AppInfo>> {
        let mut apps = Vec::<AppInfo>::new();
        for found in self.launchable(env, "")? {
            if apps.iter().any(|app| app.app.package == found.package) {
                continue;
            }
            let described = env.with_local_frame(16, |env| self.describe(env, &found));
            apps.extend(described.ok());
        }
        Ok(apps)
    }

    fn describe(self, env: &mut Env, found: &LaunchableActivity) -> JavaResult<AppInfo> {
        let java = self.java;
        let info = self.info(env, &found.package, ACTIVITIES)?;
        let version_code = if java.has(env, JavaName::PackageVersion) {
            // info.getLongVersionCode()
            java.call(env, JavaName::PackageVersion, &info, &[])?
                .into_long()?
        } else {
            java.get(env, JavaName::PackageVersionCode, &info)?
                .into_int()?
                .into()
        };
        let mut activities = Vec::new();
        // for (ActivityInfo activity : info.activities) activity.name
        let declared = java
            .get(env, JavaName::PackageActivities, &info)?
            .into_object()?;
        for_each_of_array(env, declared, &mut |env, activity| {
            let name = field(java, env, JavaName::ActivityInfoName, activity)?;
            activities.push(format!("{}/{name}", found.package).into());
            Ok(())
        })?;
        let app = App {
            package: found.package.clone(),
            activity: found.activity.clone(),
            version_code: u64::try_from(version_code).unwrap_or_default(),
        };
        Ok(AppInfo {
            app,
            label: found.label.clone(),
            activities,
            branches: coverage::total(java, env, &found.package)?,
        })
    }

    /// info.requestedPermissions
    pub(crate) fn permissions(self, env: &mut Env, package: &str) -> JavaResult<Vec<Text>> {
        let java = self.java;
        let info = self.info(env, package, PERMISSIONS)?;
        let declared = java
            .get(env, JavaName::PackagePermissions, &info)?
            .into_object()?;
        let mut permissions = Vec::new();
        for_each_of_array(env, declared, &mut |env, permission| {
            permissions.push(java.text(env, permission)?);
            Ok(())
        })?;
        Ok(permissions)
    }

    fn info<'l>(self, env: &mut Env<'l>, package: &str, what: i32) -> JavaResult<JObject<'l>> {
        let java = self.java;
        let manager = self.manager(env)?;
        let package = env.new_string(package)?;
        let info = if java.has(env, JavaName::PackageOfUser) {
            // manager.getPackageInfoAsUser(package, what, user)
            let arguments = [(&package).into(), what.into(), self.user.into()];
            java.call(env, JavaName::PackageOfUser, &manager, &arguments)?
        } else {
            // manager.getPackageInfo(package, what)
            java.call(
                env,
                JavaName::Package,
                &manager,
                &[(&package).into(), what.into()],
            )?
        };
        Ok(info.into_object()?)
    }

    /// context.getPackageManager()
    fn manager<'l>(self, env: &mut Env<'l>) -> JavaResult<JObject<'l>> {
        Ok(self
            .java
            .call(env, JavaName::ContextPackages, self.context, &[])?
            .into_object()?)
    }
}

fn field(java: &JavaBridge, env: &mut Env, name: JavaName, on: &JObject) -> JavaResult<Text> {
    let text = java.get(env, name, on)?.into_object()?;
    java.text(env, &text)
}

/// Calls `work` with each element that is not null; null is an empty array.
fn for_each_of_array(
    env: &mut Env,
    array: JObject<'_>,
    work: &mut dyn FnMut(&mut Env, &JObject) -> JavaResult<()>,
) -> JavaResult<()> {
    if array.is_null() {
        return Ok(());
    }
    let array = env.cast_local::<JObjectArray>(array)?;
    for number in 0..array.len(env)? {
        env.with_local_frame(8, |env| {
            let element = array.get_element(env, number)?;
            if element.is_null() {
                Ok(())
            } else {
                work(env, &element)
            }
        })?;
    }
    Ok(())
}
