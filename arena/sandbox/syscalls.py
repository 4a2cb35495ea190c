"""The system calls a bot may make, by group. Everything else answers ENOSYS.

An allow-list: a call the kernel learns tomorrow is refused until somebody adds it here. ENOSYS
rather than EPERM, so that libraries fall back as on an older kernel (``clone3`` does to
``clone``). What is left out on purpose, and why, stands at the end.
"""

from __future__ import annotations

import errno
import socket
from typing import NamedTuple

FILES = """
    access chdir chmod close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2
    fallocate fchdir fchmod fchmodat fchmodat2 fstat fstat64 fstatat64 fstatfs fstatfs64 ftruncate
    ftruncate64 futimesat getcwd getdents getdents64 link linkat llseek lseek lstat lstat64 mkdir
    mkdirat newfstatat open openat openat2 pread64 preadv pwrite64 pwritev read readlink
    readlinkat readv rename renameat renameat2 rmdir sendfile sendfile64 stat stat64 statfs
    statfs64 statx symlink symlinkat truncate truncate64 umask unlink unlinkat utime utimensat
    utimensat_time64 utimes write writev
"""
MEMORY = """
    brk madvise membarrier mprotect mremap munmap pkey_alloc pkey_free pkey_mprotect
"""
PROCESSES = """
    arch_prctl execve exit exit_group fork futex futex_time64 futex_waitv get_robust_list
    getpgid getpgrp getpid getppid getpriority getsid gettid kill rseq sched_get_priority_max
    sched_get_priority_min sched_getaffinity sched_getparam sched_getscheduler sched_yield
    set_robust_list set_thread_area set_tid_address setpgid setsid tgkill tkill vfork wait4 waitid
    waitpid
"""
IDENTITY = """
    capget getegid geteuid getgid getgroups getresgid getresuid getrlimit getrusage getuid
    times ugetrlimit uname
"""
SIGNALS = """
    pause restart_syscall rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn
    rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo sigaltstack signalfd
    signalfd4 sigreturn
"""
TIME = """
    alarm clock_getres clock_getres_time64 clock_gettime clock_gettime64 clock_nanosleep
    clock_nanosleep_time64 getitimer gettimeofday nanosleep setitimer time timer_create
    timer_delete timer_getoverrun timer_gettime timer_gettime64 timer_settime timer_settime64
    timerfd_create timerfd_gettime timerfd_gettime64 timerfd_settime timerfd_settime64
"""
WAITING = """
    epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 pipe
    pipe2 poll ppoll ppoll_time64 pselect6 pselect6_time64 select
"""
SOCKETS = """
    accept accept4 bind connect getpeername getsockname getsockopt listen recv recvfrom recvmmsg
    recvmsg send sendmmsg sendmsg sendto setsockopt shutdown
"""
OTHER = "getcpu getrandom"

ALLOWED = tuple(
    sorted(
        {
            name
            for group in (
                *(FILES, MEMORY, PROCESSES, IDENTITY, SIGNALS, TIME, WAITING, SOCKETS, OTHER),
            )
            for name in group.split()
        }
    )
)

