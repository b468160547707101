internal import ProxydTLS

/// Trusts servers whose certificates are not on revocation lists (RFC 5280 §5).
///
/// The lists are files that the operator keeps up to date: nothing is downloaded, and stapled
/// responses (OCSP, RFC 6066 §8) are ignored. If the issuer of a server's certificate has no
/// current list, the server is not trusted.
public struct RevocationTrustEvaluator: ServerTrustEvaluating {
    private let lists: RevocationLists
    private let validateHost: Bool
    private let checksIssuers: Bool

    /// Reads revocation lists: one as DER in each file, or any number as PEM. With `checksIssuers`,
    /// every issuer in the chain needs a list too.
    /// - Throws: which file cannot be read or contains no list.
    public init(
        listPaths: [String], validateHost: Bool = true, checksIssuers: Bool = false
    ) throws(CertificateFileError) {
        var contents: [[UInt8]] = []
        for path in listPaths {
            let bytes = try CertificateFileError.contents(of: path)
            guard (try? RevocationLists([bytes])) != nil else {
                throw CertificateFileError(path, "no revocation list in it")
            }
            contents.append(bytes)
        }
        do throws(TLSError) {
            lists = try RevocationLists(contents)
        } catch {
            throw CertificateFileError(listPaths.joined(separator: ", "), error.message)
        }
        self.validateHost = validateHost
        self.checksIssuers = checksIssuers
    }

    /// Verifies the chain and the host, and checks the certificates against the lists.
    public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        try trust.performDefaultValidation()
        if validateHost { try trust.performValidation(forHost: host) }
        try trust.performRevocationCheck(lists, checksIssuers: checksIssuers)
    }
}
