internal import FoundationEssentials

/// A directory in which OpenSSL finds certificates by hash, as in `1a2b3c4d.0`.
enum CertificateDirectory {
    /// Whether a hash link in the directory leads to the certificate.
    static func holds(_ certificate: [UInt8], _ directory: String) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.contains { name in
            guard isHashName(name),
                let bytes = FileManager.default.contents(atPath: "\(directory)/\(name)")
            else { return false }
            return PEMBundle.certificates(in: [UInt8](bytes)).contains(certificate)
        }
    }

    private static func isHashName(_ name: String) -> Bool {
        let parts = name.split(separator: ".")
        return parts.count == 2 && parts[0].count == 8 && parts[0].allSatisfy(\.isHexDigit)
            && parts[1].allSatisfy(\.isNumber)
    }
}
