internal import Glibc

/// Wakes threads that wait with poll(2): readable as long as it was rung more often than it was
/// answered.
final class ScriptBell: Sendable {
    private let ends: (heard: Int32, rung: Int32)

    /// Nil if the system has no descriptors left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        self.ends = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
        }
    }

    deinit {
        close(ends.heard)
        close(ends.rung)
    }

    /// The poll(2) entry to wait for.
    var wait: pollfd { pollfd(fd: ends.heard, events: Int16(POLLIN), revents: 0) }

    /// Rings once. The pipe has room for far more rings than there can be questions.
    func ring() {
        var byte: UInt8 = 1
        _ = write(ends.rung, &byte, 1)
    }

    /// Consumes one ring.
    func answer() {
        var byte: UInt8 = 0
        _ = read(ends.heard, &byte, 1)
    }
}
