internal import FoundationEssentials

/// The identity of a public key: SHA-256 of the key with its algorithm (SubjectPublicKeyInfo, RFC
/// 7469 §2.4), which stays the same when a certificate is renewed for the same key.
public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes of the SHA-256 hash.
    public let sha256: [UInt8]

    /// Creates a pin, or returns nil if the hash is not 32 bytes long.
    public init?(sha256: [UInt8]) {
        guard sha256.count == 32 else { return nil }
        self.sha256 = sha256
    }

    /// Parses 44 characters of base64, optionally after `sha256/` as in OkHttp, or after `sha256//`
    /// as in curl's `--pinnedpubkey`; returns nil for anything else.
    public init?(_ text: String) {
        let prefix = "sha256/"
        var digits = text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...]
        // Base64 may start with a slash, so a slash is part of curl's prefix only if the text is
        // too long.
        if digits.count > 44, digits.hasPrefix("/") { digits = digits.dropFirst() }
        guard let data = Data(base64Encoded: String(digits)) else { return nil }
        self.init(sha256: [UInt8](data))
    }

    /// `sha256/` followed by base64.
    public var description: String { "sha256/" + Data(sha256).base64EncodedString() }
}
