internal import ProxydCOpenSSL

/// An extension that makes a certificate none at all (RFC 5280 §4.2). OpenSSL passes over some of
/// these, and blames others on something else: that there is no issuer, for one.
struct ExtensionFlaw {
    /// What the certificate has, in words that follow "it has".
    let words: String

    /// The extensions that are looked at: those that browsers read.
    private static let kinds: [(identifier: Int32, name: String)] = [
        (NID_basic_constraints, "basic constraints"), (NID_key_usage, "key usage"),
        (NID_ext_key_usage, "extended key usage"),
        (NID_subject_alt_name, "subject alternative name"),
        (NID_name_constraints, "name constraints"),
        (NID_subject_key_identifier, "subject key identifier"),
        (NID_authority_key_identifier, "authority key identifier"),
        (NID_info_access, "authority information access"),
        (NID_certificate_policies, "certificate policies"),
        (NID_policy_mappings, "policy mappings"),
        (NID_policy_constraints, "policy constraints"),
        (NID_inhibit_any_policy, "inhibit any-policy"),
    ]

    /// The first flaw of an `X509`; nil where there is none.
    init?(in certificate: OpaquePointer) {
        defer { ErrorQueue.clear() }
        for kind in Self.kinds {
            let index = X509_get_ext_by_NID(certificate, kind.identifier, -1)
            guard index >= 0 else { continue }
            if X509_get_ext_by_NID(certificate, kind.identifier, index) >= 0 {
                words = "the extension \"\(kind.name)\" twice"
                return
            }
            guard copenssl_extension_is_readable(X509_get_ext(certificate, index)) == 1 else {
                words = "a malformed extension \"\(kind.name)\""
                return
            }
        }
        guard let constraints = NameConstraints(of: certificate), !constraints.isWellFormed else {
            return nil
        }
        words = "malformed name constraints"
    }
}
