internal import ProxydCOpenSSL

struct CertificateBuilder {
    struct Validity: Sendable {
        /// The start, in seconds since 1970.
        let from: Int
        /// The end, in seconds since 1970.
        let to: Int
    }

    /// An extension that OpenSSL creates from its configuration syntax.
    enum Extension {
        case basicConstraints
        case keyUsage
        case extendedKeyUsage
        case subjectKeyIdentifier
        case authorityKeyIdentifier

        fileprivate var identifier: Int32 {
            switch self {
            case .basicConstraints: NID_basic_constraints
            case .keyUsage: NID_key_usage
            case .extendedKeyUsage: NID_ext_key_usage
            case .subjectKeyIdentifier: NID_subject_key_identifier
            case .authorityKeyIdentifier: NID_authority_key_identifier
            }
        }
    }

    private static let serialByteCount = 16

    private let pointer: OpaquePointer
    private let certificate: Certificate

    /// Starts a certificate for the public part of `key`, with a random serial number.
    init(key: PrivateKey, validity: Validity) throws(TLSError) {
        ErrorQueue.clear()
        guard let pointer = X509_new() else { throw Self.failure() }
        self.pointer = pointer
        certificate = Certificate(owning: pointer)
        guard X509_set_version(pointer, Int(X509_VERSION_3)) == 1,
            X509_set_pubkey(pointer, key.pointer) == 1,
            ASN1_TIME_set(X509_getm_notBefore(pointer), validity.from) != nil,
            ASN1_TIME_set(X509_getm_notAfter(pointer), validity.to) != nil
        else { throw Self.failure() }
        try setRandomSerial()
    }

    /// Adds a part to the subject, such as `CN`.
    func addSubject(_ field: String, _ value: String) throws(TLSError) {
        let bytes = [UInt8](value.utf8)
        let name = X509_get_subject_name(pointer)
        guard
            X509_NAME_add_entry_by_txt(
                name, field, MBSTRING_UTF8, bytes, Int32(clamping: bytes.count), -1, 0) == 1
        else { throw Self.failure() }
    }

    /// Sets the issuer; for a root, that is the certificate itself. Key identifiers are derived
    /// from it, so it must be set before them.
    func setIssuer(_ issuer: Certificate?) throws(TLSError) {
        let name = X509_get_subject_name(issuer?.pointer ?? pointer)
        guard X509_set_issuer_name(pointer, name) == 1 else { throw Self.failure() }
    }

    /// Adds an extension in OpenSSL's configuration syntax. Only for constant text: text from a
    /// peer could inject other settings.
    func addExtension(
        _ kind: Extension, _ words: StaticString, issuer: Certificate? = nil
    ) throws(TLSError) {
        try add(kind.identifier, words.description, issuer: issuer)
    }

    /// Limits the names that may be signed for and excludes all addresses. The names contain only
    /// letters, digits, hyphens, underscores and dots, so they cannot inject other settings.
    func addNameConstraints(_ scope: AuthorityScope) throws(TLSError) {
        guard !scope.names.isEmpty else { return }
        let permitted = scope.names.map { "permitted;DNS:\($0)" }
        let excluded = ["excluded;IP:0.0.0.0/0.0.0.0", "excluded;IP:::/::"]
        let words = ["critical"] + permitted + excluded
        try add(NID_name_constraints, words.joined(separator: ","), issuer: nil)
    }

    private func add(_ identifier: Int32, _ words: String, issuer: Certificate?) throws(TLSError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer?.pointer ?? pointer, pointer, nil, nil, 0)
        guard
            let made = X509V3_EXT_nconf_nid(nil, &context, identifier, words)
        else { throw Self.failure() }
        defer { X509_EXTENSION_free(made) }
        guard X509_add_ext(pointer, made, -1) == 1 else { throw Self.failure() }
    }

    func addAlternativeName(_ name: PeerName) throws(TLSError) {
        guard let names = copenssl_names_new() else { throw Self.failure() }
        defer { GENERAL_NAMES_free(names) }
        guard let entry = GENERAL_NAME_new() else { throw Self.failure() }
        guard Self.fill(entry, with: name), copenssl_names_append(names, entry) > 0 else {
            GENERAL_NAME_free(entry)
            throw Self.failure()
        }
        let bytes = UnsafeMutableRawPointer(names)
        guard X509_add1_ext_i2d(pointer, NID_subject_alt_name, bytes, 0, 0) == 1 else {
            throw Self.failure()
        }
    }

    func sign(with key: PrivateKey) throws(TLSError) -> Certificate {
        guard X509_sign(pointer, key.pointer, EVP_sha256()) > 0 else { throw Self.failure() }
        return certificate
    }

    private func setRandomSerial() throws(TLSError) {
        var bytes = [UInt8](repeating: 0, count: Self.serialByteCount)
        guard RAND_bytes(&bytes, Int32(bytes.count)) == 1,
            let number = BN_bin2bn(bytes, Int32(bytes.count), nil)
        else { throw Self.failure() }
        defer { BN_free(number) }
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(pointer)) != nil else {
            throw Self.failure()
        }
    }

    /// Puts the name into `entry`, which then owns it.
    private static func fill(
        _ entry: UnsafeMutablePointer<GENERAL_NAME>, with name: PeerName
    ) -> Bool {
        let bytes: [UInt8]
        let type: Int32
        switch name {
        case .dns(let text): (bytes, type) = ([UInt8](text.utf8), GEN_DNS)
        case .address(let address, _): (bytes, type) = (address, GEN_IPADD)
        }
        let kind = type == GEN_DNS ? V_ASN1_IA5STRING : V_ASN1_OCTET_STRING
        guard let value = ASN1_STRING_type_new(kind) else { return false }
        guard ASN1_STRING_set(value, bytes, Int32(clamping: bytes.count)) == 1 else {
            ASN1_STRING_free(value)
            return false
        }
        GENERAL_NAME_set0_value(entry, type, value)
        return true
    }

    private static func failure() -> TLSError {
        ErrorQueue.configurationError("cannot make a certificate")
    }
}
