internal import ProxydCOpenSSL

/// Parses PEM text, without ever asking for a password.
enum PEM {
    /// All certificates in `text`, in order, up to the first invalid one.
    static func certificates(in text: [UInt8]) -> [Certificate] {
        withBIO(text) { bio in
            var certificates: [Certificate] = []
            while let certificate = certificate(from: bio) { certificates.append(certificate) }
            return certificates
        } ?? []
    }

    static func privateKey(in text: [UInt8]) -> PrivateKey? {
        withBIO(text, privateKey(from:)) ?? nil
    }

    /// The next certificate in `bio`. If there is none, the reason is in the error queue.
    static func certificate(from bio: OpaquePointer) -> Certificate? {
        ErrorQueue.clear()
        return PEM_read_bio_X509(bio, nil, refusePassword, nil).map(Certificate.init(owning:))
    }

    /// The next private key in `bio`. If there is none, the reason is in the error queue.
    static func privateKey(from bio: OpaquePointer) -> PrivateKey? {
        ErrorQueue.clear()
        return PEM_read_bio_PrivateKey(bio, nil, refusePassword, nil)
            .map(PrivateKey.init(owning:))
    }

    private static func withBIO<Result>(
        _ text: [UInt8], _ body: (OpaquePointer) -> Result
    ) -> Result? {
        text.withUnsafeBufferPointer { bytes in
            guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
                return nil
            }
            defer {
                BIO_free(bio)
                ErrorQueue.clear()
            }
            return body(bio)
        }
    }

    /// The first private key in `text`, decrypted with the password if it is encrypted.
    static func privateKey(in text: [UInt8], password: String?) -> PrivateKey? {
        guard let password else { return privateKey(in: text) }
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        return text.withUnsafeBufferPointer { buffer in
            guard let bio = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count))
            else { return nil }
            defer { BIO_free(bio) }
            // Without a callback OpenSSL uses the argument as the NUL-terminated password.
            var bytes = Array(password.utf8CString)
            return bytes.withUnsafeMutableBytes { secret in
                PEM_read_bio_PrivateKey(bio, nil, nil, secret.baseAddress)
                    .map(PrivateKey.init(owning:))
            }
        }
    }
}

/// Owns a private key. Except for the CA's own file, the key never leaves OpenSSL's memory.
///
/// `@unchecked Sendable`: the `EVP_PKEY` is complete in `init` and only read afterwards, which
/// OpenSSL allows from any thread.
final class PrivateKey: @unchecked Sendable {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    /// Generates an ECDSA P-256 key from the kernel's random generator.
    static func generate() throws(TLSError) -> PrivateKey {
        ErrorQueue.clear()
        guard let key = copenssl_generate_p256_key() else {
            throw ErrorQueue.configurationError("cannot make a private key")
        }
        return PrivateKey(owning: key)
    }

    deinit { EVP_PKEY_free(pointer) }
}
