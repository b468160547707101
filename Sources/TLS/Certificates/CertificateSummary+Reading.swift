internal import ProxydCOpenSSL

extension CertificateSummary {
    /// The certificates in a file's content: one in DER, or any number in PEM. Empty if none can be
    /// parsed.
    public static func all(in bytes: [UInt8]) -> [CertificateSummary] {
        if let one = CertificateSummary(der: bytes) { return [one] }
        return PEM.certificates(in: bytes).map { CertificateSummary($0) }
    }

    /// The SHA-256 of the public key with its algorithm, as in HTTP Public Key Pinning
    /// (SubjectPublicKeyInfo, RFC 7469 §2.4); nil if the key cannot be parsed.
    public var publicKeyDigest: [UInt8]? {
        guard let certificate = Certificate(der: der),
            let key = X509_get_X509_PUBKEY(certificate.pointer)
        else { return nil }
        var start: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509_PUBKEY(key, &start)
        defer { ErrorQueue.clear() }
        guard let start, count > 0 else { return nil }
        defer { CRYPTO_free(start, #file, #line) }
        return Digest.sha256([UInt8](UnsafeBufferPointer(start: start, count: Int(count))))
    }

    /// The names that the certificate may sign for, if it is from one of our CAs; nil if it has
    /// other constraints than ours.
    public var signingScope: AuthorityScope? { Certificate(der: der)?.signingScope }

    /// Whether the certificate is for a DNS name or an address, by its alternative names only.
    public func isFor(_ name: String) -> Bool {
        guard let certificate = Certificate(der: der) else { return false }
        let flags = PeerName.hostFlags
        defer { ErrorQueue.clear() }
        return switch PeerName(name) {
        case .dns(""): false
        case .dns(let host):
            X509_check_host(certificate.pointer, host, host.utf8.count, flags, nil) == 1
        case .address(let bytes, _):
            X509_check_ip(certificate.pointer, bytes, bytes.count, flags) == 1
        }
    }
}
