/// What a caller knows of a file that is to become a part. This module does no I/O.
public enum FileFact: Sendable, Hashable {
    /// A regular file that can be read, and its length in octets.
    case file(byteCount: Int64)
    /// A directory, a device, a socket.
    case notAFile
    /// Nothing, or nothing that may be read.
    case unreadable
}
