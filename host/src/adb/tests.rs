//! Against programs that only look like adb, and servers that only look like its server.

use std::os::unix::fs::symlink;
use std::path::Path;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

/// Links the fake adb under a name. It behaves as its name says.
fn program(place: &TempDir, name: &str) -> OsString {
    let path = place.path().join(name);
    symlink(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("src/adb/tests/fake-adb"),
        &path,
    )
    .unwrap();
    path.into()
}

/// A server that answers every request with these bytes.
async fn server(answer: &'static [u8]) -> AdbServer {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = listener.local_addr().unwrap().to_string().parse().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = [0; 16];
            stream.read_exact(&mut asked).await.unwrap();
            assert_eq!(&asked, b"000chost:version");
            stream.write_all(answer).await.unwrap();
        }
    });
    server
}

async fn opened(name: &str, answer: &'static [u8]) -> Result<Adb, AdbError> {
    let place = tempfile::tempdir().unwrap();
    Adb::with(program(&place, name), server(answer).await).await
}

const VERSION_41: &[u8] = b"OKAY00040029";

async fn works(place: &TempDir) -> Adb {
    Adb::with(program(place, "adb"), server(VERSION_41).await)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_server_of_another_version_is_left_alone() {
    let error = opened("adb", b"OKAY00040028").await.unwrap_err();
    assert!(
        matches!(
            error,
            AdbError::VersionMismatch {
                running: 40,
                own: 41,
                ..
            }
        ),
        "{error}"
    );
    assert!(opened("adb", VERSION_41).await.is_ok());
}

#[tokio::test]
async fn without_a_server_the_program_may_start_its_own_but_not_on_another_machine() {
    let place = tempfile::tempdir().unwrap();
    let free = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let here: AdbServer = format!("localhost:{free}").parse().unwrap();
    let adb = program(&place, "adb");
    assert!(Adb::with(adb.clone(), here).await.is_ok());
    let there: AdbServer = format!("127.0.0.1:{free}").parse().unwrap();
    let error = Adb::with(adb, there).await.unwrap_err();
    assert!(matches!(error, AdbError::NoServer { .. }), "{error}");
}

#[tokio::test]
async fn programs_that_are_no_adb_are_named() {
    let error = opened("garbage", VERSION_41).await.unwrap_err();
    assert!(matches!(error, AdbError::MalformedAnswer { .. }), "{error}");
    let error = opened("endless", VERSION_41).await.unwrap_err();
    assert!(matches!(error, AdbError::MalformedAnswer { .. }), "{error}");
    let error = opened("broken", VERSION_41).await.unwrap_err();
    assert!(
        matches!(&error, AdbError::Failed { why, .. } if why == "adb: cannot be"),
        "{error}"
    );
    let none = Adb::with("/nowhere/adb".into(), server(VERSION_41).await)
        .await
        .unwrap_err();
    assert!(matches!(none, AdbError::Run { .. }), "{none}");
    assert!(none.help().contains("install adb"));
}

#[tokio::test]
async fn a_program_that_hangs_is_not_waited_for() {
    let error = opened("hangs", VERSION_41).await.unwrap_err();
    assert!(matches!(error, AdbError::TimedOut { .. }), "{error}");
}

#[tokio::test]
async fn servers_that_are_not_adbs_are_named() {
    for answer in [
        &b"HTTP/1.1 400 Bad Request\r\n"[..],
        b"FAIL0004nope",
        b"OKAYzzzz",
        b"OKAYffff",
        b"OKAY0004wxyz",
    ] {
        let error = opened("adb", answer).await.unwrap_err();
        assert!(matches!(error, AdbError::MalformedAnswer { .. }), "{error}");
    }
    let error = opened("adb", b"OKAY").await.unwrap_err();
    assert!(
        matches!(
            error,
            AdbError::TimedOut { .. } | AdbError::MalformedAnswer { .. }
        ),
        "{error}"
    );
}

#[tokio::test]
async fn only_a_phone_that_is_ready_is_given_out() {
    let place = tempfile::tempdir().unwrap();
    let adb = works(&place).await;
    assert_eq!(adb.phone("my phone").await.unwrap().serial(), "my phone");
    let error = adb.phone("locked").await.unwrap_err();
    assert!(
        matches!(
            error,
            AdbError::NotReady {
                state: AdbState::Unauthorized,
                ..
            }
        ),
        "{error}"
    );
    assert!(error.help().contains("allow USB debugging"));
    let error = adb.phone("my").await.unwrap_err();
    assert!(
        error.to_string().contains("it has `my phone` and `locked`"),
        "{error}"
    );
}

#[tokio::test]
async fn a_failure_of_the_command_is_distinguished_from_one_of_adb() {
    let place = tempfile::tempdir().unwrap();
    let phone = works(&place).await.phone("my phone").await.unwrap();
    let answer = phone.shell("fail", None).await.unwrap();
    assert_eq!(
        (answer.code, answer.out.as_str(), answer.err.as_str()),
        (3, "said\n", "complained\n")
    );
    let error = phone.shell("gone", None).await.unwrap_err();
    assert!(matches!(error, AdbError::Failed { .. }), "{error}");
    assert_eq!(
        phone.shell("cat", Some(b"secret")).await.unwrap().out,
        "secret"
    );
    assert_eq!(
        phone.property("ro.product.cpu.abi").await.unwrap(),
        "x86_64"
    );
    assert_eq!(
        phone.forward("retap").await.unwrap().to_string(),
        "127.0.0.1:4711"
    );
}

#[tokio::test]
async fn an_old_phone_s_commands_have_exit_codes_too() {
    let place = tempfile::tempdir().unwrap();
    let adb = Adb::with(program(&place, "old-adb"), server(VERSION_41).await)
        .await
        .unwrap();
    let phone = adb.phone("my phone").await.unwrap();
    let answer = phone.shell("fail", None).await.unwrap();
    assert_eq!(
        (answer.code, answer.out.as_str()),
        (3, "said\ncomplained\n")
    );
    assert_eq!(
        phone.property("ro.product.cpu.abi").await.unwrap(),
        "x86_64"
    );
    assert!(phone.shell("gone", None).await.is_err());
}

#[tokio::test]
async fn an_app_that_the_phone_refuses_is_an_error_with_its_message() {
    let place = tempfile::tempdir().unwrap();
    let phone = works(&place).await.phone("my phone").await.unwrap();
    phone.install(Path::new("app.apk"), 10).await.unwrap();
    let error = phone.install(Path::new("broken.apk"), 0).await.unwrap_err();
    assert!(
        error.adb_message().unwrap().contains("UPDATE_INCOMPATIBLE"),
        "{error}"
    );
}

#[test]
fn addresses_of_servers_are_read_or_refused() {
    for (text, arguments) in [
        ("localhost:5037", &[][..]),
        ("localhost:5038", &["-P", "5038"]),
        ("192.168.1.7:5037", &["-H", "192.168.1.7", "-P", "5037"]),
        ("[::1]:5037", &["-H", "::1", "-P", "5037"]),
    ] {
        assert_eq!(
            text.parse::<AdbServer>().unwrap().arguments(),
            arguments,
            "{text}"
        );
    }
    for text in [
        "",
        "5037",
        "host",
        "host:5037",
        "127.0.0.1:",
        "127.0.0.1:70000",
        "1.2.3:5037",
    ] {
        assert!(
            matches!(text.parse::<AdbServer>(), Err(AdbError::Address(_))),
            "{text}"
        );
    }
}
