internal import ProxydCOpenSSL

/// The contents of a PKCS #12 file.
struct PKCS12Parts {
    let certificate: Certificate
    let key: PrivateKey
    let others: [Certificate]

    /// Parses DER; nil if it is invalid, the password is wrong, or certificate or key is missing.
    init?(_ bytes: [UInt8], password: String) {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        let parsed = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var position = buffer.baseAddress
            return d2i_PKCS12(nil, &position, buffer.count)
        }
        guard let parsed else { return nil }
        defer { PKCS12_free(parsed) }
        var key: OpaquePointer?
        var certificate: OpaquePointer?
        var others: OpaquePointer?
        guard PKCS12_parse(parsed, password, &key, &certificate, &others) == 1 else { return nil }
        // We own each of these, even if another one is missing.
        let ownKey = key.map(PrivateKey.init(owning:))
        let ownCertificate = certificate.map(Certificate.init(owning:))
        self.others = Self.take(others)
        guard let ownKey, let ownCertificate else { return nil }
        self.key = ownKey
        self.certificate = ownCertificate
    }

    private static func take(_ stack: OpaquePointer?) -> [Certificate] {
        guard let stack else { return [] }
        defer { copenssl_x509_stack_free_all(stack) }
        return (0..<max(0, copenssl_x509_count(stack))).compactMap { index in
            guard let pointer = copenssl_x509_at(stack, index), X509_up_ref(pointer) == 1 else {
                return nil
            }
            return Certificate(owning: pointer)
        }
    }
}
