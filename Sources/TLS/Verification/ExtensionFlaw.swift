internal import ProxydCOpenSSL

/// An invalid extension, which makes the whole certificate invalid (RFC 5280 §4.2). OpenSSL ignores
/// some of these, and reports others as a different problem, such as a missing issuer.
struct ExtensionFlaw {
    /// A description of the flaw that follows "it has".
    let words: String

    /// The extensions to check: those that browsers interpret.
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
