internal import ProxydCOpenSSL

/// Formats a subject or issuer as text.
enum DistinguishedName {
    private static let characterCountMax = 200

    /// In the form of RFC 4514, most specific part first, with everything but printable ASCII
    /// escaped, and truncated if it is too long to read.
    static func text(_ name: OpaquePointer?) -> String {
        guard let name, let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        copenssl_print_name(bio, name)
        let text = MemoryBytes.copy(of: bio).withUnsafeBufferPointer(PrintableText.ascii)
        return text.count > characterCountMax ? text.prefix(characterCountMax) + "..." : text
    }
}
