//! Mappings as R8's `doc/retrace.md` describes them, and the stacks that they make readable.

use proptest::prelude::*;
use retap_shared::fingerprint::Fingerprint;

use super::*;

const MAPPING: &str = r#"# compiler: R8
# compiler_version: 8.5.35
# min_api: 24
# common_typos_disable
# {"id":"com.android.tools.r8.mapping","version":"2.2"}
# pg_map_id: 59b7a1c
# pg_map_hash: SHA-256 59b7a1c2d3e4f5
com.example.shop.Cart -> a.a:
# {"id":"sourceFile","fileName":"Cart.kt"}
    java.util.List items -> a
    1:1:void checkStock(int):88:88 -> a
    1:1:void add(int):42 -> a
    2:2:void add(int):44:44 -> a
    3:3:void save():60:60 -> a
    3:3:void add(int):47 -> a
    1:4:void total():70:73 -> b
com.example.shop.CartActivity -> com.example.shop.CartActivity:
# {"id":"sourceFile","fileName":"CartActivity.kt"}
    1:1:void onClick(android.view.View):31:31 -> onClick
com.example.shop.CartActivity$$ExternalSyntheticLambda0 -> a.b:
# {"id":"com.android.tools.r8.synthesized"}
    1:1:void onClick(android.view.View):0:0 -> onClick
# {"id":"com.android.tools.r8.synthesized"}
com.example.shop.CartException -> a.c:
    1:1:void <init>(java.lang.String):5:5 -> <init>
com.example.shop.Catalog -> a.d:
# {"id":"sourceFile","fileName":"Catalog.kt"}
    1:1:void foo.bar.Baz.qux():42:42 -> s
    4:4:int outlineCaller(int):98:98 -> s
    5:5:int outlineCaller(int):100:100 -> s
    27:27:int outlineCaller(int):0:0 -> s
# {"id":"com.android.tools.r8.outlineCallsite","positions":{"1":4,"2":5}}
    1:1:void com.example.shop.Price.parse():23:23 -> t
    1:1:void read(com.example.shop.Price):7 -> t
# {"id":"com.android.tools.r8.rewriteFrame","conditions":["throws(Ljava/lang/NullPointerException;)"],"actions":["removeInnerFrames(1)"]}
com.example.shop.Outline -> a.e:
    1:2:int outline() -> a
# {"id":"com.android.tools.r8.outline"}
"#;

fn mapping() -> BuildMapping {
    BuildMapping::parse(Path::new("mapping.txt"), MAPPING.as_bytes()).unwrap()
}

fn crash(stack: &str) -> Finding {
    Finding {
        kind: FindingKind::Crash,
        process: "com.example.shop".into(),
        summary: stack.lines().next().unwrap_or_default().into(),
        stack: stack.into(),
    }
}

fn frames(stack: &str) -> Vec<String> {
    let retraced = mapping().retrace(&crash(stack)).unwrap().stack;
    let frames = retraced.lines().map(|line| line.trim().to_owned());
    frames.collect()
}

#[test]
fn classes_methods_lines_and_inlined_methods_are_named_as_in_the_source() {
    let stack = "a.c: out of stock
\tat a.a.a(SourceFile:1)
\tat com.example.shop.CartActivity.onClick(SourceFile:1)
\tat android.view.View.performClick(View.java:7448)";
    assert_eq!(
        frames(stack),
        [
            "com.example.shop.CartException: out of stock",
            "at com.example.shop.Cart.checkStock(Cart.kt:88)",
            "at com.example.shop.Cart.add(Cart.kt:42)",
            "at com.example.shop.CartActivity.onClick(CartActivity.kt:31)",
            "at android.view.View.performClick(View.java:7448)",
        ]
    );
    let summary = mapping().retrace(&crash(stack)).unwrap().summary;
    assert_eq!(summary, "com.example.shop.CartException: out of stock");
}

#[test]
fn outlines_and_rewritten_frames_follow_the_format() {
    let outlined =
        "java.lang.IllegalStateException: no\n\tat a.e.a(SourceFile:1)\n\tat a.d.s(SourceFile:27)";
    assert_eq!(
        frames(outlined)[1..],
        ["at com.example.shop.Catalog.outlineCaller(Catalog.kt:98)"]
    );
    let thrown = |class: &str| format!("{class}: no\n\tat a.d.t(SourceFile:1)");
    assert_eq!(
        frames(&thrown("java.lang.NullPointerException"))[1..],
        ["at com.example.shop.Catalog.read(Catalog.kt:7)"]
    );
    assert_eq!(frames(&thrown("java.lang.IllegalStateException")).len(), 3);
}

