internal import ProxydCOpenSSL

/// An invalid extension, which makes the whole certificate invalid (RFC 5280 §4.2). OpenSSL ignores
/// some of these, and reports others as a different problem, such as a missing issuer; which ones
/// depends on its version. So `DERSyntax` decides about the encoding, and OpenSSL only about the
/// type of what is in it.
struct ExtensionFlaw {
    /// A description of the flaw that follows "it has".
    let words: String

    /// The extensions to check: those that browsers interpret.
    private static let kinds: [(identifier: Int32, tag: UInt8, name: String)] = [
        (NID_basic_constraints, sequenceTag, "basic constraints"),
        (NID_key_usage, bitStringTag, "key usage"),
        (NID_ext_key_usage, sequenceTag, "extended key usage"),
        (NID_subject_alt_name, sequenceTag, "subject alternative name"),
        (NID_name_constraints, sequenceTag, "name constraints"),
        (NID_subject_key_identifier, byteStringTag, "subject key identifier"),
        (NID_authority_key_identifier, sequenceTag, "authority key identifier"),
        (NID_info_access, sequenceTag, "authority information access"),
        (NID_certificate_policies, sequenceTag, "certificate policies"),
        (NID_policy_mappings, sequenceTag, "policy mappings"),
        (NID_policy_constraints, sequenceTag, "policy constraints"),
        (NID_inhibit_any_policy, integerTag, "inhibit any-policy"),
    ]

    // The first byte of each value.
    private static let integerTag: UInt8 = 0x02
    private static let bitStringTag: UInt8 = 0x03
    private static let byteStringTag: UInt8 = 0x04
    private static let sequenceTag: UInt8 = 0x30

    /// The first flaw of an `X509`; nil if there is none.
    init?(in certificate: OpaquePointer) {
        defer { ErrorQueue.clear() }
        for kind in Self.kinds {
            let index = X509_get_ext_by_NID(certificate, kind.identifier, -1)
            guard index >= 0 else { continue }
            if X509_get_ext_by_NID(certificate, kind.identifier, index) >= 0 {
                words = "the extension \"\(kind.name)\" twice"
                return
            }
            let found = X509_get_ext(certificate, index)
            guard DERSyntax.isOneValue(Self.value(of: found), tag: kind.tag),
                copenssl_extension_is_readable(found) == 1
            else {
                words = "a malformed extension \"\(kind.name)\""
                return
            }
        }
        guard let constraints = NameConstraints(of: certificate), !constraints.isWellFormed else {
            return nil
        }
        words = "malformed name constraints"
    }

    private static func value(of found: OpaquePointer?) -> [UInt8] {
        guard let data = X509_EXTENSION_get_data(found),
            let bytes = ASN1_STRING_get0_data(data)
        else { return [] }
        let count = Int(max(0, ASN1_STRING_length(data)))
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }
}
