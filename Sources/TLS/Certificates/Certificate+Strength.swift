internal import ProxydCOpenSSL

extension Certificate {
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
