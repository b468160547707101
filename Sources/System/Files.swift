public import Glibc
internal import Synchronization

/// A file that gets its name only once it is complete; until then, and if writing fails, an
/// existing file of that name is kept. Only its owner can read it: mode 0600. Must not be used by
/// two threads at a time.
public final class FileDraft: Sendable {
    private let path: String
    private let draftPath: String
    private let isCommitted = Atomic<Bool>(false)
    public let descriptor: Int32

    /// Creates a draft file next to the final path.
    public init(of path: String) throws(SystemError) {
        self.path = path
        draftPath = "\(path).\(UInt64.random(in: .min ... .max)).part"
        descriptor = open(draftPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError() }
    }

    deinit {
        guard descriptor >= 0 else { return }
        if !isCommitted.load(ordering: .relaxed) { unlink(draftPath) }
        close(descriptor)
    }

    public func write(_ bytes: [UInt8]) throws(SystemError) {
        try FullWrite.write(bytes, to: descriptor)
    }

    /// Flushes the bytes to disk, and gives the file its name so that it survives a power failure.
    /// - Parameter survivesPowerFailure: False for files that only a running program needs: nothing
    ///   is flushed, which takes milliseconds.
    public func commit(survivesPowerFailure: Bool = true) throws(SystemError) {
        guard !survivesPowerFailure || fsync(descriptor) == 0, rename(draftPath, path) == 0 else {
            throw SystemError()
        }
        isCommitted.store(true, ordering: .relaxed)
        if survivesPowerFailure { try FileDraft.flushFolder(of: path) }
    }

    private static func flushFolder(of path: String) throws(SystemError) {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
        let descriptor = open(String(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A folder that may be written to but not read cannot be opened.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Some file systems cannot flush folders, and say EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw SystemError() }
    }

    /// Writes a complete file.
    public static func write(
        _ bytes: [UInt8], to path: String, survivesPowerFailure: Bool = true
    ) throws(SystemError) {
        let draft = try FileDraft(of: path)
        try draft.write(bytes)
        try draft.commit(survivesPowerFailure: survivesPowerFailure)
    }
}

/// The owner of a directory or link on the path to our files can replace it: only root and the
/// current user may own them.
public enum PathOwnership {
    /// A part of a path that cannot be trusted, or not be examined.
    public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        public let path: String
        public let description: String
        /// The error of the system; nil if the part was examined and is unsafe.
        public let error: SystemError?
    }

    /// Checks every component of a path, both as written and as resolved; of a path that does not
    /// exist yet, those that do.
    /// - Parameter other: A further user who may own them.
    public static func check(_ path: String, accepting other: UInt32? = nil) throws(Problem) {
        let owners = Set([0, geteuid(), other].compactMap { $0 })
        var part = path.hasPrefix("/") ? "/" : "."
        try checkPart(part, owners)
        for name in path.split(separator: "/") {
            let next = part == "/" ? "/\(name)" : "\(part)/\(name)"
            var status = stat()
            if lstat(next, &status) != 0, errno == ENOENT { break }
            try checkPart(next, owners)
            part = next
        }
        guard let resolved = realpath(part, nil) else {
            throw Problem(path: part, description: "cannot be found", error: SystemError())
        }
        defer { free(resolved) }
        part = ""
        for name in String(cString: resolved).split(separator: "/") {
            part += "/\(name)"
            try checkPart(part, owners)
        }
    }

    private static func checkPart(_ path: String, _ owners: Set<uid_t>) throws(Problem) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw Problem(path: path, description: "cannot be examined", error: SystemError())
        }
        guard owners.contains(status.st_uid) else {
            throw Problem(
                path: path,
                description: "belongs to user \(status.st_uid), who could replace what is below it",
                error: nil)
        }
        // The mode of a link is irrelevant; in a sticky directory others cannot rename our files.
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        let isSticky = status.st_mode & S_ISVTX != 0
        guard isLink || isSticky || status.st_mode & 0o002 == 0 else {
            throw Problem(
                path: path, description: "anyone may replace what is below it (world-writable)",
                error: nil)
        }
    }
}

/// Writes until every byte is written.
public enum FullWrite {
    /// Writes bytes to a blocking descriptor; continues after interrupted and partial writes. What
    /// was written before an error stays written.
    public static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError() }
            rest = rest.dropFirst(count)
        }
    }
}

public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The value of `errno`.
    public let number: Int32

    /// Creates an error from `errno`, which the failed call has just set.
    public init(number: Int32 = errno) { self.number = number }

    /// The system's message: `No space left on device`.
    public var description: String { String(cString: strerror(number)) }
}
