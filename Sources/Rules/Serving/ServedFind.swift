/// What was found at a path that is served.
public enum ServedFind: Sendable, Hashable {
    /// A regular file.
    case file(ServedFile)
    /// A folder, but the path did not end in `/`: relative links in its index would be wrong.
    case folderWithoutSlash
    /// Nothing, or a folder without an index file.
    case missing
    /// Not allowed: `ServedPath` refused the path, or a link leads out of the folder.
    case refused
}

/// The properties of a file that serving needs.
public struct ServedFile: Sendable, Hashable {
    /// The file's name, which determines its media type.
    public let name: String
    /// The file's length in bytes.
    public let byteCount: Int64
    /// When the file was last changed, in seconds since 1970.
    public let modifiedSeconds: Int64

    /// Creates a description of a file.
    public init(name: String, byteCount: Int64, modifiedSeconds: Int64) {
        self.name = name
        self.byteCount = max(0, byteCount)
        self.modifiedSeconds = modifiedSeconds
    }
}
