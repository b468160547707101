internal import ProxydCOpenSSL

/// Owns a private key. Except for the CA's own file, the key never leaves OpenSSL's memory.
///
/// `@unchecked Sendable`: the `EVP_PKEY` is complete in `init` and only read afterwards, which
/// OpenSSL allows from any thread.
final class PrivateKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of the reference.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    /// Generates an ECDSA P-256 key from the kernel's random generator.
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
