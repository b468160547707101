internal import Glibc
internal import Synchronization

/// A file that gets its name only once it is complete; until then, and if writing fails, an
/// existing file of that name is kept. Only its owner can read it: mode 0600. Must not be used by
/// two threads at a time.
public final class FileDraft: Sendable {
    private let path: String
    private let draftPath: String
    private let isCommitted = Atomic<Bool>(false)
    /// The descriptor of the draft file.
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

    /// Appends bytes.
    public func write(_ bytes: [UInt8]) throws(SystemError) {
        try FullWrite.write(bytes, to: descriptor)
    }

    /// Flushes the bytes to disk and gives the file its name, which a power failure does not take
    /// away again.
    public func commit() throws(SystemError) {
        guard fsync(descriptor) == 0, rename(draftPath, path) == 0 else { throw SystemError() }
        isCommitted.store(true, ordering: .relaxed)
        try FileDraft.flushFolder(of: path)
    }

    /// Flushes the names in the folder of a file.
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
    public static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let draft = try FileDraft(of: path)
        try draft.write(bytes)
        try draft.commit()
    }
}
