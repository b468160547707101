/// What is at a path that is to be served.
public enum ServedFind: Sendable, Hashable {
    /// A file.
    case file(ServedFile)
    /// A folder, and the path did not end in `/`: relative links in what it shows would lead
    /// elsewhere.
    case folderWithoutSlash
    /// Nothing, or a folder without an index.
    case missing
    /// What may not be served: `ServedPath` refuses it, or a link leads out of the folder.
    case refused
}

/// What a file is, as far as serving it goes.
public struct ServedFile: Sendable, Hashable {
    /// Its name, by which its type is known.
    public let name: String
    /// Its length in bytes.
    public let byteCount: Int64
    /// When it was last changed, in seconds after 1970.
    public let modifiedSeconds: Int64

    /// A file.
    public init(name: String, byteCount: Int64, modifiedSeconds: Int64) {
        self.name = name
        self.byteCount = max(0, byteCount)
        self.modifiedSeconds = modifiedSeconds
    }
}
