internal import Foundation

/// What a public key is recognised by: SHA-256 of the key with its algorithm (SubjectPublicKeyInfo,
/// RFC 7469 §2.4), which stays the same when a certificate is renewed for the same key.
public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes.
    public let sha256: [UInt8]

    /// A pin; nil where it is not 32 bytes.
    public init?(sha256: [UInt8]) {
        guard sha256.count == 32 else { return nil }
        self.sha256 = sha256
    }

    /// Reads `sha256/` and 44 characters of base64, with or without the `sha256/`, as OkHttp writes
    /// pins, and `sha256//` before them, as curl's `--pinnedpubkey` does; nil for anything else.
    public init?(_ text: String) {
        let prefix = "sha256/"
        var digits = text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...]
        // Base64 may begin with a slash: a second one is curl's only where it is one too many.
        if digits.count > 44, digits.hasPrefix("/") { digits = digits.dropFirst() }
        guard let data = Data(base64Encoded: String(digits)) else { return nil }
        self.init(sha256: [UInt8](data))
    }

    /// `sha256/` and base64.
    public var description: String { "sha256/" + Data(sha256).base64EncodedString() }
}
