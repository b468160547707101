import Foundation
import Testing

/// HTTP/2 between a client and a server of Node.js, on each way to the proxy, checked field by
/// field in the store.
@Suite(.enabled(if: NodeHTTP2Server.isAvailable, "Node.js is installed"))
struct NodeHTTP2Tests {
    private static let cancel = 8
    private static let internalError = 2

    @Test(arguments: ["tunnel", "tls", "stream", "listener"])
    func `h2 exchanges between a Node client and server are recorded as sent and received`(
        way: String
    ) throws {
        let certificate = way == "tls" ? try TestCertificate() : nil
        let server = try NodeHTTP2Server(certificate)
        let proxy = try Daemon(trusting: certificate)
        let came = try server.askAll(way, through: proxy)
        checkClient(came)
        // The client's code is what the server gets.
        #expect(try server.nextReset() == "/slow \(Self.cancel)")
        let rows = try proxy.rows(count: 6)
        let shown = try rows.map { try proxy.show($0) }
        try #require(shown.count == 6)
        for (index, exchange) in shown.enumerated() {
            let facts = exchange.row("http2")
            #expect(facts?.int("client_stream") == 2 * index + 1)
            #expect(facts?.int("server_stream") == 2 * index + 1)
            #expect(exchange.text("protocol") == (way == "tls" ? "h2" : "h2c"))
            let lines = facts?.pairs("request_lines") ?? []
            #expect(
                lines.prefix(4).map { $0.first } == [":method", ":scheme", ":authority", ":path"])
            // Node marks short cookies as never to be indexed, one line each.
            #expect(lines.contains(["cookie", "a=1", "neverIndexed"]))
            #expect(lines.contains(["cookie", "b=2", "neverIndexed"]))
        }
        checkMessages(shown)
        checkEndings(shown)
        let interim = try proxy.proxyctl([
            "sql", "SELECT CAST(octets AS TEXT) FROM head WHERE part = 16",
        ])
        #expect(interim.text.contains(#":status: 103\r\nlink: </a.css>; rel=preload\r\n\r\n"#))
    }

    private func checkClient(_ came: [Row]) {
        #expect(
            came.map { $0.text("path") }
                == ["/echo", "/echo", "/trailers", "/hints", "/reset", "/slow"])
        #expect(came.allSatisfy { $0.int("status") == 200 })
        #expect(
            came.map { $0.int("code") } == [0, 0, 0, 0, Self.internalError, Self.cancel])
        #expect(
            came[1].text("body")
                == #"{"method":"POST","cookie":"a=1; b=2","body":"some body","trailer":"9"}"#)
        #expect(came[2].text("trailer") == "whole")
        #expect(came[3].object["hints"] as? [String] == ["103 </a.css>; rel=preload"])
        #expect(came[4].text("body") == "half")
    }

    private func checkMessages(_ shown: [Row]) {
        #expect(shown[0].row("request")?.pairs("query") == [["q", "a b"]])
        let post = shown[1].row("request")
        #expect(post?.text("body_text") == "some body")
        #expect(post?.pairs("trailers") == [["x-sum", "9"]])
        let trailers = shown[2].row("response")
        #expect(trailers?.pairs("headers").first == ["x-a", "1"])
        #expect(trailers?.pairs("trailers") == [["x-end", "whole"]])
        #expect(shown[3].row("response")?.text("body_text") == "late")
    }

    private func checkEndings(_ shown: [Row]) {
        #expect(
            shown.map { $0.text("state") }
                == ["complete", "complete", "complete", "complete", "failed", "failed"])
        let byServer = shown[4].row("http2")?.row("reset")
        #expect(byServer?.text("code") == "INTERNAL_ERROR" && byServer?.text("by") == "server")
        #expect(shown[4].row("response")?.text("body_text") == "half")
        let byClient = shown[5].row("http2")?.row("reset")
        #expect(byClient?.text("code") == "CANCEL" && byClient?.text("by") == "client")
    }
}

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
