internal import Glibc
internal import ProxydEventLoops
internal import ProxydSystem

/// Reports when a file changes, appears, is replaced or disappears. Watches the file's directory,
/// because editors write a new file and rename it, and also the directory of a symbolic link's
/// target.
final class FileWatch: Sendable {
    /// How long a file must be unchanged before one report for the whole change, in nanoseconds.
    private static let quietNs: Int64 = 200_000_000

    /// One end of a socket pair; closing it stops the thread.
    private let stopDescriptor: Int32

    /// Watches on its own thread until released; nil if the system does not allow it.
    init?(_ file: String, _ changed: @escaping @Sendable () -> Void) {
        let places = FileWatch.places(of: file)
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard descriptor >= 0, socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            close(descriptor)
            return nil
        }
        let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB)
        let stopped = ends[0]
        stopDescriptor = ends[1]
        let watched = places.filter { inotify_add_watch(descriptor, $0.folder, events) >= 0 }
        let names = Set(watched.map(\.name))
        let isStarted =
            !names.isEmpty
            && startDetachedThread(stackByteCount: 1 << 20) {
                FileWatch.watch(names, descriptor, until: stopped, changed)
                close(descriptor)
                close(stopped)
            }
        if isStarted { return }
        for end in [descriptor, stopped] { close(end) }
        return nil
    }

    deinit { close(stopDescriptor) }

    /// The directory and name of a file and, if it is a symbolic link, of its target.
    private static func places(of file: String) -> [(folder: String, name: String)] {
        var files = [file]
        if let resolved = realpath(file, nil) {
            files.append(String(cString: resolved))
            free(resolved)
        }
        return files.compactMap { file in
            let parts = file.split(separator: "/")
            return parts.last.map { ("/" + parts.dropLast().joined(separator: "/"), String($0)) }
        }
    }

    private static func watch(
        _ watched: Set<String>, _ descriptor: Int32, until stopped: Int32, _ changed: () -> Void
    ) {
        /// When a change will be reported, in monotonic nanoseconds; nil without a change.
        var due: Int64?
        while true {
            var waits = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stopped, events: Int16(POLLIN), revents: 0),
            ]
            // Rounded up to the next millisecond; rounding down would wake the thread too early.
            let rest = due.map { max(0, $0 &- EventLoop.monotonicNow() &+ 999_999) / 1_000_000 }
            let count = poll(&waits, 2, rest.map { Int32(clamping: $0) } ?? -1)
            if count < 0, errno == EINTR { continue }
            if count < 0 || waits[1].revents != 0 { return }
            // Changes to other files do not postpone the report.
            if count > 0, !names(descriptor).isDisjoint(with: watched) {
                due = EventLoop.monotonicNow() &+ quietNs
            }
            if let moment = due, moment <= EventLoop.monotonicNow() {
                due = nil
                changed()
            }
        }
    }

    /// The names of the files that have changed in the watched directories.
    private static func names(_ descriptor: Int32) -> Set<String> {
        var names: Set<String> = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let head = MemoryLayout<inotify_event>.size
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return names }
            var offset = 0
            while offset + head <= count {
                let event = buffer.withUnsafeBytes {
                    $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                }
                let end = min(count, offset + head + Int(event.len))
                let name = buffer[(offset + head)..<end].prefix { $0 != 0 }
                names.insert(String(decoding: name, as: UTF8.self))
                offset = end
            }
        }
    }
}
