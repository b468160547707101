internal import Glibc
internal import ProxydThreads

/// Tells when a file changes, appears or is replaced. Its folder is watched: editors write another
/// file and rename it.
final class FileWatch: Sendable {
    /// How long a file has to be left alone, in milliseconds: a change is told once, when it is
    /// complete.
    private static let quietMilliseconds: Int32 = 200

    /// Its end ends the thread.
    private let stopDescriptor: Int32

    /// Watches until it is let go of, on a thread of its own; nil where the system does not let us.
    init?(_ file: String, _ changed: @escaping @Sendable () -> Void) {
        let parts = file.split(separator: "/")
        guard let last = parts.last else { return nil }
        let folder = "/" + parts.dropLast().joined(separator: "/")
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard descriptor >= 0, socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            close(descriptor)
            return nil
        }
        let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB)
        let (stopped, name) = (ends[0], String(last))
        stopDescriptor = ends[1]
        let isStarted =
            inotify_add_watch(descriptor, folder, events) >= 0
            && startDetachedThread(stackByteCount: 1 << 20) {
                FileWatch.watch(name, descriptor, until: stopped, changed)
                close(descriptor)
                close(stopped)
            }
        if isStarted { return }
        for end in [descriptor, stopped] { close(end) }
        return nil
    }

    deinit { close(stopDescriptor) }

    private static func watch(
        _ name: String, _ descriptor: Int32, until stopped: Int32, _ changed: () -> Void
    ) {
        var hasChanged = false
        while true {
            var waits = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stopped, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&waits, 2, hasChanged ? quietMilliseconds : -1)
            if count < 0, errno == EINTR { continue }
            if count < 0 || waits[1].revents != 0 { return }
            if count == 0 {
                hasChanged = false
                changed()
            } else if names(descriptor).contains(name) {
                hasChanged = true
            }
        }
    }

    /// The names of what has changed in the folder.
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
