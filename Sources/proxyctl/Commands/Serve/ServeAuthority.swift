internal import Capture
internal import FoundationEssentials
internal import ProxydDaemonConfiguration
internal import ProxydTLS

/// The authority that issues certificates for served hosts.
struct ServeAuthority {
    let authority: CertificateAuthority
    /// Whether it is the data directory's authority, which clients may trust. Otherwise it exists
    /// only for this run, and TLS is not intercepted.
    let isKept: Bool

    /// Loads the authority of a data directory if it has a usable one; it is never created there.
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
            Report.warn("https cannot be served: \(error.message)")
            return nil
        }
    }
}
