internal import ProxydCOpenSSL

/// An invalid extension, which makes the whole certificate invalid (RFC 5280 §4.2). OpenSSL ignores
/// some of these, and reports others as a different problem, such as a missing issuer; which ones
/// depends on its version. So `DERSyntax` decides about the encoding, and OpenSSL only about the
/// type of what is in it.
struct ExtensionFlaw {
    /// A description of the flaw that follows "it has".
    let words: String

    private struct Kind {
        let identifier: Int32
        /// The first byte of the value.
        let tag: UInt8
        let name: String
        /// The context tags of strings and numbers, for each depth below the value.
        let pieceless: [Set<UInt8>]

        init(
            _ identifier: Int32, _ tag: UInt8, _ name: String, pieceless: [Set<UInt8>] = []
        ) {
            self.identifier = identifier
            self.tag = tag
            self.name = name
            self.pieceless = pieceless
        }
    }

    /// The extensions to check: those that browsers interpret.
    private static let kinds: [Kind] = [
        Kind(NID_basic_constraints, sequenceTag, "basic constraints"),
        Kind(NID_key_usage, bitStringTag, "key usage"),
        Kind(NID_ext_key_usage, sequenceTag, "extended key usage"),
        Kind(NID_subject_alt_name, sequenceTag, "subject alternative name", pieceless: [names]),
        Kind(NID_name_constraints, sequenceTag, "name constraints", pieceless: [[], [], names]),
        Kind(NID_subject_key_identifier, byteStringTag, "subject key identifier"),
        Kind(
            NID_authority_key_identifier, sequenceTag, "authority key identifier",
            pieceless: [[0, 2], names]),
        Kind(NID_info_access, sequenceTag, "authority information access", pieceless: [[], names]),
        Kind(NID_certificate_policies, sequenceTag, "certificate policies"),
        Kind(NID_policy_mappings, sequenceTag, "policy mappings"),
        Kind(NID_policy_constraints, sequenceTag, "policy constraints", pieceless: [[0, 1]]),
        Kind(NID_inhibit_any_policy, integerTag, "inhibit any-policy"),
    ]

    /// The names of the type GeneralName that are strings and numbers (RFC 5280 §4.2.1.6).
    private static let names: Set<UInt8> = [1, 2, 6, 7, 8]

    // The first bytes of values.
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
            let value = Self.value(of: found)
            guard DERSyntax.isOneValue(value, tag: kind.tag, pieceless: kind.pieceless),
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
