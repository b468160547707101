internal import ProxydCOpenSSL

extension PEM {
    /// The first private key in `text`, decrypted with the password if it is encrypted.
    static func privateKey(in text: [UInt8], password: String?) -> PrivateKey? {
        guard let password else { return privateKey(in: text) }
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        return text.withUnsafeBufferPointer { buffer in
            guard let bio = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count))
            else {
                return nil
            }
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
