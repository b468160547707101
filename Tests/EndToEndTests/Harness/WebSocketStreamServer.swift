import Foundation

/// A server of Node.js that takes WebSockets on streams of HTTP/2, or not, or as an Upgrade of
/// HTTP/1.1, and a client; see Servers/websocket-streams.mjs.
final class WebSocketStreamServer {
    /// What it takes.
    enum Kind: String {
        case streams = "serve"
        case nothing = "refuse"
        case upgrades = "upgrade"
    }

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Servers/websocket-streams.mjs").path

    let port: Int
    private let service: Service

    /// A server, with TLS where it has a certificate.
    init(_ kind: Kind, _ certificate: TestCertificate? = nil) throws {
        let files = certificate.map { [$0.certificatePath, $0.keyPath] } ?? []
        service = try Service(
            Tool.find("node") ?? "", [WebSocketStreamServer.script, kind.rawValue] + files)
        port = Int(try service.readLine()) ?? 0
    }

    /// How the next WebSocket ended: its path, and how.
    func nextEnd() throws -> String { try service.readLine() }

    /// Opens WebSockets through a proxy, at one of its ports; what came of each, in that order.
    func ask(_ way: String, through proxy: Daemon, at port: Int? = nil) throws -> [Row] {
        try run("ask", way, through: proxy, at: port)
    }

    /// Asks for a page through a proxy, and looks whether extended CONNECT is offered then.
    func look(_ way: String, through proxy: Daemon) throws -> Row? {
        try run("look", way, through: proxy).first
    }

    private func run(
        _ mode: String, _ way: String, through proxy: Daemon, at index: Int? = nil
    ) throws -> [Row] {
        let outcome = try Tool.run(
            "node",
            [
                WebSocketStreamServer.script, mode, way, "\(index ?? Int(proxy.port))", "\(port)",
                proxy.certificatePath,
            ])
        guard outcome.status == 0 else {
            throw Tool.Failure(description: "node ended with \(outcome.status): \(outcome.errors)")
        }
        return try outcome.text.split(separator: "\n").map { try Row(json: String($0)) }
    }
}
