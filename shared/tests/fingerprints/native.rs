//! Fingerprints of native crashes.

use retap_shared::finding::{Finding, FindingKind};

use super::explained;

fn crash(stack: &str) -> Finding {
    super::finding(FindingKind::NativeCrash, stack)
}

fn lines(stack: &str) -> Vec<String> {
    explained(&crash(stack))
}

const TOMBSTONE: &str = "*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
Build fingerprint: 'vendor/SIGMA/device:14/UP1A.231005.007/123:user/release-keys'
pid: 4711, tid: 4720, name: RenderThread  >>> com.example.shop <<<
signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0000000000000010
    x0  0000007a1c2b3d40  x1  0000000000000000
backtrace:
      #00 pc 000000000001a2b4  /data/app/~~x7Yz==/com.example.shop-Qq1==/lib/arm64/libgame.so (Engine::draw(int, (anonymous namespace)::Mode)+36) (BuildId: 4f1c2d)
      #01 pc 0000000000020000  /data/app/~~x7Yz==/com.example.shop-Qq1==/base.apk!libgame.so (offset 0x12000) (Java_com_example_shop_Game_draw+20) (BuildId: 4f1c2d)
      #02 pc 0000000000351630  /apex/com.android.art/lib64/libart.so (art_quick_generic_jni_trampoline+144) (BuildId: aa55)
      #03 pc 0000000000010203  /data/app/~~x7Yz==/com.example.shop-Qq1==/oat/arm64/base.odex (com.example.shop.Game.lambda$run$3+84)
      #04 pc 0000000000000000  /memfd:jit-cache (deleted) (com.example.shop.Game.run+200)
      #05 pc 00000000000a1b2c  /system/lib64/libc.so (__start_thread+68)

--- --- --- --- --- --- --- --- --- --- --- --- --- --- --- ---
pid: 4711, tid: 4711, name: example.shop  >>> com.example.shop <<<
      #00 pc 00000000000b0b0b  /data/app/~~x7Yz==/com.example.shop-Qq1==/lib/arm64/libother.so (wait+8)";

#[test]
fn the_signal_and_the_apps_frames_of_the_crashed_thread_count() {
    assert_eq!(
        lines(TOMBSTONE),
        [
            "SIGSEGV",
            "libgame.so Engine::draw(int, (anonymous namespace)::Mode)",
            "libgame.so Java_com_example_shop_Game_draw",
            "com.example.shop.Game.lambda$run",
            "com.example.shop.Game.run",
        ]
    );
}

#[test]
fn addresses_offsets_builds_and_install_paths_do_not_count() {
    let same = TOMBSTONE
        .replace("000000000001a2b4", "00000000000fffff")
        .replace("+36", "+40")
        .replace("4f1c2d", "000000")
        .replace("fault addr 0x0000000000000010", "fault addr 0xdeadbeef")
        .replace("~~x7Yz==/com.example.shop-Qq1==", "com.example.shop-2")
        .replace("lambda$run$3", "lambda$run$4")
        .replace(
            "/memfd:jit-cache (deleted)",
            "[anon:dalvik-classes2.dex extracted in memory from /data/app/x/base.apk!classes2.dex]",
        );
    assert_eq!(lines(&same), lines(TOMBSTONE));
    let logcat: String = TOMBSTONE
        .lines()
        .map(|line| format!("01-31 12:00:00.123  4800  4800 F DEBUG   : {line}\r\n"))
        .collect();
    assert_eq!(lines(&logcat), lines(TOMBSTONE));
    for other in [
        TOMBSTONE.replace("SIGSEGV", "SIGBUS"),
        TOMBSTONE.replace("Engine::draw", "Engine::load"),
    ] {
        assert_ne!(crash(&other).fingerprint(), crash(TOMBSTONE).fingerprint());
    }
}

#[test]
fn without_frames_of_the_app_the_systems_count() {
    let stack = "Fatal signal 6 (SIGABRT), code -1 (SI_QUEUE) in tid 9 (example.shop)
#00  pc 0004e1a8  /system/lib/libc.so (tgkill+12)
#01  pc 0004bfd3  /system/lib/libc.so
#02  pc 00000013  <anonymous:7f1c2b3000>";
    assert_eq!(
        lines(stack),
        ["SIGABRT", "libc.so tgkill", "libc.so", "<anonymous>"]
    );
}

#[test]
fn a_frame_of_the_app_without_a_function_counts_by_build_and_offset() {
    let stack = |first: &str, second: &str| {
        format!(
            "signal 11 (SIGSEGV)
#00 pc {first}  /data/app/~~x7Yz==/com.example.shop-Qq1==/lib/arm64/libgame.so (BuildId: 4f1c2d)
#01 pc {second}  /data/app/~~x7Yz==/com.example.shop-Qq1==/lib/arm64/libgame.so
#02 pc 0004bfd3  /system/lib/libc.so"
        )
    };
    let report = stack("000000000001a2b4", "0000b0");
    let expected = ["SIGSEGV", "libgame.so 4f1c2d+1a2b4", "libgame.so +b0"];
    assert_eq!(lines(&report), expected);
    assert_eq!(lines(&stack("0001a2b4", "b0")), expected);
    assert_ne!(lines(&stack("0001a2b8", "b0")), expected);
    let reinstalled = report.replace("~~x7Yz==/com.example.shop-Qq1==", "com.example.shop-2");
    assert_eq!(lines(&reinstalled), expected);
}

#[test]
fn what_compilers_add_to_a_function_does_not_count() {
    let stack = |function: &str| {
        format!("signal 6 (SIGABRT)\n#00 pc 10 /data/app/x/lib/arm64/libgame.so ({function}+8)")
    };
    for same in [
        "game::draw",
        "game::draw::h0123456789abcdef",
        "game::draw.llvm.4711",
        "game::draw::hfedcba9876543210.llvm.4711",
    ] {
        assert_eq!(
            lines(&stack(same)),
            ["SIGABRT", "libgame.so game::draw"],
            "{same}"
        );
    }
}

#[test]
fn a_report_without_frames_still_has_its_signal() {
    let bare = Finding {
        summary: "Native crash: SIGILL in libgame.so".into(),
        ..crash("")
    };
    assert_eq!(explained(&bare), ["SIGILL"]);
    assert_eq!(lines("nothing to see"), ["unknown signal"]);
}
