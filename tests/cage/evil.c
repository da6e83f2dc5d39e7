/* An engine that tries what no engine may do: it is started with `describe` or `run`, and a folder that is not its own. Each try is a
   line of stderr: its name, and `refused` or `done`. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#define TRY(name, call) fprintf(stderr, "%s: %s\n", name, (call) >= 0 ? "done" : "refused")

static const char *root;
static pid_t parent;

static const char *at(const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

static struct sockaddr_un address(void) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    strncpy(address.sun_path, at("listener"), sizeof address.sun_path - 1);
    return address;
}

static int type_into_screens(int socket) {
    struct sockaddr_un to = address();
    return socket < 0 ? -1 : connect(socket, (struct sockaddr *)&to, sizeof to);
}

static int type_by_a_pair(void) {
    int pair[2];
    struct sockaddr_un to = address();
    strcat(to.sun_path, "-datagrams");
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0) return -1;
    return connect(pair[0], (struct sockaddr *)&to, sizeof to);
}

static int limit_parent(void) {
    struct rlimit none = { 0, 0 };
    return prlimit(parent, RLIMIT_FSIZE, &none, NULL);
}

static int pin_parent(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    return sched_setaffinity(parent, sizeof one, &one);
}

static int set_flags(void) {
    int flags = FS_NOATIME_FL, file = open(at("mine"), O_RDONLY);
    return ioctl(file, FS_IOC_SETFLAGS, &flags);
}

static int read_parent(void) {
    char byte;
    static char here;
    struct iovec to = { &byte, 1 }, from = { &here, 1 };
    /* EFAULT is the address's: the parent was reached. */
    return process_vm_readv(parent, &to, 1, &from, 1, 0) < 0 && errno != EFAULT ? -1 : 0;
}

static int hide_a_child(void) {
    if (fork() == 0) {
        setsid();
        char *arguments[] = { "sleep", "600", NULL }, *environment[] = { NULL };
        fprintf(stderr, "child %d\n", getpid());
        execve("/bin/sleep", arguments, environment);
        execve("/usr/bin/sleep", arguments, environment);
        _exit(1);
    }
    return 0;
}

int main(int count, char **words) {
    if (count < 3) return 2;
    root = words[2];
    parent = getppid();
    if (strcmp(words[1], "describe") == 0) {
        puts("{\"protocol\": 1, \"name\": \"evil\", \"about\": \"x\", \"version\": \"1\", \"suites\": [\"kv\"], \"options\": [], "
             "\"tiers\": []}");
        return 0;
    }
    int file = open(at("mine"), O_RDONLY);
    TRY("type into screens", type_into_screens(socket(AF_UNIX, SOCK_STREAM, 0)));
    TRY("type by a pair", type_by_a_pair());
    TRY("rings", syscall(SYS_io_uring_setup, 1, at("nothing")) < 0 && errno == EPERM ? -1 : 0);
    TRY("limit its parent", limit_parent());
    TRY("pin its parent", pin_parent());
    TRY("slow its parent down", setpriority(PRIO_PROCESS, parent, 19));
    TRY("change its parent's group", setpriority(PRIO_PGRP, getpgid(parent), getpriority(PRIO_PGRP, getpgid(parent))));
    TRY("mode", chmod(at("mine"), 0777));
    TRY("mode by descriptor", fchmod(file, 0777));
    TRY("owner", chown(at("mine"), getuid(), getgid()));
    TRY("owner by descriptor", fchown(file, getuid(), getgid()));
    TRY("attribute", setxattr(at("mine"), "user.evil", "1", 1, 0));
    TRY("attribute by descriptor", fsetxattr(file, "user.evil", "1", 1, 0));
    TRY("flags", set_flags());
    TRY("trace its parent", ptrace(PTRACE_SEIZE, parent, 0, 0));
    TRY("read its parent", read_parent());
    TRY("signal its parent", kill(parent, 0));
    TRY("signal a thread of its parent", syscall(SYS_tgkill, parent, parent, 0));
    TRY("write", open(at("mine"), O_WRONLY));
    TRY("remove", unlink(at("mine")));
    /* No kernel tells this lock from that of an engine's own file. */
    flock(file, LOCK_EX | LOCK_NB);
    hide_a_child();
    usleep(50000);
    puts("{\"event\":\"failed\",\"test\":null,\"message\":\"it tried\",\"database_usable\":true}");
    return 1;
}
