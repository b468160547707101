internal import Glibc

/// What a program writes to one of its descriptors, read without waiting.
final class OutputPipe {
    /// How long nothing is heard before somebody looks whether the program has ended.
    private static let stepMs: Int32 = 20
    /// The same where its pipes have ended: mostly it has, too, or is about to.
    private static let lastStepMs: Int32 = 1

    private let readEnd: Int32
    /// For the program; closed here once it is started.
    private(set) var writeEnd: Int32
    /// What came so far.
    private(set) var octets: [UInt8] = []
    /// Whether nobody can write any more.
    private(set) var isAtEnd = false

    /// Nil where the system has no descriptors left.
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

    /// Takes what is there.
    func read() {
        var room = [UInt8](repeating: 0, count: 32_768)
        while !isAtEnd {
            let count = Glibc.read(readEnd, &room, room.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                isAtEnd = count == 0 || errno != EAGAIN
                return
            }
            octets += room[..<count]
        }
    }

    /// Waits until there is something to read, and not for long.
    static func wait(for pipes: OutputPipe...) {
        // poll(2) passes over negative descriptors.
        var watched = pipes.map {
            pollfd(fd: $0.isAtEnd ? -1 : $0.readEnd, events: Int16(POLLIN), revents: 0)
        }
        let isOver = pipes.allSatisfy(\.isAtEnd)
        poll(&watched, nfds_t(watched.count), isOver ? lastStepMs : stepMs)
    }
}
