internal import ProxydTLS

/// A certificate with its private key, which a session presents to servers that ask for one (mutual
/// TLS). Descriptions contain no secrets.
public struct ClientCertificate: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    let identity: ClientIdentity

    /// Reads PEM files: the certificate with any intermediate certificates to send, and the key,
    /// which may be in the same file. A password decrypts an encrypted key.
    public init(
        certificatePath: String, keyPath: String? = nil, password: String? = nil
    ) throws(CertificateFileError) {
        let certificates = try CertificateFileError.contents(of: certificatePath)
        let key = try keyPath.map(CertificateFileError.contents(of:)) ?? certificates
        do throws(TLSError) {
            identity = try ClientIdentity(
                certificatesPEM: certificates, privateKeyPEM: key, password: password)
        } catch {
            throw CertificateFileError(certificatePath, error.message)
        }
    }

    /// Reads a PKCS #12 file: `.p12` or `.pfx`.
    public init(pkcs12Path: String, password: String = "") throws(CertificateFileError) {
        let bytes = try CertificateFileError.contents(of: pkcs12Path)
        do throws(TLSError) {
            identity = try ClientIdentity(pkcs12: bytes, password: password)
        } catch {
            throw CertificateFileError(pkcs12Path, error.message)
        }
    }

    /// The certificate without its key.
    public var certificate: ServerCertificate? { ServerCertificate(der: identity.certificateDER) }

    /// The certificate's subject, never the key.
    public var description: String { "ClientCertificate(\(certificate?.subject ?? ""))" }
    /// The same as `description`.
    public var debugDescription: String { description }
}
