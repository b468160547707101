internal import ProxydCOpenSSL

extension Certificate {
    /// The names that the name constraints permit. nil if there are constraints of another kind,
    /// which our CAs do not have.
    var signingScope: AuthorityScope? {
        defer { ErrorQueue.clear() }
        guard X509_get_ext_by_NID(pointer, NID_name_constraints, -1) >= 0 else { return .unlimited }
        guard let bytes = X509_get_ext_d2i(pointer, NID_name_constraints, nil, nil) else {
            return nil
        }
        let constraints = bytes.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
        defer { NAME_CONSTRAINTS_free(constraints) }
        let permitted = constraints.pointee.permittedSubtrees
        var names: [String] = []
        for index in 0..<max(0, copenssl_subtree_count(permitted)) {
            guard let subtree = copenssl_subtree_at(permitted, index),
                let name = GeneralName(subtree.pointee.base).text
            else { return nil }
            names.append(name)
        }
        return names.isEmpty ? nil : AuthorityScope(names: names)
    }
}
