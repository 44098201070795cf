//! What is wrong with this app, and the shortest way to each of it.

use retap_shared::action::System;
use retap_shared::screen::Rotation;
use retap_shared::verdict::ProblemKind;

use crate::apps::Planted;
use crate::kit::{Beneath, Cause, Exception, Stall, Tombstone};
use crate::truth::Do::{self, Back, Home, Launch, Long, Rotate, Tap, Type};

const PRODUCT: &str = "The Long Way Round";

const OFFLINE: Do = Do::System(System::Offline);
const LOW_MEMORY: Do = Do::System(System::LowMemory);

pub(super) const PLANTED: &[Planted] = &[
    Planted {
        name: "zoom without a finger",
        kind: ProblemKind::Crash,
        shortest: &[Tap(PRODUCT), Long("picture")],
    },
    Planted {
        name: "none of it into the cart",
        kind: ProblemKind::Crash,
        shortest: &[Tap(PRODUCT), Tap("less"), Tap("add")],
    },
    Planted {
        name: "heart outlives its page",
        kind: ProblemKind::Crash,
        shortest: &[Tap(PRODUCT), Tap("wish"), Back],
    },
    Planted {
        name: "coupon is no number",
        kind: ProblemKind::Crash,
        shortest: &[
            Tap(PRODUCT),
            Tap("add"),
            Tap("cart"),
            Type("coupon", "hello"),
            Tap("apply"),
        ],
    },
    Planted {
        name: "look-up blocks",
        kind: ProblemKind::Anr,
        shortest: &[
            Tap("More options"),
            Tap("login"),
            Tap("forgot"),
            Type("email", "hello"),
            Tap("button1"),
            Tap("forgot"),
        ],
    },
    Planted {
        name: "panorama held sideways",
        kind: ProblemKind::NativeCrash,
        shortest: &[
            Tap(PRODUCT),
            Tap("picture"),
            Tap("next"),
            Tap("next"),
            Tap("next"),
            Rotate(Rotation::Left),
        ],
    },
    Planted {
        name: "day dialog in rotation",
        kind: ProblemKind::Crash,
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
    Planted {
        name: "invoice for a pick-up",
        kind: ProblemKind::Crash,
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
    Planted {
        name: "empty label",
        kind: ProblemKind::Crash,
        shortest: &[
            Tap("More options"),
            Tap("service"),
            Tap("returns"),
            Home,
            LOW_MEMORY,
            Launch,
        ],
    },
    Planted {
        name: "chat goes offline",
        kind: ProblemKind::NativeCrash,
        shortest: &[
            Tap("More options"),
            Tap("service"),
            Tap("chat"),
            Tap("write"),
            OFFLINE,
        ],
    },
    Planted {
        name: "one point too many",
        kind: ProblemKind::Crash,
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
    beneath: Beneath::LongClick,
    cause: None,
};

pub(super) static PRICE_EACH: Exception = Exception {
    class: "java.lang.ArithmeticException",
    frames: &[
        "com.example.shop.Price.each(Price.java:24)",
        "com.example.shop.CartStore.add(CartStore.java:61)",
        "com.example.shop.ProductActivity.onAdd(ProductActivity.java:130)",
    ],
    beneath: Beneath::Click,
    cause: None,
};

pub(super) static DETACHED: Exception = Exception {
    class: "java.lang.IllegalStateException",
    frames: &[
        "androidx.fragment.app.Fragment.requireActivity(Fragment.java:1001)",
        "com.example.shop.WishFragment.heartArrived(WishFragment.java:48)",
        "com.example.shop.WishFragment$$ExternalSyntheticLambda2.run(Unknown Source:2)",
    ],
    beneath: Beneath::Handler,
    cause: None,
};

pub(super) static COUPON: Exception = Exception {
    class: "java.lang.NumberFormatException",
    frames: &[
        "java.lang.Long.parseLong(Long.java:708)",
        "com.example.shop.Coupon.parse(Coupon.java:18)",
        "com.example.shop.CartActivity.onApply(CartActivity.java:93)",
    ],
    beneath: Beneath::Click,
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
    beneath: Beneath::Create,
    cause: Some(&Cause {
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
    beneath: Beneath::Click,
    cause: None,
};
