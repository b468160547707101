internal import ProxydCOpenSSL

/// Owns one X.509 certificate.
///
/// `@unchecked Sendable`: not modified after `init`; OpenSSL fills its caches under a lock of the
/// certificate.
final class Certificate: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of the reference.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    /// Parses DER; nil if `der` is not exactly one certificate.
    convenience init?(der: [UInt8]) {
        ErrorQueue.clear()
        let parsed = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var position = bytes.baseAddress
            guard let certificate = d2i_X509(nil, &position, bytes.count) else { return nil }
            if position == bytes.baseAddress.map({ $0 + bytes.count }) { return certificate }
            X509_free(certificate)
            return nil
        }
        ErrorQueue.clear()
        guard let parsed else { return nil }
        self.init(owning: parsed)
    }

    deinit {
        X509_free(pointer)
    }

    var der: [UInt8] { CertificateChain.der(of: pointer) }

    var pem: [UInt8] {
        guard let bio = BIO_new(BIO_s_mem()) else { return [] }
        defer { BIO_free(bio) }
        guard PEM_write_bio_X509(bio, pointer) == 1 else { return [] }
        return MemoryBytes.copy(of: bio)
    }

    /// Seconds since 1970.
    var notBefore: Int { CertificateTime.seconds(X509_get0_notBefore(pointer)) }
    /// Seconds since 1970.
    var notAfter: Int { CertificateTime.seconds(X509_get0_notAfter(pointer)) }

    var subject: String { DistinguishedName.text(X509_get_subject_name(pointer)) }
    var issuer: String { DistinguishedName.text(X509_get_issuer_name(pointer)) }

    /// The DNS names and addresses that the certificate is valid for.
    var alternativeNames: [String] { CertificateChain.alternativeNames(of: pointer) }

    /// SHA-256 of the DER.
    var fingerprint: [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        X509_digest(pointer, EVP_sha256(), &digest, nil)
        return digest
    }
}
