//! Every Java class, method, field and descriptor that the agent uses: one row each, with its forms newest first.
//! `agent/tests/agent/api_levels.rs` checks each row against the framework of every API level.

/// The oldest API level that the agent supports (Android 6), and the newest that the table was checked against.
pub const LEVELS: std::ops::RangeInclusive<u32> = 23..=37;

/// The kind of member that a row names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberKind {
    /// A constructor.
    Constructor,
    /// A method.
    Method,
    /// A static method.
    StaticMethod,
    /// A field.
    Field,
    /// A static field.
    StaticField,
}

/// The replacement on phones that lack the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// Every API level has the row.
    Never,
    /// Another row is used.
    Row(JavaName),
    /// Nothing is used; the text names the loss.
    Lost(&'static str),
}

/// A member of a Java class, with its forms over the API levels.
#[derive(Clone, Copy, Debug)]
pub struct JavaRow {
    /// The row's name.
    pub name: JavaName,
    /// The kind of member.
    pub kind: MemberKind,
    /// The class in JNI's form, with slashes and dollars.
    pub class: &'static str,
    /// The member's name.
    pub member: &'static str,
    /// The first API level that must have the row.
    pub from: u32,
    /// The forms, newest first; a call has one list of arguments for each.
    pub descriptors: &'static [&'static str],
    /// The replacement on older phones.
    pub fallback: Fallback,
}

impl JavaName {
    /// The row of this name.
    pub fn row(self) -> &'static JavaRow {
        &ROWS[self as usize]
    }
}

/// Declares the rows and their names.
macro_rules! java_rows {
    ($($class:literal {
        $($name:ident: $kind:ident $from:literal $member:literal [$($descriptor:literal),+] $(else $fallback:expr)?;)+
    })+) => {
        /// The name of a row.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum JavaName { $($($name,)+)+ }

        /// All rows, in the order of their names.
        pub static ROWS: &[JavaRow] = &[$($(JavaRow {
            name: JavaName::$name,
            kind: MemberKind::$kind,
            class: $class,
            member: $member,
            from: $from,
            descriptors: &[$($descriptor),+],
            fallback: java_rows!(@fallback $($fallback)?),
        },)+)+];
    };
    (@fallback) => { Fallback::Never };
    (@fallback $fallback:expr) => { $fallback };
}

