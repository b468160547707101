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

    /// The first private key in `text`.
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
}