_MAP_HUGETLB = 0x4_0000
_MFD_HUGETLB = 0x4
_CLONE_NEW_ANY = 0x7E02_0000
_RLIMIT_CORE = 4
_LOCKS = (5, 6, 7, 36, 37, 38)
_FCNTL = (0, 1, 2, 3, 4, 1030, 1031, 1032, 1033, 1034)  # dup, flags, pipe size, seals
_IOCTL = (0x5401, 0x5411, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # is it a terminal, how much
_PRCTL = (1, 2, 3, 15, 16, 21, 23, 27, 29, 30, 38, 39)  # names, death signal, reading of rights


class When(NamedTuple):
    """A condition on one argument of a call: "is", "is not", or "has none of" the bits."""

    argument: int
    test: str
    value: int


class Rule(NamedTuple):
    """A call that is allowed, or answered with an error number, when all conditions hold.

    Where no rule of a call holds it answers ENOSYS like any unlisted call.
    """

    name: str
    when: tuple[When, ...]
    answer: int | None = None


def _one_of(name: str, argument: int, values: tuple[int, ...]) -> tuple[Rule, ...]:
    return tuple(Rule(name, (When(argument, "is", value),)) for value in values)


def _family(name: str) -> tuple[Rule, ...]:
    unix = socket.AF_UNIX
    return (
        Rule(name, (When(0, "is", unix),)),
        Rule(name, (When(0, "is not", unix),), errno.EAFNOSUPPORT),
    )


def _control(name: str) -> tuple[Rule, ...]:
    locks = (Rule(name, (When(1, "is", lock),), errno.EACCES) for lock in _LOCKS)
    return (*_one_of(name, 1, _FCNTL), *locks)


RULES = (
    # Only Unix sockets: no network, no netlink, no packet, no crypto, no AF_VSOCK to a hypervisor
    # or to another sandbox (a network namespace does not stop that one).
    *_family("socket"),
    *_family("socketpair"),
    # Threads and children, but no new namespace. clone3 hides its flags from a filter.
    Rule("clone", (When(0, "has none of", _CLONE_NEW_ANY),)),
    # File locks, leases and change notices work across sandboxes on shared read-only files.
    *_control("fcntl"),
    *_control("fcntl64"),
    # Huge pages are counted by no memory limit.
    Rule("mmap", (When(3, "has none of", _MAP_HUGETLB),)),
    Rule("mmap2", (When(3, "has none of", _MAP_HUGETLB),)),
    Rule("memfd_create", (When(1, "has none of", _MFD_HUGETLB),)),
    # No faked terminal input (TIOCSTI), no device controls.
    *_one_of("ioctl", 1, _IOCTL),
    *_one_of("prctl", 0, _PRCTL),
    # Limits of oneself only, and the one on core dumps may only be read. It is 1 byte: a limit of
    # 0 does not keep the kernel from running the host's core dump program, 1 does.
    Rule("prlimit64", (When(0, "is", 0), When(1, "is not", _RLIMIT_CORE))),
    Rule("prlimit64", (When(0, "is", 0), When(1, "is", _RLIMIT_CORE), When(2, "is", 0))),
    Rule("setrlimit", (When(0, "is not", _RLIMIT_CORE),)),
)

# These answer something else than ENOSYS without being carried out. A lock says "locked", which
# libraries understand. Flushing says "done": a seat's own files are in memory, and a flush of the
# host's read-only files would make the host's disk work.
ANSWERED = {"flock": errno.EACCES, "fsync": 0, "fdatasync": 0, "msync": 0}

# For a program that starts as root inside and becomes the seat's user there. Once it is, with no
# capabilities and no new privileges, these can do nothing any more.
BECOMING = ("capset", "setgroups", "setresgid", "setresuid")
BECOMING_RULES = _one_of("prctl", 0, (8, 24, 28, 47))

# Left out on purpose:
#   clone3 unshare setns mount* umount* pivot_root chroot   namespaces and mounts
#   ptrace process_vm_* process_madvise kcmp pidfd_*        a bot could stop its own first process
#   io_uring_*                                              performs calls that no filter sees
#   bpf perf_event_open userfaultfd seccomp landlock_*      kernel attack surface
#   keyctl add_key request_key                              keyrings are not namespaced
#   flock lease inotify_* fanotify_*                        channels through shared files
#   mincore cachestat preadv2 readahead fadvise64           the page cache as a channel
#   sysinfo syslog                                          load and memory of the host
#   splice tee vmsplice sync*                               page tricks, host-wide flushing
#   shm* sem* msg* mq_*                                     System V and POSIX queues
#   set*id set*groups capset personality                    identity
#   sched_set* setpriority ioprio_set mlock* mbind          scheduling and placing
#   swapon reboot *module kexec_* quotactl acct iopl ...    administration
