internal import ProxydCOpenSSL

/// Reads certificates that OpenSSL owns.
enum CertificateChain {
    /// The DER of each certificate in a `STACK_OF(X509)`, in order; empty for nil.
    static func der(ofStack stack: OpaquePointer?) -> [[UInt8]] {
        guard let stack else { return [] }
        return (0..<max(0, copenssl_x509_count(stack))).compactMap { index in
            copenssl_x509_at(stack, index).map(der(of:))
        }
    }

    /// The DER of one `X509`.
    static func der(of certificate: OpaquePointer) -> [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(certificate, &start)
        guard let start, count > 0 else { return [] }
        defer { CRYPTO_free(start, #file, #line) }
        return [UInt8](UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// The DNS names and addresses that an `X509` is valid for, for display.
    static func alternativeNames(of certificate: OpaquePointer) -> [String] {
        names(of: certificate).compactMap(\.text)
    }

    /// The subject alternative names of an `X509`.
    static func names(of certificate: OpaquePointer) -> [GeneralName] {
        let extensions = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil)
        guard let extensions else { return [] }
        let names = OpaquePointer(extensions)
        defer { GENERAL_NAMES_free(names) }
        return (0..<max(0, copenssl_names_count(names))).compactMap { index in
            copenssl_names_at(names, index).map(GeneralName.init)
        }
    }
}
