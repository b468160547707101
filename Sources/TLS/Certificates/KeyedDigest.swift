internal import ProxydCOpenSSL

/// HMAC with SHA-256 (RFC 2104) under a random key that is never shown. Values of different keys
/// cannot be compared.
public struct KeyedDigest: Sendable {
    private let key: [UInt8]

    /// Creates a digest with a new key.
    public init() {
        var generator = SystemRandomNumberGenerator()
        key = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// The digest of these bytes, 32 bytes long.
    public func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &digest, nil)
        return digest
    }
}
