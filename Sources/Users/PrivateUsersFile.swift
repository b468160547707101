internal import Glibc
internal import ProxydSystem

/// A users file on disk, which only its owner may read: hashes can be guessed at leisure.
public struct PrivateUsersFile: Sendable {
    /// Why a file cannot be used.
    public enum Failure: Error, Sendable, Hashable {
        /// The file as a whole; why, and what to do.
        case file(String)
        /// Lines of it.
        case lines([UsersFileMistake])
    }

    /// The path of the file.
    public let path: String

    /// A file that need not exist.
    public init(path: String) { self.path = path }

    /// Reads all users of the file.
    public func users() throws(Failure) -> UserTable {
        let bytes = try bytes()
        do throws(UsersFileMistakes) {
            return try UsersFile.users(of: bytes)
        } catch {
            throw .lines(error.all)
        }
    }

    /// The bytes of the file.
    public func bytes() throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw PrivateUsersFile.unreadable() }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw PrivateUsersFile.unreadable() }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw .file("it is not a file") }
        guard facts.st_uid == geteuid() || facts.st_uid == 0 else {
            throw .file("it belongs to another user: change its owner with chown")
        }
        guard facts.st_mode & 0o077 == 0 else {
            throw .file("others may read it: make it private with `chmod 600`")
        }
        guard facts.st_size <= UsersFile.byteCountMax else {
            throw .file("it is larger than \(UsersFile.byteCountMax) bytes")
        }
        return try PrivateUsersFile.contents(of: descriptor)
    }

    /// Replaces the file as a whole. A new one is private to its owner, who stays the same.
    public func write(_ bytes: [UInt8]) throws(Failure) {
        var facts = stat()
        let isThere = stat(path, &facts) == 0
        do throws(SystemError) {
            let draft = try FileDraft(of: path)
            try draft.write(bytes)
            if isThere, facts.st_uid != geteuid() {
                guard fchown(draft.descriptor, facts.st_uid, facts.st_gid) == 0 else {
                    throw SystemError()
                }
            }
            try draft.commit()
        } catch {
            throw .file("cannot be written: \(error)")
        }
    }

    /// Whether the file exists.
    public var exists: Bool { access(path, F_OK) == 0 }

    private static func contents(of descriptor: Int32) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: UsersFile.byteCountMax + 1)
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress.map { $0 + filled }, $0.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable() }
            if count == 0 { break }
            filled += count
        }
        return Array(bytes[..<filled])
    }

    private static func unreadable() -> Failure {
        .file("cannot be read: \(String(cString: strerror(errno)))")
    }
}
