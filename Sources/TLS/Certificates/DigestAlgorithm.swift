internal import ProxydCOpenSSL

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