java_rows! {
    "android/app/UiAutomation" {
        AutomationNew: Constructor 23 "<init>" [
            "(Landroid/content/Context;Landroid/app/IUiAutomationConnection;)V",
            "(Landroid/os/Looper;Landroid/app/IUiAutomationConnection;)V"
        ];
        AutomationConnect: Method 23 "connect" ["(I)V", "()V"];
        AutomationDisconnect: Method 23 "disconnect" ["()V"];
        AutomationAllWindows: Method 30 "getWindowsOnAllDisplays" ["()Landroid/util/SparseArray;"]
            else Fallback::Row(JavaName::AutomationWindows);
        AutomationWindows: Method 23 "getWindows" ["()Ljava/util/List;"];
        AutomationServiceInfo: Method 23 "getServiceInfo" ["()Landroid/accessibilityservice/AccessibilityServiceInfo;"];
        AutomationSetServiceInfo: Method 23 "setServiceInfo" ["(Landroid/accessibilityservice/AccessibilityServiceInfo;)V"];
        AutomationClearCache: Method 34 "clearCache" ["()Z"] else Fallback::Row(JavaName::AutomationSetServiceInfo);
        AutomationListen: Method 23 "setOnAccessibilityEventListener" [
            "(Landroid/app/UiAutomation$OnAccessibilityEventListener;)V"
        ];
        AutomationInject: Method 23 "injectInputEvent" ["(Landroid/view/InputEvent;Z)Z"];
        AutomationRotate: Method 23 "setRotation" ["(I)Z"];
        AutomationScreenshot: Method 23 "takeScreenshot" ["()Landroid/graphics/Bitmap;"];
        AutomationGrantAsUser: Method 28 "grantRuntimePermissionAsUser" [
            "(Ljava/lang/String;Ljava/lang/String;Landroid/os/UserHandle;)V"
        ] else Fallback::Row(JavaName::AutomationGrant);
        AutomationGrant: Method 23 "grantRuntimePermission" [
            "(Ljava/lang/String;Ljava/lang/String;Landroid/os/UserHandle;)Z"
        ];
    }
    "android/app/UiAutomationConnection" {
        ConnectionNew: Constructor 23 "<init>" ["()V"];
    }
    "android/accessibilityservice/AccessibilityServiceInfo" {
        ServiceFlags: Field 23 "flags" ["I"];
    }
    "android/view/accessibility/AccessibilityWindowInfo" {
        WindowTitle: Method 24 "getTitle" ["()Ljava/lang/CharSequence;"]
            else Fallback::Lost("windows have no titles");
        WindowRoot: Method 23 "getRoot" [
            "(I)Landroid/view/accessibility/AccessibilityNodeInfo;",
            "()Landroid/view/accessibility/AccessibilityNodeInfo;"
        ];
    }
    "android/view/accessibility/AccessibilityNodeInfo" {
        NodeText: Method 23 "getText" ["()Ljava/lang/CharSequence;"];
        NodeBounds: Method 23 "getBoundsInScreen" ["(Landroid/graphics/Rect;)V"];
        NodeIsEditable: Method 23 "isEditable" ["()Z"];
        NodeChildCount: Method 23 "getChildCount" ["()I"];
        NodeChild: Method 23 "getChild" [
            "(II)Landroid/view/accessibility/AccessibilityNodeInfo;",
            "(I)Landroid/view/accessibility/AccessibilityNodeInfo;"
        ];
        NodePerform: Method 23 "performAction" ["(ILandroid/os/Bundle;)Z"];
    }
    "android/graphics/Rect" {
        RectNew: Constructor 23 "<init>" ["()V"];
        RectLeft: Field 23 "left" ["I"];
        RectTop: Field 23 "top" ["I"];
        RectRight: Field 23 "right" ["I"];
        RectBottom: Field 23 "bottom" ["I"];
    }
    "android/graphics/Bitmap" {
        BitmapWidth: Method 23 "getWidth" ["()I"];
        BitmapHeight: Method 23 "getHeight" ["()I"];
        BitmapPixels: Method 23 "getPixels" ["([IIIIIII)V"];
        BitmapCopy: Method 23 "copy" ["(Landroid/graphics/Bitmap$Config;Z)Landroid/graphics/Bitmap;"];
        BitmapRecycle: Method 23 "recycle" ["()V"];
    }
    "android/graphics/Bitmap$Config" {
        BitmapPlain: StaticField 23 "ARGB_8888" ["Landroid/graphics/Bitmap$Config;"];
    }
    "android/hardware/input/InputManagerGlobal" {
        InputGlobal: StaticMethod 34 "getInstance" ["()Landroid/hardware/input/InputManagerGlobal;"]
            else Fallback::Row(JavaName::ContextService);
        InputGlobalInject: Method 34 "injectInputEvent" ["(Landroid/view/InputEvent;I)Z"]
            else Fallback::Row(JavaName::InputInject);
    }
    "android/hardware/input/InputManager" {
        InputInject: Method 23 "injectInputEvent" ["(Landroid/view/InputEvent;I)Z"];
    }
    "android/view/InputEvent" {
        EventRecycle: Method 23 "recycle" ["()V"];
    }
    "android/view/MotionEvent" {
        MotionObtain: StaticMethod 23 "obtain" [
            "(JJII[Landroid/view/MotionEvent$PointerProperties;[Landroid/view/MotionEvent$PointerCoords;IIFFIIII)Landroid/view/MotionEvent;"
        ];
    }
    "android/view/MotionEvent$PointerProperties" {
        PointerNew: Constructor 23 "<init>" ["()V"];
        PointerId: Field 23 "id" ["I"];
        PointerTool: Field 23 "toolType" ["I"];
    }
    "android/view/MotionEvent$PointerCoords" {
        CoordsNew: Constructor 23 "<init>" ["()V"];
        CoordsX: Field 23 "x" ["F"];
        CoordsY: Field 23 "y" ["F"];
        CoordsPressure: Field 23 "pressure" ["F"];
        CoordsSize: Field 23 "size" ["F"];
    }
    "android/view/KeyEvent" {
        KeyNew: Constructor 23 "<init>" ["(JJIIIIIIII)V"];
    }
    "android/view/KeyCharacterMap" {
        KeyMapLoad: StaticMethod 23 "load" ["(I)Landroid/view/KeyCharacterMap;"];
        KeyMapEvents: Method 23 "getEvents" ["([C)[Landroid/view/KeyEvent;"];
    }
    "android/os/Bundle" {
        BundleNew: Constructor 23 "<init>" ["()V"];
        BundlePutText: Method 23 "putCharSequence" ["(Ljava/lang/String;Ljava/lang/CharSequence;)V"];
        BundlePutInt: Method 23 "putInt" ["(Ljava/lang/String;I)V"];
    }
    "android/content/Context" {
        ContextService: Method 23 "getSystemService" ["(Ljava/lang/String;)Ljava/lang/Object;"];
        ContextPackages: Method 23 "getPackageManager" ["()Landroid/content/pm/PackageManager;"];
    }
    "android/content/ClipboardManager" {
        ClipboardContext: Field 23 "mContext" ["Landroid/content/Context;"];
        ClipboardSet: Method 23 "setPrimaryClip" ["(Landroid/content/ClipData;)V"];
    }
    "android/content/ClipData" {
        ClipNew: StaticMethod 23 "newPlainText" [
            "(Ljava/lang/CharSequence;Ljava/lang/CharSequence;)Landroid/content/ClipData;"
        ];
    }
    "android/content/Intent" {
        IntentNew: Constructor 23 "<init>" ["(Ljava/lang/String;)V"];
        IntentComponent: Method 23 "setComponent" ["(Landroid/content/ComponentName;)Landroid/content/Intent;"];
        IntentCategory: Method 23 "addCategory" ["(Ljava/lang/String;)Landroid/content/Intent;"];
        IntentFlags: Method 23 "setFlags" ["(I)Landroid/content/Intent;"];
        IntentPackage: Method 23 "setPackage" ["(Ljava/lang/String;)Landroid/content/Intent;"];
    }
    "android/content/ComponentName" {
        ComponentNew: Constructor 23 "<init>" ["(Ljava/lang/String;Ljava/lang/String;)V"];
        ComponentPackage: Method 23 "getPackageName" ["()Ljava/lang/String;"];
        ComponentClass: Method 23 "getClassName" ["()Ljava/lang/String;"];
    }
    "android/app/ActivityManager" {
        ActivityService: StaticMethod 26 "getService" ["()Landroid/app/IActivityManager;"]
            else Fallback::Row(JavaName::ActivityDefault);
        ActivityTasks: Method 23 "getRunningTasks" ["(I)Ljava/util/List;"];
    }
    "android/os/PowerManager" {
        PowerInteractive: Method 23 "isInteractive" ["()Z"];
    }
    "android/app/KeyguardManager" {
        KeyguardLocked: Method 23 "isKeyguardLocked" ["()Z"];
    }
    "android/view/WindowManagerGlobal" {
        WindowService: StaticMethod 23 "getWindowManagerService" ["()Landroid/view/IWindowManager;"];
    }
    "android/view/IWindowManager" {
        KeyguardDismiss: Method 23 "dismissKeyguard" [
            "(Lcom/android/internal/policy/IKeyguardDismissCallback;Ljava/lang/CharSequence;)V",
            "(Lcom/android/internal/policy/IKeyguardDismissCallback;)V",
            "()V"
        ];
    }
    "android/app/ActivityManagerNative" {
        ActivityDefault: StaticMethod 23 "getDefault" ["()Landroid/app/IActivityManager;"];
    }
    "android/app/IActivityManager" {
        ActivityStart: Method 23 "startActivityAsUser" [
            "(Landroid/app/IApplicationThread;Ljava/lang/String;Landroid/content/Intent;Ljava/lang/String;Landroid/os/IBinder;Ljava/lang/String;IILandroid/app/ProfilerInfo;Landroid/os/Bundle;I)I"
        ];
        ActivityForceStop: Method 23 "forceStopPackage" ["(Ljava/lang/String;I)V"];
        ActivityClear: Method 23 "clearApplicationUserData" [
            "(Ljava/lang/String;ZLandroid/content/pm/IPackageDataObserver;I)Z",
            "(Ljava/lang/String;Landroid/content/pm/IPackageDataObserver;I)Z"
        ];
        ActivityController: Method 23 "setActivityController" [
            "(Landroid/app/IActivityController;Z)V",
            "(Landroid/app/IActivityController;)V"
        ];
        ActivityConfiguration: Method 23 "getConfiguration" ["()Landroid/content/res/Configuration;"];
    }
    "android/app/ActivityManager$RunningTaskInfo" {
        TaskTop: Field 23 "topActivity" ["Landroid/content/ComponentName;"];
    }
    "android/content/res/Configuration" {
        ConfigurationFontScale: Field 23 "fontScale" ["F"];
        ConfigurationUiMode: Field 23 "uiMode" ["I"];
        ConfigurationLocale: Field 23 "locale" ["Ljava/util/Locale;"];
    }
    "android/content/pm/PackageManager" {
        PackageOfUser: Method 24 "getPackageInfoAsUser" ["(Ljava/lang/String;II)Landroid/content/pm/PackageInfo;"]
            else Fallback::Row(JavaName::Package);
        Package: Method 23 "getPackageInfo" ["(Ljava/lang/String;I)Landroid/content/pm/PackageInfo;"];
        PackageQuery: Method 23 "queryIntentActivitiesAsUser" ["(Landroid/content/Intent;II)Ljava/util/List;"];
    }
    "android/content/pm/PackageInfo" {
        PackageVersion: Method 28 "getLongVersionCode" ["()J"] else Fallback::Row(JavaName::PackageVersionCode);
        PackageVersionCode: Field 23 "versionCode" ["I"];
        PackageActivities: Field 23 "activities" ["[Landroid/content/pm/ActivityInfo;"];
        PackagePermissions: Field 23 "requestedPermissions" ["[Ljava/lang/String;"];
    }
    "android/content/pm/ActivityInfo" {
        ActivityInfoName: Field 23 "name" ["Ljava/lang/String;"];
        ActivityInfoPackage: Field 23 "packageName" ["Ljava/lang/String;"];
    }
    "android/content/pm/ResolveInfo" {
        ResolveActivity: Field 23 "activityInfo" ["Landroid/content/pm/ActivityInfo;"];
        ResolveLabel: Method 23 "loadLabel" ["(Landroid/content/pm/PackageManager;)Ljava/lang/CharSequence;"];
    }
    "android/hardware/display/DisplayManagerGlobal" {
        Displays: StaticMethod 23 "getInstance" ["()Landroid/hardware/display/DisplayManagerGlobal;"];
        DisplayOf: Method 23 "getDisplayInfo" ["(I)Landroid/view/DisplayInfo;"];
    }
    "android/view/DisplayInfo" {
        DisplayWidth: Field 23 "logicalWidth" ["I"];
        DisplayHeight: Field 23 "logicalHeight" ["I"];
        DisplayRotation: Field 23 "rotation" ["I"];
        DisplayDensity: Field 23 "logicalDensityDpi" ["I"];
    }
    "android/os/Build" {
        BuildModel: StaticField 23 "MODEL" ["Ljava/lang/String;"];
    }
    "android/os/Build$VERSION" {
        BuildLevel: StaticField 23 "SDK_INT" ["I"];
    }
    "android/os/SystemClock" {
        ClockNow: StaticMethod 23 "uptimeMillis" ["()J"];
        ClockSleep: StaticMethod 23 "sleep" ["(J)V"];
    }
    "android/os/Looper" {
        MainLooper: StaticMethod 23 "getMainLooper" ["()Landroid/os/Looper;"];
    }
    "android/os/UserHandle" {
        UserNew: Constructor 23 "<init>" ["(I)V"];
    }
    "android/util/SparseArray" {
        SparseSize: Method 23 "size" ["()I"];
        SparseAt: Method 23 "valueAt" ["(I)Ljava/lang/Object;"];
    }
    "java/util/List" {
        ListSize: Method 23 "size" ["()I"];
        ListGet: Method 23 "get" ["(I)Ljava/lang/Object;"];
    }
    "java/lang/CharSequence" {
        TextToString: Method 23 "toString" ["()Ljava/lang/String;"];
    }
    "java/util/Locale" {
        LocaleTag: Method 23 "toLanguageTag" ["()Ljava/lang/String;"];
    }
    // The bootstrap's own, which come with the library to every level.
    "dev/retap/agent/Nodes" {
        NodesRead: StaticMethod 23 "read" [
            "(Landroid/view/accessibility/AccessibilityNodeInfo;IIIZ)[Ljava/lang/Object;"
        ];
    }
    "dev/retap/agent/Windows" {
        WindowsRead: StaticMethod 23 "read" [
            "(Landroid/view/accessibility/AccessibilityWindowInfo;Z)[Ljava/lang/Object;"
        ];
    }
    "dev/retap/agent/Coverage" {
        CoverageIsCounted: StaticMethod 23 "isCounted" ["()Z"];
        CoverageTotal: StaticMethod 23 "total" ["(Ljava/lang/String;)I"];
        CoverageTake: StaticMethod 23 "take" ["()[I"];
    }
}
