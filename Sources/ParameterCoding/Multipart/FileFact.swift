/// What a caller knows about a file that is to become a part. This module does no I/O.
public enum FileFact: Sendable, Hashable {
    /// A readable regular file, and its length in bytes.
    case file(byteCount: Int64)
    /// A directory, a device or a socket.
    case notAFile
    /// A missing file, or one without read permission.
    case unreadable
}
