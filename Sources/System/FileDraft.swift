internal import Glibc
internal import Synchronization

/// A file that gets its name only when it is complete; until then, and where that fails, what had
/// the name before keeps it. Only its owner can read it: mode 0600. Not for two threads at once.
public final class FileDraft: Sendable {
    private let path: String
    private let draftPath: String
    private let isCommitted = Atomic<Bool>(false)
    /// Where its octets go.
    public let descriptor: Int32

    /// Begins a file beside the name.
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

    /// Appends octets.
    public func write(_ octets: [UInt8]) throws(SystemError) {
        var sent = 0
        while sent < octets.count {
            let count = octets.withUnsafeBytes { bytes in
                Glibc.write(descriptor, bytes.baseAddress.map { $0 + sent }, octets.count - sent)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError() }
            sent += count
        }
    }

    /// Gives the file its name, its octets safe on the disk.
    public func commit() throws(SystemError) {
        guard fsync(descriptor) == 0, rename(draftPath, path) == 0 else { throw SystemError() }
        isCommitted.store(true, ordering: .relaxed)
    }

    /// Writes a whole file.
    public static func write(_ octets: [UInt8], to path: String) throws(SystemError) {
        let draft = try FileDraft(of: path)
        try draft.write(octets)
        try draft.commit()
    }
}
