internal import FoundationEssentials
internal import ProxydTLS

extension ServerCertificate {
    /// Extensions of certificate files; compared without case.
    static let fileEndings: Set = ["cer", "crt", "der", "pem"]

    /// The certificates in a file: one as DER, or any number as PEM.
    /// - Throws: if the file cannot be read or contains no certificate.
    public static func all(
        inFile path: String
    ) throws(CertificateFileError) -> [ServerCertificate] {
        let found = CertificateSummary.all(in: try CertificateFileError.contents(of: path))
        guard !found.isEmpty else { throw CertificateFileError(path, "no certificate in it") }
        return found.map { ServerCertificate($0) }
    }

    /// The certificates in all files of a directory that end in `.cer`, `.crt`, `.der` or `.pem`,
    /// sorted by file name. Subdirectories are ignored.
    /// - Throws: if the directory or one of the files cannot be read, or a file contains no
    ///   certificate: a skipped pin would be missed when the server starts to use it.
    public static func all(
        inDirectory path: String
    ) throws(CertificateFileError) -> [ServerCertificate] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw CertificateFileError(path, "the directory cannot be read")
        }
        var certificates: [ServerCertificate] = []
        for name in names.sorted() where hasCertificateEnding(name) {
            certificates += try all(inFile: "\(path)/\(name)")
        }
        return certificates
    }

    private static func hasCertificateEnding(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return false }
        return fileEndings.contains(name[name.index(after: dot)...].lowercased())
    }
}
