internal import Glibc

/// The certificate of a new authority.
enum AuthorityCertificate {
    private static let day = 86_400
    /// Clients with a slow clock still accept what the CA signs.
    private static let backdatingSeconds = day
    /// Two years in total, including the backdating.
    private static let lifeSeconds = 729 * day
    private static let suffixByteCount = 4
    /// The space for the host in a common name of 64 bytes.
    private static let hostCharacterCountMax = 40

    /// Self-signed; may sign leaves for servers and nothing else. The subject tells this
    /// installation from any other. `now` is seconds since 1970.
    static func make(
        key: PrivateKey, scope: AuthorityScope = .unlimited, now: Int
    ) throws(TLSError) -> Certificate {
        let builder = try CertificateBuilder(
            key: key, validity: .init(from: now - backdatingSeconds, to: now + lifeSeconds))
        try builder.addSubject("O", "proxyd")
        try builder.addSubject("CN", "proxyd CA \(hostName()) \(suffix())")
        try builder.setIssuer(nil)
        try builder.addExtension(.basicConstraints, "critical,CA:TRUE,pathlen:0")
        try builder.addExtension(.keyUsage, "critical,keyCertSign,cRLSign")
        try builder.addExtension(.extendedKeyUsage, "serverAuth")
        try builder.addExtension(.subjectKeyIdentifier, "hash")
        try builder.addNameConstraints(scope)
        return try builder.sign(with: key)
    }

    private static func hostName() -> String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return bytes.prefix(hostCharacterCountMax).withUnsafeBufferPointer(PrintableText.ascii)
    }

    private static func suffix() -> String {
        (0..<suffixByteCount).map { _ in
            let text = String(UInt8.random(in: 0...255), radix: 16)
            return text.count < 2 ? "0" + text : text
        }.joined()
    }
}
