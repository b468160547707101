internal import ProxydCOpenSSL

extension PEM {
    /// The first private key in `text`, decrypted with the password if it is encrypted.
    static func privateKey(in text: [UInt8], password: String?) -> PrivateKey? {
        guard let password else { return privateKey(in: text) }
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        return text.withUnsafeBufferPointer { bytes in
            guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
                return nil
            }
            defer { BIO_free(bio) }
            // Without a callback OpenSSL uses the argument as the NUL-terminated password.
            var octets = Array(password.utf8CString)
            return octets.withUnsafeMutableBytes { secret in
                PEM_read_bio_PrivateKey(bio, nil, nil, secret.baseAddress)
                    .map(PrivateKey.init(owning:))
            }
        }
    }
}
