// libevent's event-config.h defines _GNU_SOURCE, which changes glibc's fd_set. Other C modules
// (OpenSSL, Dispatch) see the plain one, and Clang rejects two definitions of one type.
// <sys/select.h> must therefore be read before any libevent header: keep it first.
#include <sys/select.h>

#include <event2/event.h>
#include <event2/thread.h>

#include <sys/eventfd.h>
#include <sys/socket.h>

// accept4 is declared by glibc only under _GNU_SOURCE, which must stay off here (see above).
extern int accept4(int, struct sockaddr *, socklen_t *, int);

// Takes a connection that is non-blocking and not inherited by child programs, in one call.
static inline int clibevent_accept(int fd, struct sockaddr *address, socklen_t *length) {
    return accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// A counter that wakes a loop when another thread writes to it.
static inline int clibevent_wakeup_descriptor(void) {
    return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}
