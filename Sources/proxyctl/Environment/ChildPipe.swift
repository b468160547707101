internal import Glibc

/// The two ends of a pipe to a child process; neither is inherited unless it is passed on.
struct ChildPipe {
    let reading: Int32
    let writing: Int32

    /// Returns nil if no descriptors are left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }
}
