internal import Glibc

/// A listening socket that the service manager has opened (sd_listen_fds(3)).
struct InheritedSocket: Sendable, Equatable {
    /// Owned by this process from now on; close-on-exec.
    let descriptor: Int32
    /// `FileDescriptorName=` of the socket unit, or `unknown` if no name was passed.
    let name: String

    private static let firstDescriptor: Int32 = 3
    /// More than a unit would list; a larger count is a mistake, and then no socket is used.
    private static let countMax: Int32 = 64

    /// The sockets passed to this process, in the order of the socket unit.
    ///
    /// Descriptors that are not listening stream sockets are skipped. A child process must not use
    /// them as its own: the caller removes `variables` from the environment before it starts any.
    static func all(
        environment: [String: String],
        processID: Int32 = getpid(),
        from first: Int32 = firstDescriptor
    ) -> [InheritedSocket] {
        guard environment["LISTEN_PID"] == String(processID),
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }),
            (1...countMax).contains(count)
        else { return [] }
        let names = (environment["LISTEN_FDNAMES"] ?? "")
            .split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        return (0..<count).compactMap { index in
            let descriptor = first + index
            guard isListening(descriptor) else { return nil }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let position = Int(index)
            let name = names.indices.contains(position) ? names[position] : ""
            return InheritedSocket(
                descriptor: descriptor,
                name: name.isEmpty ? "unknown" : name
            )
        }
    }

    /// The environment variables that announce the sockets.
    static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    private static func isListening(_ descriptor: Int32) -> Bool {
        var value: Int32 = 0
        var byteCount = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &byteCount) == 0,
            value == 1
        else { return false }
        guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &value, &byteCount) == 0 else {
            return false
        }
        return value == Int32(SOCK_STREAM.rawValue)
    }
}
