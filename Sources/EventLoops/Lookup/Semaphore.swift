internal import Glibc

/// A POSIX semaphore: a count that threads wait for.
///
/// Sendable without a check. Proof: the pointer never changes, and sem_post and sem_wait may be
/// called from any threads at once; the memory is freed when nobody can call them any more.
final class Semaphore: @unchecked Sendable {
    private let pointer = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(pointer, 0, 0) }

    deinit {
        sem_destroy(pointer)
        pointer.deallocate()
    }

    func signal() { sem_post(pointer) }

    func wait() { while sem_wait(pointer) != 0, errno == EINTR {} }
}
