internal import ProxydCOpenSSL

extension CertificateSummary {
    /// Details of a certificate beyond its names and validity.
    public struct Details: Sendable, Hashable {
        /// `RSA, 2048 bits`.
        public let key: String
        /// The signature algorithm: `sha256WithRSAEncryption`.
        public let signature: String
        /// The serial number in hexadecimal.
        public let serial: String
        /// Whether the certificate may sign others.
        public let isAuthority: Bool
    }

    /// The details; nil if OpenSSL cannot parse the certificate.
    public var details: Details? {
        guard let certificate = Certificate(der: der) else { return nil }
        defer { ErrorQueue.clear() }
        let pointer = certificate.pointer
        return Details(
            key: CertificateSummary.key(of: pointer),
            signature: OBJ_nid2ln(X509_get_signature_nid(pointer)).map { String(cString: $0) }
                ?? "unknown",
            serial: CertificateSummary.serial(of: pointer),
            isAuthority: X509_check_ca(pointer) > 0)
    }

    private static func key(of certificate: OpaquePointer) -> String {
        guard let key = X509_get0_pubkey(certificate) else { return "unknown" }
        let name = EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown"
        return "\(name), \(EVP_PKEY_get_bits(key)) bits"
    }

    private static func serial(of certificate: OpaquePointer) -> String {
        guard let number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nil) else {
            return ""
        }
        defer { BN_free(number) }
        guard let digits = BN_bn2hex(number) else { return "" }
        defer { CRYPTO_free(digits, #file, #line) }
        return String(cString: digits)
    }
}
