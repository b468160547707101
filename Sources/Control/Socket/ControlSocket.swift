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
        ControlError(.system, "\(call): \(SystemMessage.text(errno))")
    }
}
