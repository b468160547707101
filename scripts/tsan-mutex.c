// Tells the thread sanitizer of locks that it cannot see. A Mutex of Swift is locked by code of the
// program itself, which the sanitizer knows, unless another thread holds it: then by a function of
// Swift's library, which is not built for the sanitizer, and all that the lock protects looks like a
// race. Loaded into tested programs by scripts/test-tsan; programs without the sanitizer are left
// as they are.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

static SWIFT void (*library_lock)(uint32_t thread, SELF);
static SWIFT void (*library_unlock)(SELF);

__attribute__((constructor)) static void find_library(void) {
    library_lock = (SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, LOCK);
    library_unlock = (SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock_contended(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void unlock_contended(SELF) __asm__(UNLOCK);

SWIFT void lock_contended(uint32_t thread, SELF) {
    library_lock(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlock_contended(SELF) {
    if (__tsan_release) __tsan_release(self);
    library_unlock(self);
}
