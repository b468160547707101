internal import ProxydCOpenSSL

enum Digest {
    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(bytes, bytes.count, &digest)
        return digest
    }
}

/// Digests used by protocols above TLS, such as HTTP Digest authentication (RFC 7616 §3.2).
public enum DigestAlgorithm: Sendable, Hashable, CaseIterable {
    /// MD5 (RFC 1321): broken, but required by old servers.
    case md5
    /// SHA-1 (FIPS 180-4): broken, but required for the opening handshake of a WebSocket (RFC 6455
    /// §4.2.2).
    case sha1
    /// SHA-256 (FIPS 180-4).
    case sha256
    /// SHA-512/256 (FIPS 180-4).
    case sha512t256

    /// The digest of bytes: 16 bytes for MD5, 20 for SHA-1, otherwise 32; nil if the library is
    /// configured not to compute it, as MD5 in FIPS mode.
    public func digest(of bytes: [UInt8]) -> [UInt8]? {
        let algorithm =
            switch self {
            case .md5: EVP_md5()
            case .sha1: EVP_sha1()
            case .sha256: EVP_sha256()
            case .sha512t256: EVP_sha512_256()
            }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var byteCount: UInt32 = 0
        let isDone = EVP_Digest(bytes, bytes.count, &digest, &byteCount, algorithm, nil) == 1
        return isDone ? Array(digest.prefix(Int(byteCount))) : nil
    }
}

/// HMAC with SHA-256 (RFC 2104) under a random key that is never shown. Values of different keys
/// cannot be compared.
public struct KeyedDigest: Sendable {
    private let key: [UInt8]

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
