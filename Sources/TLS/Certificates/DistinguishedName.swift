internal import ProxydCOpenSSL

/// A subject or issuer in words.
enum DistinguishedName {
    private static let characterCountMax = 200

    /// As RFC 4514 writes it, most specific part first, all but printable ASCII escaped, cut
    /// where it is longer than anybody wants to read.
    static func text(_ name: OpaquePointer?) -> String {
        guard let name, let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        copenssl_print_name(bio, name)
        let text = MemoryBytes.copy(of: bio).withUnsafeBufferPointer(PrintableText.ascii)
        return text.count > characterCountMax ? text.prefix(characterCountMax) + "..." : text
    }
}
