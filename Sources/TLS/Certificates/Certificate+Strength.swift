internal import ProxydCOpenSSL

extension Certificate {
    /// The strength that key and signature need, in bits: OpenSSL's level 2, which common clients
    /// ask of authorities too. RSA has it from 2048 bits on, elliptic curves from 224.
    private static let strengthMin: Int32 = 112

    /// What is too weak, with a key of RSA-1024 for one; nil where nothing is.
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
