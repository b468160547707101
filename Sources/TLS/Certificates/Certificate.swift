internal import ProxydCOpenSSL
internal import Glibc

/// Owns one X.509 certificate.
///
/// `@unchecked Sendable`: not modified after `init`; OpenSSL fills its caches under a lock of the
/// certificate.
final class Certificate: @unchecked Sendable {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) { self.pointer = pointer }

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

    deinit { X509_free(pointer) }

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

    /// The required strength of key and signature, in bits: OpenSSL's level 2, which common clients
    /// also require of CAs. RSA reaches it with 2048 bits, elliptic curves with 224.
    private static let strengthMin: Int32 = 112

    /// The part that is too weak, such as an RSA-1024 key; nil if there is none.
    var weakness: String? {
        defer { ErrorQueue.clear() }
        guard let key = X509_get0_pubkey(pointer) else { return "its key cannot be read" }
        if EVP_PKEY_get_security_bits(key) < Self.strengthMin {
            let type = EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown"
            return "its key is too weak (\(type), \(EVP_PKEY_get_bits(key)) bits)"
        }
        var digest: Int32 = 0
        var strength: Int32 = 0
        guard X509_get_signature_info(pointer, &digest, nil, &strength, nil) == 1 else {
            return "the algorithm of its signature is not known"
        }
        guard strength < Self.strengthMin else { return nil }
        let name = OBJ_nid2ln(digest).map { String(cString: $0) } ?? "unknown"
        return "its signature is too weak (\(name))"
    }
}

/// Reads certificates that OpenSSL owns.
enum CertificateChain {
    /// The DER of each certificate in a `STACK_OF(X509)`, in order; empty for nil.
    static func der(ofStack stack: OpaquePointer?) -> [[UInt8]] {
        guard let stack else { return [] }
        return (0..<max(0, copenssl_x509_count(stack))).compactMap { index in
            copenssl_x509_at(stack, index).map(der(of:))
        }
    }

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

/// Converts times in certificates, which are in UTC with a precision of a second.
enum CertificateTime {
    /// Seconds since 1970; 0 if the time is invalid.
    static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return 0 }
        return timegm(&parts)
    }

    /// `2024-01-01`, in UTC.
    static func date(_ time: UnsafePointer<ASN1_TIME>?) -> String {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return "an unreadable date" }
        let year = Int(parts.tm_year) + 1_900
        return "\(year)-\(twoDigits(parts.tm_mon + 1))-\(twoDigits(parts.tm_mday))"
    }

    private static func twoDigits(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

/// The wall clock used to check the validity of certificates.
public enum CertificateClock {
    /// Seconds since 1970.
    public static func now() -> Int { time(nil) }
}

/// Reads what was written into a memory BIO.
enum MemoryBytes {
    static func copy(of bio: OpaquePointer) -> [UInt8] {
        var start: UnsafeMutablePointer<CChar>?
        let count = copenssl_memory_bytes(bio, &start)
        guard let start, count > 0 else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
}
