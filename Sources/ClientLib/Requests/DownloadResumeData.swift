/// With what a download that ended early can be gone on with. `Codable`, to be kept on disk.
public struct DownloadResumeData: Sendable, Hashable, Codable {
    /// What was downloaded.
    public let url: String
    /// The file with what came so far.
    public let filePath: String
    /// Bytes that came so far.
    public let byteCount: Int64
    /// The strong ETag of what was downloaded, for If-Range (RFC 9110 §13.1.5).
    public let entityTag: String?
    /// Its Last-Modified, where there is no strong ETag.
    public let lastModified: String?
}