#[test]
fn the_identity_is_that_of_a_build_that_is_not_obfuscated() {
    let plain = "com.example.shop.CartException: out of stock
\tat com.example.shop.Cart.checkStock(Cart.kt:90)
\tat com.example.shop.Cart.add(Cart.kt:44)
\tat com.example.shop.CartActivity.onClick(CartActivity.kt:33)
\tat android.view.View.performClick(View.java:7448)";
    let obfuscated = "a.c: 3 left
\tat a.a.a(SourceFile:1)
\tat com.example.shop.CartActivity.onClick(SourceFile:1)
\tat a.b.onClick(SourceFile:1)
\tat android.view.View.performClick(View.java:7448)";
    let retraced = mapping().retrace(&crash(obfuscated)).unwrap();
    assert_eq!(
        Fingerprint::explain(&retraced),
        Fingerprint::explain(&crash(plain))
    );
    let elsewhere = obfuscated.replace("a.a.a(SourceFile:1)", "a.a.a(SourceFile:3)");
    let elsewhere = mapping().retrace(&crash(&elsewhere)).unwrap();
    assert_ne!(elsewhere.fingerprint(), retraced.fingerprint());
}

#[test]
fn frames_that_a_cause_shares_are_counted_as_they_are_shown() {
    let stack = "java.lang.RuntimeException: wrapped
\tat a.a.b(SourceFile:1)
\tat a.a.a(SourceFile:1)
\tat com.example.shop.CartActivity.onClick(SourceFile:1)
Caused by: a.c: out of stock
\tat a.a.a(SourceFile:3)
\t... 2 more";
    let shown = frames(stack);
    assert_eq!(shown.last().unwrap(), "... 3 more");
    let retraced = mapping().retrace(&crash(stack)).unwrap();
    assert_eq!(
        Fingerprint::explain(&retraced)[1..],
        [
            "com.example.shop.CartException",
            "com.example.shop.Cart.save",
            "com.example.shop.Cart.add",
            "com.example.shop.Cart.checkStock",
            "com.example.shop.CartActivity.onClick",
        ]
    );
}

#[test]
fn a_mapping_of_another_build_is_reported_and_leaves_the_stack_alone() {
    let other_id = "a.c: no\n\tat a.a.a(r8-map-id-0badc0de:1)";
    let mismatch = mapping().retrace(&crash(other_id)).unwrap_err();
    assert_eq!(
        mismatch.to_string(),
        "the mapping `mapping.txt` is of another build: its id is 59b7a1c, the stack was made by 0badc0de"
    );
    let same_id = "a.c: no\n\tat a.a.a(r8-map-id-59b7a1c2d3e4f5:1)";
    assert!(mapping().retrace(&crash(same_id)).is_ok());
    let unknown =
        "java.lang.Error: no\n\tat z.z.z(SourceFile:1)\n\tat android.os.Handler.a(Handler.java:1)";
    assert!(matches!(
        mapping().retrace(&crash(unknown)),
        Err(MappingMismatch::UnknownClasses { .. })
    ));
    let of_framework = "java.lang.Error: no\n\tat android.os.Handler.a(Handler.java:1)";
    assert!(mapping().retrace(&crash(of_framework)).is_ok());
}

#[test]
fn a_file_that_is_no_mapping_is_refused_by_name() {
    for text in [
        "",
        "hello",
        "{}\n",
        "# compiler: R8\n",
        "a.b -> c:\n",
        "-keep class a.b\n",
    ] {
        let error = BuildMapping::parse(Path::new("x.txt"), text.as_bytes()).unwrap_err();
        assert!(
            matches!(error, MappingError::NotAMapping { .. }) && error.exit() == CommandExit::Usage,
            "{text:?}: {error}"
        );
    }
    let missing = BuildMapping::read(Path::new("no/such/mapping.txt")).unwrap_err();
    assert!(missing.to_string().contains("no/such/mapping.txt"));
}

proptest! {
    #[test]
    fn no_mapping_and_no_stack_makes_the_reader_fail(
        lines in prop::collection::vec(
            prop_oneof![
                Just("a.B -> a.a:".to_owned()),
                "( {4})?[0-9]{0,3}:[0-9]{0,12}:void [a-z]{1,3}\\(\\):[0-9]{0,3}(:[0-9]{0,3})? -> [a-z<>]{1,3}",
                "# \\{\"id\":\"com.android.tools.r8.(outline|outlineCallsite|synthesized|rewriteFrame)\"[a-z:,\\[\\]{}\"0-9]{0,30}",
                any::<String>(),
            ],
            0..12,
        ),
        stack in prop::collection::vec(
            prop_oneof![
                "\tat a.a.[a-z]{1,3}\\(SourceFile(:[0-9]{1,5})?\\)",
                "(Caused by: |\t... )[0-9a-z. ]{0,9}( more)?",
                any::<String>(),
            ],
            0..12,
        ),
    ) {
        let text = format!("a.A -> a.a:\n    void m() -> m\n{}", lines.join("\n"));
        let mapping = BuildMapping::parse(Path::new("m"), text.as_bytes()).unwrap();
        let _ = mapping.retrace(&crash(&stack.join("\n")));
    }
}
