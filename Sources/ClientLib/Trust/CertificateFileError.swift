internal import FoundationEssentials

/// Why a file with certificates, keys or revocation lists cannot be used.
public struct CertificateFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file or directory.
    public let path: String
    /// One readable line, without secrets.
    public let message: String

    init(_ path: String, _ message: String) {
        self.path = path
        self.message = message
    }

    /// The path followed by the message.
    public var description: String { "\(path): \(message)" }

    /// The contents of a file.
    static func contents(of path: String) throws(CertificateFileError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CertificateFileError(path, "the file cannot be read")
        }
        return [UInt8](data)
    }
}
