import Foundation
import ProxydTestSupport

/// Runs of proxyctl that start other programs, with a folder for files, and one for temporary ones.
final class LaunchRig {
    let folder: ScratchFolder
    let temporary: ScratchFolder
    let origin: Origin
    private let certificate: TestCertificate?

    /// `isTLS` is whether the origin speaks TLS.
    init(isTLS: Bool = false) throws {
        folder = try ScratchFolder()
        temporary = try ScratchFolder()
        certificate = isTLS ? try TestCertificate() : nil
        origin = try Origin(tls: certificate)
    }

    var environment: [String: String] {
        var variables = ["TMPDIR": temporary.path, "PROXYD_DATA_DIR": folder.path + "/data"]
        if let certificate { variables["SSL_CERT_FILE"] = certificate.certificatePath }
        return variables
    }

    func proxyctl(_ arguments: String..., more: [String: String] = [:]) throws -> Tool.Outcome {
        try Tool.run(
            try Tool.built("proxyctl"), arguments,
            environment: environment.merging(more) { $1 }, directory: folder.path, seconds: 120)
    }

    /// A daemon on the same data directory, which trusts the origin.
    func daemon() throws -> Daemon { try Daemon(trusting: certificate, data: folder) }

    /// Exchanges as `list --json` tells them.
    func rows(_ filter: String = "") throws -> [Row] {
        try proxyctl("list", "--json", filter).text.split(separator: "\n").map {
            try Row(json: String($0))
        }
    }

    /// Waits until nothing temporary is left.
    func waitUntilNothingIsLeft() throws {
        try Eventually.isTrue(orFail: "these stay: \(temporary.names)") {
            temporary.names.isEmpty
        }
    }
}
