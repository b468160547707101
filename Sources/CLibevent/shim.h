// libevent's event-config.h defines _GNU_SOURCE, which changes glibc's fd_set. Other C modules
// (OpenSSL, Dispatch) see the plain one, and Clang rejects two definitions of one type.
// <sys/select.h> must therefore be read before any libevent header: keep it first.
#include <sys/select.h>

#include <event2/event.h>
#include <event2/thread.h>
