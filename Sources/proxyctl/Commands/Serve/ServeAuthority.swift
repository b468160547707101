internal import Capture
internal import Foundation
internal import ProxydDaemonConfiguration
internal import ProxydTLS

/// The authority that certificates for served hosts come from.
struct ServeAuthority {
    let authority: CertificateAuthority
    /// Whether it is the data directory's, which clients may trust; else it lives for this run, and
    /// no client is shown anything of it.
    let isKept: Bool

    /// That of a data directory, where there is one that can be used; it is never made there.
    init(_ directory: DataDirectory) throws {
        if let kept = ServeAuthority.kept(directory) {
            authority = kept
            isKept = true
            return
        }
        let path = try ServeSource.makeDirectory()
        defer { try? FileManager.default.removeItem(atPath: path) }
        isKept = false
        do throws(CertificateAuthorityError) {
            authority = try CertificateAuthority.loadOrCreate(in: path)
        } catch {
            throw CommandFailure(error.message)
        }
    }

    private static func kept(_ directory: DataDirectory) -> CertificateAuthority? {
        let path = CertificateAuthority.certificatePath(in: directory.path)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let locator = ConfigurationLocator(environment: Environment.current.variables)
        let file = locator.configurationFile(flag: nil)
        let scope = (try? Configuration.load(file: file))?.tls.authorityScope ?? .unlimited
        do throws(CertificateAuthorityError) {
            return try CertificateAuthority.loadOrCreate(in: directory.path, scope: scope)
        } catch {
            Report.warn("https is not served: \(error.message)")
            return nil
        }
    }
}
