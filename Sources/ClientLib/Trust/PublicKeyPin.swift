internal import Foundation

/// What a public key is recognised by: SHA-256 of the key with its algorithm (SubjectPublicKeyInfo,
/// RFC 7469 §2.4), which stays the same when a certificate is renewed for the same key.
public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
    /// The 32 octets.
    public let sha256: [UInt8]

    /// A pin; nil where it is not 32 octets.
    public init?(sha256: [UInt8]) {
        guard sha256.count == 32 else { return nil }
        self.sha256 = sha256
    }

    /// Reads `sha256/` and 44 characters of base64, with or without the `sha256/`, as curl's
    /// `--pinnedpubkey` and OkHttp write pins; nil for anything else.
    public init?(_ text: String) {
        var digits = text[...]
        for prefix in ["sha256//", "sha256/"] where digits.hasPrefix(prefix) {
            digits = digits.dropFirst(prefix.count)
            break
        }
        guard let data = Data(base64Encoded: String(digits)) else { return nil }
        self.init(sha256: [UInt8](data))
    }

    /// `sha256/` and base64.
    public var description: String { "sha256/" + Data(sha256).base64EncodedString() }
}
