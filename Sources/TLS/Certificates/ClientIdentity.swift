internal import ProxydCOpenSSL

/// A certificate with its private key, for client authentication (RFC 8446 §4.4.2).
public final class ClientIdentity: Sendable, Hashable {
    let certificate: Certificate
    let intermediates: [Certificate]
    let key: PrivateKey

    public var certificateDER: [UInt8] { certificate.der }

    /// Parses PEM texts: the certificate and those to send along, and its key. The password is used
    /// for an encrypted key. Both texts may be the same.
    public convenience init(
        certificatesPEM: [UInt8], privateKeyPEM: [UInt8], password: String? = nil
    ) throws(TLSError) {
        let chain = PEM.certificates(in: certificatesPEM)
        guard let certificate = chain.first else { throw Self.failure("no certificate in PEM") }
        guard let key = PEM.privateKey(in: privateKeyPEM, password: password) else {
            throw Self.failure("no private key in PEM, or its password is another")
        }
        try self.init(certificate: certificate, intermediates: Array(chain.dropFirst()), key: key)
    }

    /// Parses the content of a PKCS #12 file (RFC 7292): `.p12`, `.pfx`.
    public convenience init(pkcs12: [UInt8], password: String = "") throws(TLSError) {
        guard let parts = PKCS12Parts(pkcs12, password: password) else {
            throw Self.failure(
                "no PKCS #12 with a certificate and its key, or the password is another")
        }
        try self.init(certificate: parts.certificate, intermediates: parts.others, key: parts.key)
    }

    private init(
        certificate: Certificate, intermediates: [Certificate], key: PrivateKey
    ) throws(TLSError) {
        ErrorQueue.clear()
        guard X509_check_private_key(certificate.pointer, key.pointer) == 1 else {
            ErrorQueue.clear()
            throw Self.failure("the private key is not the certificate's")
        }
        self.certificate = certificate
        self.intermediates = intermediates
        self.key = key
    }

    /// Presents the identity in all sessions of a context.
    func apply(to context: OpaquePointer) throws(TLSError) {
        ErrorQueue.clear()
        guard
            SSL_CTX_use_cert_and_key(context, certificate.pointer, key.pointer, nil, 1) == 1
        else { throw ErrorQueue.configurationError("cannot use the client certificate") }
        for issuer in intermediates {
            guard copenssl_ctx_add_chain_certificate(context, issuer.pointer) == 1 else {
                throw ErrorQueue.configurationError("cannot use the client certificate's chain")
            }
        }
    }

    func apply(toSession ssl: OpaquePointer) throws(TLSError) {
        ErrorQueue.clear()
        guard SSL_use_cert_and_key(ssl, certificate.pointer, key.pointer, nil, 1) == 1 else {
            throw ErrorQueue.configurationError("cannot use the client certificate")
        }
        for issuer in intermediates {
            guard copenssl_add_chain_certificate(ssl, issuer.pointer) == 1 else {
                throw ErrorQueue.configurationError("cannot use the client certificate's chain")
            }
        }
    }

    public static func == (left: ClientIdentity, right: ClientIdentity) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    private static func failure(_ message: String) -> TLSError {
        TLSError(kind: .configuration, message: "client certificate: \(message)")
    }
}

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
