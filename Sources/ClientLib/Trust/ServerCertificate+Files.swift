internal import Foundation
internal import ProxydTLS

extension ServerCertificate {
    /// Endings of certificate files, whatever their case.
    static let fileEndings: Set = ["cer", "crt", "der", "pem"]

    /// The certificates of a file: one as DER, or any number as PEM.
    /// - Throws: where the file cannot be read or holds no certificate.
    public static func all(
        inFile path: String
    ) throws(CertificateFileError) -> [ServerCertificate] {
        let found = CertificateSummary.all(in: try CertificateFileError.contents(of: path))
        guard !found.isEmpty else { throw CertificateFileError(path, "no certificate in it") }
        return found.map { ServerCertificate($0) }
    }

    /// The certificates of all files of a directory that end in `.cer`, `.crt`, `.der` or `.pem`,
    /// in the order of the files' names. Sub-directories are passed over.
    /// - Throws: where the directory or one of the files cannot be read or holds no certificate: a
    ///   pin that is passed over would be missed when the server begins to use it.
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
