internal import Glibc

/// Lets one thread wait for an event on another; each wait consumes one signal.
final class Latch: Sendable {
    // A pipe: a byte in it is the signal, and waiting for it needs no lock.
    private let readEnd: Int32
    private let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw StartFailure(message: "cannot create a pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    func open() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }

    func wait() {
        var byte: UInt8 = 0
        while read(readEnd, &byte, 1) < 0, errno == EINTR {}
    }
}
