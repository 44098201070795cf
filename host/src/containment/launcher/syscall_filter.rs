//! System calls that an app never needs: those that change the system, look into other processes, make namespaces, or
//! are known as ways out. Sockets are limited to the kinds that reach nobody.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

use super::LauncherError;

/// Sockets that a program may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SocketAccess {
    /// Those of the internet and of Unix: the network around the program is its own.
    OwnNetwork,
    /// Unix sockets that wait for others. None that connects.
    NobodyReached,
}

const REFUSED: [i64; 52] = [
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kcmp,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_lookup_dcookie,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_personality,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
    libc::SYS_landlock_create_ruleset,
];

/// Calls with these numbers are those of x86-64 in another form.
#[cfg(target_arch = "x86_64")]
const OTHER_FORM: i64 = 0x4000_0000;
/// The kind of a socket without its flags.
const SOCKET_KIND: u64 = 0xf;

type SyscallRules = BTreeMap<i64, Vec<SeccompRule>>;

/// Filters the calls of this process and of those that it will start.
pub(super) fn apply(sockets: SocketAccess) -> Result<(), LauncherError> {
    let filtered = filters(sockets).and_then(|filters| {
        filters
            .iter()
            .try_for_each(|filter| Ok(seccompiler::apply_filter(filter)?))
    });
    filtered
        .map_err(io::Error::other)
        .map_err(LauncherError::at("filter its system calls"))
}

fn filters(sockets: SocketAccess) -> Result<Vec<BpfProgram>, FilterError> {
    let mut refused: SyscallRules = REFUSED.map(|call| (call, Vec::new())).into();
    // As `unshare` could: a user namespace gives rights that the program must not have.
    let new_user = masked(0, libc::CLONE_NEWUSER as u64, libc::CLONE_NEWUSER as u64)?;
    refused.insert(libc::SYS_clone, vec![SeccompRule::new(vec![new_user])?]);
    Ok(vec![
        compile(refused, libc::EPERM)?,
        compile(socket_rules(sockets)?, libc::EACCES)?,
        // Its flags are in memory, where no filter sees them. Libraries fall back to `clone`.
        compile([(libc::SYS_clone3, Vec::new())].into(), libc::ENOSYS)?,
    ])
}

fn socket_rules(access: SocketAccess) -> Result<SyscallRules, FilterError> {
    let is_other = |family: libc::c_int| condition(0, SeccompCmpOp::Ne, family as u64);
    let unix = is_other(libc::AF_UNIX)?;
    match access {
        SocketAccess::OwnNetwork => {
            let families = vec![unix, is_other(libc::AF_INET)?, is_other(libc::AF_INET6)?];
            Ok([(libc::SYS_socket, vec![SeccompRule::new(families)?])].into())
        }
        SocketAccess::NobodyReached => {
            let mut rules = vec![SeccompRule::new(vec![unix])?];
            // They would reach others without connecting.
            for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_SEQPACKET] {
                rules.push(SeccompRule::new(vec![masked(
                    1,
                    SOCKET_KIND,
                    kind as u64,
                )?])?);
            }
            Ok([(libc::SYS_socket, rules), (libc::SYS_connect, Vec::new())].into())
        }
    }
}

fn masked(argument: u8, mask: u64, value: u64) -> Result<SeccompCondition, FilterError> {
    condition(argument, SeccompCmpOp::MaskedEq(mask), value)
}

fn condition(argument: u8, is: SeccompCmpOp, value: u64) -> Result<SeccompCondition, FilterError> {
    Ok(SeccompCondition::new(
        argument,
        SeccompCmpArgLen::Dword,
        is,
        value,
    )?)
}

fn compile(mut rules: SyscallRules, answer: libc::c_int) -> Result<BpfProgram, FilterError> {
    #[cfg(target_arch = "x86_64")]
    rules.extend(
        rules
            .clone()
            .into_iter()
            .map(|(call, rules)| (call | OTHER_FORM, rules)),
    );
    let filter = SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(answer as u32),
        std::env::consts::ARCH.try_into()?,
    )?;
    Ok(filter.try_into()?)
}

#[derive(Debug, thiserror::Error)]
enum FilterError {
    #[error(transparent)]
    Rule(#[from] seccompiler::BackendError),
    #[error(transparent)]
    Install(#[from] seccompiler::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_compile_for_this_machine() {
        for sockets in [SocketAccess::OwnNetwork, SocketAccess::NobodyReached] {
            let filters = filters(sockets).unwrap();
            assert_eq!(filters.len(), 3, "{sockets:?}");
        }
    }
}
