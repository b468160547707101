internal import ProxydCOpenSSL

/// Owns a private key. The key never leaves OpenSSL's memory but for the CA's own file.
///
/// `@unchecked Sendable`: the `EVP_PKEY` is complete when it gets here and only read afterwards,
/// which OpenSSL allows from any thread.
final class PrivateKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over the reference.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    /// A new ECDSA P-256 key from the kernel's randomness.
    static func generate() throws(TLSError) -> PrivateKey {
        ErrorQueue.clear()
        guard let key = copenssl_generate_p256_key() else {
            throw ErrorQueue.configurationError("cannot make a private key")
        }
        return PrivateKey(owning: key)
    }

    deinit {
        EVP_PKEY_free(pointer)
    }
}
