internal import Glibc

/// The output of a program to one of its descriptors, read without blocking.
final class OutputPipe {
    /// How long to wait for output before checking whether the program has ended.
    private static let stepMs: Int32 = 20
    /// The same after its pipes have ended: mostly the program has ended, too, or is about to.
    private static let lastStepMs: Int32 = 1

    private let readEnd: Int32
    /// The program's end of the pipe; closed here once the program has started.
    private(set) var writeEnd: Int32
    /// The bytes received so far.
    private(set) var bytes: [UInt8] = []
    /// Whether no process can write to the pipe anymore.
    private(set) var isAtEnd = false

    /// Returns nil if no descriptors are left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        readEnd = ends[0]
        writeEnd = ends[1]
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(readEnd, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(readEnd)
        closeWriteEnd()
    }

    func closeWriteEnd() {
        if writeEnd >= 0 { close(writeEnd) }
        writeEnd = -1
    }

    /// Reads what is available.
    func read() {
        var room = [UInt8](repeating: 0, count: 32_768)
        while !isAtEnd {
            let count = Glibc.read(readEnd, &room, room.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                isAtEnd = count == 0 || errno != EAGAIN
                return
            }
            bytes += room[..<count]
        }
    }

    /// Waits for a short time until there is something to read.
    static func wait(for pipes: OutputPipe...) {
        // poll(2) ignores negative descriptors.
        var watched = pipes.map {
            pollfd(fd: $0.isAtEnd ? -1 : $0.readEnd, events: Int16(POLLIN), revents: 0)
        }
        let isOver = pipes.allSatisfy(\.isAtEnd)
        poll(&watched, nfds_t(watched.count), isOver ? lastStepMs : stepMs)
    }
}
