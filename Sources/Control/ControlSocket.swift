internal import Glibc

/// Makes and finds the control socket of a data directory.
public enum ControlSocket {
    /// The socket's name in the data directory.
    public static let fileName = "control.sock"

    /// Binds and listens on the socket, mode 0600, and gives its descriptor (non-blocking).
    ///
    /// A socket that no one answers is removed first, if it is ours; a live one is
    /// `alreadyRunning`; anything else in its place is left alone and refused.
    public static func listen(inDirectory path: String) throws(ControlError) -> Int32 {
        let directory = try ControlDirectory(path: path)
        try removeStaleSocket(in: directory)
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            0)
        guard descriptor >= 0 else { throw systemError("socket") }
        do {
            try bindPrivately(descriptor, in: directory)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Removes the socket at the daemon's end; nothing happens where it is not ours.
    public static func remove(inDirectory path: String) {
        guard let directory = try? ControlDirectory(path: path),
            isOwnSocket(directory.facts(of: fileName))
        else { return }
        unlinkat(directory.descriptor, fileName, 0)
    }

    private static func bindPrivately(
        _ descriptor: Int32, in directory: borrowing ControlDirectory
    ) throws(ControlError) {
        // On Linux the file gets the mode of the socket itself, less the umask: there is no moment
        // at which others could connect.
        guard fchmod(descriptor, 0o600) == 0 else { throw systemError("fchmod") }
        let address = UnixSocketAddress(directory: directory, fileName: fileName)
        guard address.withSockaddr({ bind(descriptor, $0, $1) }) == 0 else {
            throw systemError("bind \(directory.path)/\(fileName)")
        }
        // A umask may have taken away what the owner needs.
        guard fchmodat(directory.descriptor, fileName, 0o600, 0) == 0 else {
            throw systemError("chmod \(directory.path)/\(fileName)")
        }
        guard Glibc.listen(descriptor, 64) == 0 else { throw systemError("listen") }
    }

    private static func removeStaleSocket(
        in directory: borrowing ControlDirectory
    ) throws(ControlError) {
        guard let facts = directory.facts(of: fileName) else { return }
        let place = "\(directory.path)/\(fileName)"
        guard isOwnSocket(facts) else {
            throw ControlError(
                .notPermitted, "\(place) already exists and is not a socket of this user")
        }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard probe >= 0 else { throw systemError("socket") }
        defer { close(probe) }
        let address = UnixSocketAddress(directory: directory, fileName: fileName)
        let outcome = address.withSockaddr { connect(probe, $0, $1) }
        guard outcome != 0, errno == ECONNREFUSED else {
            throw ControlError(.alreadyRunning, "a daemon is already listening on \(place)")
        }
        guard unlinkat(directory.descriptor, fileName, 0) == 0 || errno == ENOENT else {
            throw systemError("unlink \(place)")
        }
    }

    private static func isOwnSocket(_ facts: stat?) -> Bool {
        guard let facts else { return false }
        return facts.st_mode & S_IFMT == S_IFSOCK && facts.st_uid == geteuid()
    }

    static func systemError(_ call: String) -> ControlError {
        ControlError(.system, "\(call): \(SystemErrorText.text(errno))")
    }
}

/// The open data directory: what happens to files in it happens to this directory, whatever its
/// path names later.
struct ControlDirectory: ~Copyable {
    let path: String
    let descriptor: Int32
    let owner: uid_t

    /// Opens a directory; an error if it is not one or cannot be read.
    init(path: String) throws(ControlError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let kind: ControlError.Kind = errno == ENOENT ? .notRunning : .system
            throw ControlError(kind, "\(path): \(SystemErrorText.text(errno))")
        }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else {
            let message = SystemErrorText.text(errno)
            close(descriptor)
            throw ControlError(.system, "\(path): \(message)")
        }
        self.path = path
        self.descriptor = descriptor
        owner = facts.st_uid
    }

    deinit { close(descriptor) }

    /// The facts of a file in it, symbolic links not followed; nil where there is none.
    func facts(of fileName: String) -> stat? {
        var facts = stat()
        return fstatat(descriptor, fileName, &facts, AT_SYMLINK_NOFOLLOW) == 0 ? facts : nil
    }
}

/// Who may talk to whom over the control socket.
enum ControlPermission {
    /// Whether a user may command a daemon that runs as `daemonUser`: the same user, or root.
    static func mayControl(user: UInt32, daemonUser: UInt32) -> Bool {
        user == daemonUser || user == 0
    }

    /// Whether a client should trust a listener: the data directory's owner, this user, or root.
    static func mayListen(user: UInt32, directoryOwner: UInt32, ownUser: UInt32) -> Bool {
        user == directoryOwner || user == ownUser || user == 0
    }

    /// The user on the other end of a Unix socket, as the kernel noted when it was connected.
    static func peerUser(of descriptor: Int32) -> UInt32? {
        // The kernel's `struct ucred`, which the Glibc module does not carry: pid, uid, gid.
        var numbers: [3 of UInt32] = [0, 0, 0]
        var size = socklen_t(MemoryLayout<[3 of UInt32]>.size)
        let outcome = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &numbers, &size)
        return outcome == 0 && size == 12 ? numbers[1] : nil
    }
}

/// The kernel's form of a Unix socket's path.
///
/// `sun_path` has 107 bytes. A longer path is reached through `/proc/self/fd`, so that a deep
/// data directory works too.
struct UnixSocketAddress {
    private let path: [UInt8]

    /// The address of a file in an open directory whose path is known.
    init(directory: borrowing ControlDirectory, fileName: String) {
        let direct = Array("\(directory.path)/\(fileName)".utf8)
        let indirect = Array("/proc/self/fd/\(directory.descriptor)/\(fileName)".utf8)
        path = direct.count < UnixSocketAddress.byteCountMax ? direct : indirect
    }

    /// Room for a path and its final NUL.
    private static let byteCountMax = 108

    /// Calls `body` with the kernel's form.
    func withSockaddr<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            // The last byte stays NUL; the initialiser saw to it that all fits.
            for (index, byte) in path.prefix(room.count - 1).enumerated() { room[index] = byte }
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// Words for the operating system's error numbers.
enum SystemErrorText {
    /// What an error number means. `strerror_r` needs no lock, unlike `strerror`.
    static func text(_ number: Int32) -> String {
        var room = [CChar](repeating: 0, count: 128)
        guard strerror_r(number, &room, room.count) == 0 else { return "error \(number)" }
        return String(decoding: room.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
