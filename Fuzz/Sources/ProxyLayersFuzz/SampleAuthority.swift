internal import Foundation
internal import ProxydTLS

/// One certificate authority for all runs.
enum SampleAuthority {
    static let leaves: LeafCertificateCache = {
        let path = FileManager.default.temporaryDirectory.path + "/proxyd-ca-\(UUID().uuidString)"
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            defer { try? FileManager.default.removeItem(atPath: path) }
            return try LeafCertificateCache(authority: CertificateAuthority.loadOrCreate(in: path))
        } catch {
            fatalError("no authority: \(error)")
        }
    }()
}
