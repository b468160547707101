import Foundation

/// An HTTP/2 server of Node.js, and its client; see Servers/http2.mjs for what they answer and ask.
final class NodeHTTP2Server {
    /// Whether Node.js is there.
    static let isAvailable = Tool.find("node") != nil

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Servers/http2.mjs").path

    let port: Int
    private let service: Service

    /// A server, with TLS where it has a certificate.
    init(_ certificate: TestCertificate? = nil) throws {
        let files = certificate.map { [$0.certificatePath, $0.keyPath] } ?? []
        service = try Service(
            Tool.find("node") ?? "", [NodeHTTP2Server.script, "serve"] + files)
        port = Int(try service.readLine()) ?? 0
    }

    /// The path and the code of the next stream that was reset by who asked.
    func nextReset() throws -> String { try service.readLine() }

    /// Asks for all that it answers, through a proxy; what came, in that order.
    func askAll(_ way: String, through proxy: Daemon) throws -> [Row] {
        let outcome = try Tool.run(
            "node",
            [
                NodeHTTP2Server.script, "ask", way, "\(proxy.port)", "\(port)",
                proxy.certificatePath,
            ])
        guard outcome.status == 0 else { throw Tool.Failure(description: outcome.errors) }
        return try outcome.text.split(separator: "\n").map { try Row(json: String($0)) }
    }
}
