/// What is needed to resume a download that ended early. It is `Codable` so that it can be stored
/// on disk.
public struct DownloadResumeData: Sendable, Hashable, Codable {
    /// The URL of the download.
    public let url: String
    /// The path of the partial file.
    public let filePath: String
    /// The length of the partial file in bytes.
    public let byteCount: Int64
    /// The strong ETag of the resource, for If-Range (RFC 9110 §13.1.5).
    public let entityTag: String?
    /// Last-Modified of the resource, if there is no strong ETag.
    public let lastModified: String?
}
