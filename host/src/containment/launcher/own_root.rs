//! A file system of its own: the system's folders and those that were named, all read-only, a few devices, and a writable
//! folder in memory. Nothing else of this machine has a name in it.

use std::ffi::{CString, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, MountPropagationFlags, UnmountFlags};

use super::namespaces::ProgramUser;
use super::{DEVICES, LauncherError, SYSTEM_FOLDERS, limits};
use crate::containment::{LaunchRequest, OWN_FOLDER};

/// Most files in the writable folder.
const FILES: u32 = 100_000;

/// Makes the file system and moves this process into it. The old one stays at the working directory until
/// [`leave_old_root`].
pub(super) fn enter(request: &LaunchRequest, user: ProgramUser) -> Result<(), LauncherError> {
    let root = request.folder.as_path();
    // What is mounted from here on stays in this namespace.
    rustix::mount::mount_change(
        "/",
        MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC,
    )
    .map_err(LauncherError::at("separate its mounts"))?;
    mount_memory(root, "size=1m,mode=0755").map_err(LauncherError::at("mount its root"))?;
    for folder in SYSTEM_FOLDERS {
        show(root, Path::new(folder))?;
    }
    for folder in &request.readable {
        show(root, folder)?;
    }
    for device in DEVICES {
        show_file(root, Path::new(device))?;
    }
    make_writable_folder(root, user)?;
    make_read_only(root)?;
    move_into(root).map_err(LauncherError::at("enter its root"))
}

/// Shows a folder of this machine under its own name. What is not there is left out.
fn show(root: &Path, folder: &Path) -> Result<(), LauncherError> {
    let failed = || LauncherError::at(format!("show `{}`", folder.display()));
    let inside = root.join(folder.strip_prefix("/").unwrap_or(folder));
    if fs::exists(&inside).unwrap_or(false) {
        return Ok(());
    }
    let about = match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        about => about.map_err(failed())?,
    };
    if about.is_symlink() {
        let target = fs::read_link(folder).map_err(failed())?;
        return std::os::unix::fs::symlink(target, inside).map_err(failed());
    }
    fs::create_dir_all(&inside).map_err(failed())?;
    rustix::mount::mount_bind_recursive(folder, &inside)
        .map_err(io::Error::from)
        .map_err(failed())
}

fn show_file(root: &Path, file: &Path) -> Result<(), LauncherError> {
    let failed = || LauncherError::at(format!("show `{}`", file.display()));
    let inside = root.join(file.strip_prefix("/").unwrap_or(file));
    if let Some(folder) = inside.parent() {
        fs::create_dir_all(folder).map_err(failed())?;
    }
    fs::write(&inside, "").map_err(failed())?;
    rustix::mount::mount_bind(file, &inside)
        .map_err(io::Error::from)
        .map_err(failed())
}

/// In memory, because only there the kernel counts what is in a folder. A full one is a full disk to the app.
fn make_writable_folder(root: &Path, user: ProgramUser) -> Result<(), LauncherError> {
    let failed = || LauncherError::at("make its folder");
    let folder = root.join(OWN_FOLDER.trim_start_matches('/'));
    fs::create_dir(&folder).map_err(failed())?;
    let owner = match user {
        ProgramUser::Same => String::new(),
        ProgramUser::Spare(id) => format!(",uid={id},gid={id}"),
    };
    let size = limits::FILE_SIZE;
    mount_memory(
        &folder,
        &format!("size={size},nr_inodes={FILES},mode=0700{owner}"),
    )
    .map_err(failed())?;
    fs::create_dir(root.join("proc")).map_err(failed())?;
    let temporary = root.join("tmp");
    match fs::exists(&temporary) {
        // Something in it was named to be readable.
        Ok(true) => Ok(()),
        _ => std::os::unix::fs::symlink(format!("{OWN_FOLDER}/tmp"), temporary).map_err(failed()),
    }
}

fn mount_memory(place: &Path, options: &str) -> io::Result<()> {
    let options = CString::new(options)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    Ok(rustix::mount::mount(
        "tmpfs",
        place,
        "tmpfs",
        flags,
        options.as_c_str(),
    )?)
}

/// All that is mounted below the root, and the root itself. Folders bring along what is mounted in them.
fn make_read_only(root: &Path) -> Result<(), LauncherError> {
    let failed = || LauncherError::at("make its files read-only");
    let root = root.canonicalize().map_err(failed())?;
    let table = fs::read("/proc/self/mountinfo").map_err(failed())?;
    let writable = root.join(OWN_FOLDER.trim_start_matches('/'));
    let devices = root.join("dev");
    for line in table.split(|byte| *byte == b'\n') {
        let Some((place, flags)) = mount_of(line) else {
            continue;
        };
        if place.starts_with(&root) && !place.starts_with(&writable) && !place.starts_with(&devices)
        {
            let flags = flags | MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID;
            rustix::mount::mount_remount(&place, flags, "")
                .map_err(io::Error::from)
                .map_err(failed())?;
        }
    }
    Ok(())
}

/// Place and flags of a line of `mountinfo`. Flags that somebody with more rights has set must be kept.
fn mount_of(line: &[u8]) -> Option<(PathBuf, MountFlags)> {
    let mut fields = line.split(|byte| *byte == b' ').skip(4);
    let place = PathBuf::from(OsString::from_vec(unescape(fields.next()?)));
    let flags = fields
        .next()?
        .split(|byte| *byte == b',')
        .map(|option| match option {
            b"nosuid" => MountFlags::NOSUID,
            b"nodev" => MountFlags::NODEV,
            b"noexec" => MountFlags::NOEXEC,
            b"noatime" => MountFlags::NOATIME,
            b"nodiratime" => MountFlags::NODIRATIME,
            b"relatime" => MountFlags::RELATIME,
            b"nosymfollow" => MountFlags::NOSYMFOLLOW,
            _ => MountFlags::empty(),
        });
    Some((place, flags.collect()))
}

/// Blanks and the like are written as a backslash and three octal digits.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let code = after
            .get(..3)
            .filter(|_| *first == b'\\')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    bytes
}

fn move_into(root: &Path) -> io::Result<()> {
    rustix::process::chdir(root)?;
    Ok(rustix::process::pivot_root(".", ".")?)
}

/// Takes the old file system away. The first process of a namespace does it, after it has mounted its list of processes:
/// users other than root may do that only where they see another such list.
pub(super) fn leave_old_root() -> Result<(), LauncherError> {
    rustix::mount::unmount(".", UnmountFlags::DETACH)
        .and_then(|()| rustix::process::chdir(OWN_FOLDER))
        .map_err(LauncherError::at("leave the machine's files"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_flags_of_mounts_are_read_from_the_kernels_table() {
        let line =
            br"36 35 98:0 /mnt1 /my\040folder/x rw,nosuid,noatime master:1 - ext3 /dev/root rw";
        let (place, flags) = mount_of(line).unwrap();
        assert_eq!(place, Path::new("/my folder/x"));
        assert_eq!(flags, MountFlags::NOSUID | MountFlags::NOATIME);
        assert_eq!(mount_of(b""), None);
    }
}
