internal import ProxydTLS

/// A key store of trusted certificates in the format JKS, which every Java reads. Written here,
/// because Java's `keytool` takes a second or more.
enum JavaKeyStore {
    /// The usual password: it protects nothing, but Java checks the digest that it is part of.
    static let password = "changeit"

    /// The file, or nil if OpenSSL is configured not to compute SHA-1.
    static func bytes(of certificates: [[UInt8]]) -> [UInt8]? {
        var store: [UInt8] = []
        store.append(0xFEED_FEED as UInt32)
        // The version of the format.
        store.append(2 as UInt32)
        store.append(UInt32(certificates.count))
        for (index, certificate) in certificates.enumerated() {
            // The kind of entry that holds a trusted certificate.
            store.append(2 as UInt32)
            store.append(text: "proxyd-\(index)")
            // When it was added: Java requires no particular time.
            store.append(0 as UInt64)
            store.append(text: "X.509")
            store.append(UInt32(certificate.count))
            store += certificate
        }
        let key = password.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let digested = key + Array("Mighty Aphrodite".utf8) + store
        return DigestAlgorithm.sha1.digest(of: digested).map { store + $0 }
    }
}

extension [UInt8] {
    /// Appends a number, most significant byte first.
    fileprivate mutating func append(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends ASCII text and its length before it.
    fileprivate mutating func append(text: String) {
        append(UInt16(text.utf8.count))
        self += text.utf8
    }
}
