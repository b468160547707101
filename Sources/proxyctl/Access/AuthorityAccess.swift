internal import Capture
internal import FoundationEssentials
internal import ProxydTLS

/// The certificate of a data directory's authority.
struct AuthorityAccess {
    let certificate: CertificateSummary
    /// The absolute path of the certificate, usable from any directory.
    let certificatePath: String
    private let dataDirectoryPath: String

    /// Reads the certificate, but never the key.
    init(_ directory: DataDirectory) throws {
        let summary: CertificateSummary?
        do throws(CertificateAuthorityError) {
            summary = try CertificateAuthority.loadCertificate(in: directory.path)
        } catch {
            throw CommandFailure(error.message)
        }
        guard let summary else {
            throw CommandFailure(
                "\(directory.authorityPath)/ca.pem does not exist yet: proxyd makes it when it "
                    + "first starts")
        }
        certificate = summary
        let path = CertificateAuthority.certificatePath(in: directory.path)
        certificatePath = URL(fileURLWithPath: path).standardizedFileURL.path
        dataDirectoryPath = URL(fileURLWithPath: directory.path).standardizedFileURL.path
    }

    /// The inquiry for the trust stores.
    func inquiry(_ environment: Environment) -> TrustInquiry {
        TrustInquiry(
            certificate: certificate.der, certificatePath: certificatePath,
            nickname: nickname,
            ownCommand: ShellQuoting.join([
                AuthorityAccess.ownPath, "--data-dir", dataDirectoryPath,
            ]), environment: environment)
    }

    /// A unique nickname for each authority, so that two of them can be installed.
    var nickname: String {
        let digits = certificate.fingerprint.prefix(4).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "proxyd-\(digits.joined())"
    }

    /// This program's absolute path, because `sudo` may use another search path.
    private static var ownPath: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? "proxyctl"
    }
}
