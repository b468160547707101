internal import ProxydSystem
internal import Glibc

/// The client's side of a control socket: sends and receives whole lines, each before a deadline.
///
/// The socket is non-blocking and `poll` waits, so that no call exceeds its deadline.
final class BlockingConnection {
    private let descriptor: Int32
    private var splitter = LineSplitter()
    private var lines: [[UInt8]] = []

    /// Connects; throws `notRunning` if no process listens, and `notPermitted` if the listener's
    /// user is neither the directory's owner nor this user nor root.
    init(directoryPath: String) throws(ControlError) {
        let directory = try ControlDirectory(path: directoryPath)
        descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            0)
        guard descriptor >= 0 else { throw ControlSocket.systemError("socket") }
        let address = UnixSocketAddress(directory: directory, fileName: ControlSocket.fileName)
        guard address.withSockaddr({ connect(descriptor, $0, $1) }) == 0 else {
            throw BlockingConnection.connectError(errno, directoryPath)
        }
        let user = ControlPermission.peerUser(of: descriptor)
        guard let user,
            ControlPermission.mayListen(
                user: user, directoryOwner: directory.owner, ownUser: geteuid())
        else {
            throw ControlError(
                .notPermitted,
                "the listener on \(directoryPath)/\(ControlSocket.fileName) "
                    + "belongs to another user")
        }
    }

    deinit { close(descriptor) }

    private static func connectError(_ number: Int32, _ path: String) -> ControlError {
        let place = "\(path)/\(ControlSocket.fileName)"
        switch number {
        case ENOENT, ECONNREFUSED:
            return ControlError(.notRunning, "no daemon is listening on \(place)")
        case EACCES, EPERM:
            return ControlError(.notPermitted, "\(place): \(SystemErrorText.text(number))")
        case EAGAIN: return ControlError(.timedOut, "the daemon's control socket is busy")
        default: return ControlError(.system, "\(place): \(SystemErrorText.text(number))")
        }
    }

    /// Sends a line that already ends with LF.
    func send(_ line: [UInt8], by deadline: Deadline) throws(ControlError) {
        var sent = 0
        while sent < line.count {
            let count = line[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                guard wait(for: Int16(POLLOUT), by: deadline) else { throw Self.timedOut }
            } else if errno != EINTR {
                throw ControlError(.closed, "the daemon closed the control connection")
            }
        }
    }

    /// The next line without its LF, or nil if the deadline passes first.
    func receiveLine(by deadline: Deadline) throws(ControlError) -> [UInt8]? {
        while lines.isEmpty {
            var room = [UInt8](repeating: 0, count: 65_536)
            let count = room.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress, $0.count, 0)
            }
            if count > 0 {
                lines = try splitter.receive(room.span.extracting(0..<count))
            } else if count < 0, errno == EAGAIN {
                guard wait(for: Int16(POLLIN), by: deadline) else { return nil }
            } else if count == 0 || errno != EINTR {
                throw ControlError(.closed, "the daemon closed the control connection")
            }
        }
        return lines.removeFirst()
    }

    static var timedOut: ControlError {
        ControlError(.timedOut, "the daemon did not answer in time")
    }

    /// Whether the socket became ready before the deadline.
    private func wait(for events: Int16, by deadline: Deadline) -> Bool {
        while true {
            var entry = pollfd(fd: descriptor, events: events, revents: 0)
            let outcome = poll(&entry, 1, deadline.remainingMs)
            if outcome > 0 { return true }
            if outcome == 0 || errno != EINTR { return false }
        }
    }
}

/// A point on the monotonic clock that a blocking call must not outlast.
struct Deadline {
    private let end: Int64

    /// The deadline in a number of nanoseconds from now.
    init(afterNs duration: Int64) {
        end = SystemClock.monotonicNow().addingReportingOverflow(max(0, duration)).partialValue
    }

    /// Milliseconds that are left, rounded up, as `poll` takes them; 0 when it has passed.
    var remainingMs: Int32 {
        let left = end &- SystemClock.monotonicNow()
        guard left > 0 else { return 0 }
        return Int32(clamping: (left &+ 999_999) / 1_000_000)
    }
}
