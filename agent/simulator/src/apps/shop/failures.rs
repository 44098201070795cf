//! Planted crashes of this app, and the shortest trace to each.

use retap_shared::action::SystemEvent;
use retap_shared::finding::FindingKind;
use retap_shared::geometry::Rotation;

use crate::framework::{Exception, ExceptionCause, FrameworkCaller, Stall, Tombstone};
use crate::planted_crash::PlantedCrashScript;
use crate::planted_crash::ScriptedAction::{
    self, Back, Home, Launch, LongPress, Rotate, Tap, Type,
};

const PRODUCT: &str = "The Long Way Round";

const OFFLINE: ScriptedAction = ScriptedAction::System(SystemEvent::Offline);
const LOW_MEMORY: ScriptedAction = ScriptedAction::System(SystemEvent::LowMemory);

pub(super) const PLANTED: &[PlantedCrashScript] = &[
    PlantedCrashScript {
        name: "zoom without a finger",
        kind: FindingKind::Crash,
        shortest: &[Tap(PRODUCT), LongPress("picture")],
    },
    PlantedCrashScript {
        name: "none of it into the cart",
        kind: FindingKind::Crash,
        shortest: &[Tap(PRODUCT), Tap("less"), Tap("add")],
    },
    PlantedCrashScript {
        name: "heart outlives its page",
        kind: FindingKind::Crash,
        shortest: &[Tap(PRODUCT), Tap("wish"), Back],
    },
    PlantedCrashScript {
        name: "coupon is no number",
        kind: FindingKind::Crash,
        shortest: &[
            Tap(PRODUCT),
            Tap("add"),
            Tap("cart"),
            Type("coupon", "hello"),
            Tap("apply"),
        ],
    },
    PlantedCrashScript {
        name: "look-up blocks",
        kind: FindingKind::Anr,
        shortest: &[
            Tap("More options"),
            Tap("login"),
            Tap("forgot"),
            Type("email", "hello"),
            Tap("button1"),
            Tap("forgot"),
        ],
    },
    PlantedCrashScript {
        name: "panorama held sideways",
        kind: FindingKind::NativeCrash,
        shortest: &[
            Tap(PRODUCT),
            Tap("picture"),
            Tap("next"),
            Tap("next"),
            Tap("next"),
            Rotate(Rotation::Left),
        ],
    },
    PlantedCrashScript {
        name: "day dialog in rotation",
        kind: FindingKind::Crash,
        shortest: &[
            Tap(PRODUCT),
            Tap("add"),
            Tap("cart"),
            Tap("checkout"),
            Type("user", "hello"),
            Type("password", "hello"),
            Tap("sign_in"),
            Tap("address_next"),
            Tap("day"),
            Rotate(Rotation::Left),
        ],
    },
    PlantedCrashScript {
        name: "invoice for a pick-up",
        kind: FindingKind::Crash,
        shortest: &[
            Tap(PRODUCT),
            Tap("add"),
            Tap("cart"),
            Tap("checkout"),
            Type("user", "hello"),
            Type("password", "hello"),
            Tap("sign_in"),
            Tap("address_next"),
            Tap("Pick up at the shop"),
            Tap("delivery_next"),
            Tap("Invoice"),
            Tap("payment_next"),
        ],
    },
    PlantedCrashScript {
        name: "empty label",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("service"),
            Tap("returns"),
            Home,
            LOW_MEMORY,
            Launch,
        ],
    },
    PlantedCrashScript {
        name: "chat goes offline",
        kind: FindingKind::NativeCrash,
        shortest: &[
            Tap("More options"),
            Tap("service"),
            Tap("chat"),
            Tap("write"),
            OFFLINE,
        ],
    },
    PlantedCrashScript {
        name: "one point too many",
        kind: FindingKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("service"),
            Tap("loyalty"),
            Tap("redeem"),
            Tap("redeem"),
            Tap("redeem"),
            Tap("redeem"),
            Tap("redeem"),
            Tap("redeem"),
            Tap("redeem"),
            Tap("redeem"),
            Tap("redeem"),
            Tap("redeem"),
        ],
    },
];

pub(super) static NO_POINTER: Exception = Exception {
    class: "java.lang.IllegalArgumentException",
    frames: &[
        "android.view.MotionEvent.nativeGetAxisValue(Native Method)",
        "android.view.MotionEvent.getX(MotionEvent.java:2584)",
        "com.example.shop.ZoomView.onLongPress(ZoomView.java:77)",
    ],
    called_by: FrameworkCaller::LongClick,
    cause: None,
};

pub(super) static PRICE_EACH: Exception = Exception {
    class: "java.lang.ArithmeticException",
    frames: &[
        "com.example.shop.Price.each(Price.java:24)",
        "com.example.shop.CartStore.add(CartStore.java:61)",
        "com.example.shop.ProductActivity.onAdd(ProductActivity.java:130)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static DETACHED: Exception = Exception {
    class: "java.lang.IllegalStateException",
    frames: &[
        "androidx.fragment.app.Fragment.requireActivity(Fragment.java:1001)",
        "com.example.shop.WishFragment.heartArrived(WishFragment.java:48)",
        "com.example.shop.WishFragment$$ExternalSyntheticLambda2.run(Unknown Source:2)",
    ],
    called_by: FrameworkCaller::Handler,
    cause: None,
};

pub(super) static COUPON: Exception = Exception {
    class: "java.lang.NumberFormatException",
    frames: &[
        "java.lang.Long.parseLong(Long.java:708)",
        "com.example.shop.Coupon.parse(Coupon.java:18)",
        "com.example.shop.CartActivity.onApply(CartActivity.java:93)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static RESOLVE: Stall = Stall {
    frames: &[
        "libcore.io.Linux.android_getaddrinfo(Native method)",
        "java.net.InetAddress.getByName(InetAddress.java:1290)",
        "com.example.shop.PasswordMailer.send(PasswordMailer.java:36)",
        "com.example.shop.LoginActivity.onSend(LoginActivity.java:140)",
    ],
};

pub(super) static TOO_WIDE: Tombstone = Tombstone {
    signal: "signal 11 (SIGSEGV), code 2 (SEGV_ACCERR)",
    library: "libpanorama.so",
    frames: &[
        ("blit_row", 340),
        ("panorama_draw", 96),
        ("Java_com_example_shop_Panorama_draw", 44),
    ],
    called_from: "com.example.shop.Panorama.draw",
};

pub(super) static DAY_DIALOG: Exception = Exception {
    class: "androidx.fragment.app.Fragment$InstantiationException",
    frames: &[
        "androidx.fragment.app.Fragment.instantiate(Fragment.java:631)",
        "com.example.shop.DeliveryActivity.onCreate(DeliveryActivity.java:29)",
    ],
    called_by: FrameworkCaller::Create,
    cause: Some(&ExceptionCause {
        class: "java.lang.NoSuchMethodException",
        message: "com.example.shop.DayDialog.<init> []",
        frames: &[
            "java.lang.Class.getConstructor0(Class.java:3325)",
            "com.example.shop.DayDialog.create(DayDialog.java:15)",
        ],
    }),
};

pub(super) static NO_INVOICE_ADDRESS: Exception = Exception {
    class: "kotlin.UninitializedPropertyAccessException",
    frames: &[
        "com.example.shop.Invoice.getInvoiceAddress(Invoice.kt:12)",
        "com.example.shop.PaymentActivity.onNext(PaymentActivity.kt:88)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};
