internal import ProxydCOpenSSL

/// The requirements of browsers beyond those of OpenSSL. `docs/THREATS.md` lists the remaining
/// differences.
enum BrowserRules {
    /// The problem with a chain (a `STACK_OF(X509)`, server certificate first) that OpenSSL has
    /// accepted; nil if there is none.
    static func failure(in chain: OpaquePointer?) -> VerificationFailure? {
        guard let chain else { return nil }
        let count = max(0, copenssl_x509_count(chain))
        for depth in 0..<count {
            guard let certificate = copenssl_x509_at(chain, depth) else { continue }
            if let flaw = ExtensionFlaw(in: certificate) {
                return failure(certificate, depth, flaw)
            }
        }
        return wildcardFailure(chain, count)
    }

    /// Why OpenSSL rejected a chain, if the cause is an invalid certificate: OpenSSL then reports a
    /// missing issuer or an unsuitable purpose.
    static func flaw(blamedBy store: OpaquePointer) -> VerificationFailure? {
        let blamed = X509_STORE_CTX_get_current_cert(store) ?? X509_STORE_CTX_get0_cert(store)
        guard let blamed else { return nil }
        let depth = max(0, X509_STORE_CTX_get_error_depth(store))
        if let flaw = ExtensionFlaw(in: blamed) { return failure(blamed, depth, flaw) }
        guard let sent = X509_STORE_CTX_get0_untrusted(store),
            let issuer = X509_get_issuer_name(blamed)
        else { return nil }
        for index in 0..<max(0, copenssl_x509_count(sent)) {
            guard let certificate = copenssl_x509_at(sent, index),
                X509_NAME_cmp(X509_get_subject_name(certificate), issuer) == 0,
                let flaw = ExtensionFlaw(in: certificate)
            else { continue }
            return failure(certificate, depth + 1, flaw)
        }
        return nil
    }

    private static func failure(
        _ certificate: OpaquePointer, _ depth: Int32, _ flaw: ExtensionFlaw
    ) -> VerificationFailure {
        VerificationFailure(
            of: certificate, depth, X509_V_ERR_INVALID_EXTENSION, "it has \(flaw.words)")
    }

    private static func wildcardFailure(
        _ chain: OpaquePointer, _ count: Int32
    ) -> VerificationFailure? {
        guard let leaf = copenssl_x509_at(chain, 0) else { return nil }
        let wildcards = CertificateChain.names(of: leaf).compactMap(\.dnsName)
            .filter { $0.hasPrefix("*.") }
        guard !wildcards.isEmpty else { return nil }
        for depth in 1..<max(1, count) {
            guard let issuer = copenssl_x509_at(chain, depth),
                let constraints = NameConstraints(of: issuer)
            else { continue }
            for wildcard in wildcards {
                guard let name = constraints.excludedName(coveredBy: wildcard) else { continue }
                return VerificationFailure(
                    of: leaf, 0, X509_V_ERR_EXCLUDED_VIOLATION,
                    "it is for \(wildcard), and an issuer may not sign for \(name)")
            }
        }
        return nil
    }
}

extension VerificationFailure {
    fileprivate init(
        of certificate: OpaquePointer, _ depth: Int32, _ code: Int32, _ reason: String
    ) {
        let whose = CertificateProblem.whose(certificate, depth)
        self.init(
            problem: .init(
                kind: .invalid, code: Int(code), message: "\(whose) not accepted: \(reason)"),
            certificate: CertificateSummary(der: CertificateChain.der(of: certificate)),
            depth: Int(depth))
    }
}

/// The names that an issuer may and may not sign for (RFC 5280 §4.2.1.10), as far as OpenSSL does
/// not check them.
struct NameConstraints {
    /// The excluded DNS names in lower case, keyed by the name without its first label.
    private var excludedNames: [Substring: String] = [:]
    /// Whether every constraint is valid and can be applied.
    private(set) var isWellFormed = true

    /// The constraints of an `X509`; nil if it has none, or none that can be parsed.
    init?(of certificate: OpaquePointer) {
        defer { ErrorQueue.clear() }
        guard let value = X509_get_ext_d2i(certificate, NID_name_constraints, nil, nil) else {
            return nil
        }
        let constraints = value.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
        defer { NAME_CONSTRAINTS_free(constraints) }
        let permitted = Self.subtrees(constraints.pointee.permittedSubtrees)
        let excluded = Self.subtrees(constraints.pointee.excludedSubtrees)
        isWellFormed = !(permitted + excluded).isEmpty
        for subtree in permitted + excluded where !Self.isWellFormed(subtree) {
            isWellFormed = false
        }
        for subtree in excluded {
            guard let name = Self.name(subtree.base).dnsName?.lowercased(),
                let dot = name.firstIndex(of: ".")
            else { continue }
            excludedNames[name[name.index(after: dot)...]] = name
        }
    }

    /// An excluded name that a certificate's wildcard covers: `*.a.example` also covers
    /// `b.a.example`, which OpenSSL does not check.
    func excludedName(coveredBy wildcard: String) -> String? {
        wildcard.hasPrefix("*.") ? excludedNames[wildcard.lowercased().dropFirst(2)] : nil
    }

    private static func subtrees(_ stack: OpaquePointer?) -> [GENERAL_SUBTREE] {
        guard let stack else { return [] }
        return (0..<max(0, copenssl_subtree_count(stack))).compactMap { index in
            copenssl_subtree_at(stack, index)?.pointee
        }
    }

    private static func name(_ base: UnsafeMutablePointer<GENERAL_NAME>?) -> GeneralName {
        base.map(GeneralName.init) ?? .other
    }

    /// RFC 5280 requires constraints without depth bounds, addresses with a mask, and DNS names
    /// without wildcards. A leading dot is accepted, as in browsers.
    private static func isWellFormed(_ subtree: GENERAL_SUBTREE) -> Bool {
        guard subtree.maximum == nil,
            subtree.minimum.map({ ASN1_INTEGER_get($0) == 0 }) ?? true
        else { return false }
        return switch name(subtree.base) {
        case .dns(let name): name.utf8.allSatisfy(isNameByte)
        case .address(let bytes): isNetwork(bytes)
        case .other: true
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    /// Whether the bytes are an address followed by a contiguous mask.
    private static func isNetwork(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 8 || bytes.count == 32 else { return false }
        var isOver = false
        for byte in bytes.suffix(bytes.count / 2) {
            guard !isOver || byte == 0, byte.leadingOneBitCount == byte.nonzeroBitCount else {
                return false
            }
            if byte != 0xFF { isOver = true }
        }
        return true
    }
}

extension UInt8 {
    fileprivate var leadingOneBitCount: Int { (~self).leadingZeroBitCount }
}
