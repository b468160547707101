internal import Foundation
internal import ProxydTLS

/// A server with a certificate of an authority made for this run.
enum TestServer {
    static let context: TLSServerContext = {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("proxyd-fuzz-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            let authority = try CertificateAuthority.loadOrCreate(in: directory.path)
            return try LeafCertificateCache(authority: authority).serverContext(for: "a.test")
        } catch {
            // Nothing can be found without it, and the reason must be seen.
            fatalError("no server to compare with: \(error)")
        }
    }()
}
