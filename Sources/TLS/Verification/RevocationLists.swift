internal import ProxydCOpenSSL

/// Certificate revocation lists (RFC 5280 §5).
///
/// `@unchecked Sendable`: the stack is filled in `init` and only read afterwards; OpenSSL fills the
/// lists' caches under a lock of the list.
public final class RevocationLists: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Parses the contents of files: one list in DER, or any number in PEM. A file without a list
    /// is an error, since nothing would be checked against it.
    public init(_ files: [[UInt8]]) throws(TLSError) {
        ErrorQueue.clear()
        guard let stack = copenssl_crl_stack_new() else {
            throw ErrorQueue.configurationError("cannot read revocation lists")
        }
        pointer = stack
        for file in files {
            let countBefore = copenssl_crl_count(stack)
            Self.read(file, onto: stack)
            guard copenssl_crl_count(stack) > countBefore else {
                throw TLSError(kind: .configuration, message: "no revocation list in PEM or DER")
            }
        }
    }

    /// The number of lists.
    public var count: Int { Int(max(0, copenssl_crl_count(pointer))) }

    deinit {
        copenssl_crl_stack_free_all(pointer)
    }

    private static func read(_ bytes: [UInt8], onto stack: OpaquePointer) {
        defer { ErrorQueue.clear() }
        bytes.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            if let list = d2i_X509_CRL(nil, &position, buffer.count) {
                return push(list, onto: stack)
            }
            guard let bio = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count))
            else {
                return
            }
            defer { BIO_free(bio) }
            while let list = PEM_read_bio_X509_CRL(bio, nil, refusePassword, nil) {
                push(list, onto: stack)
            }
        }
    }

    private static func push(_ list: OpaquePointer, onto stack: OpaquePointer) {
        if copenssl_crl_push(stack, list) <= 0 { X509_CRL_free(list) }
    }
}
