import Capture
import Foundation
@testable import proxyctl
import ProxydTLS
import ProxydTestSupport

/// A system that exists only below a scratch directory: a home, `/etc`, an authority, and the
/// programs a test brings.
final class SampleSystem {
    let scratch: ScratchFolder
    let authority: AuthorityAccess
    let otherPEM: String

    init() throws {
        scratch = try ScratchFolder()
        let data = try SampleSystem.makeAuthority(scratch.path + "/data")
        authority = try AuthorityAccess(data)
        let other = try SampleSystem.makeAuthority(scratch.path + "/other")
        otherPEM = String(decoding: try AuthorityAccess(other).certificate.pem, as: UTF8.self)
    }

    private static func makeAuthority(_ path: String) throws -> DataDirectory {
        let directory = DataDirectory(path: path)
        try directory.prepare()
        _ = try CertificateAuthority.loadOrCreate(in: path)
        return directory
    }

    var pem: String { String(decoding: authority.certificate.pem, as: UTF8.self) }
    var root: String { scratch.path + "/root" }
    var home: String { scratch.path + "/home" }
    var bundle: String { root + "/etc/ssl/certs/ca-certificates.crt" }

    /// Gives the system a bundle, with our certificate in it or not.
    func writeBundle(trusts: Bool) throws {
        try scratch.write(
            "root/etc/ssl/certs/ca-certificates.crt", trusts ? otherPEM + pem : otherPEM)
    }

    func inquiry(
        _ runner: any ProgramRunner = FakeRunner(), _ environment: [String: String] = [:],
        userID: UInt32 = 1_000
    ) -> TrustInquiry {
        var environment = environment
        environment["HOME"] = home
        var around = Environment(
            variables: environment, output: MemorySink(), errors: MemorySink(),
            isTerminal: false, columnCount: nil, rowCount: nil, userID: userID, runner: runner)
        around.systemRoot = root
        return authority.inquiry(around)
    }
}
