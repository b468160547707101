import Foundation
import Testing

/// WebSockets on streams of HTTP/2 (RFC 8441) between a client and a server of Node.js, on each way
/// to the proxy, to servers of both versions.
@Suite(.enabled(if: NodeHTTP2Server.isAvailable, "Node.js is installed"))
struct WebSocketStreamTests {
    private static let cancel = 8
    private static let internalError = 2
    private static let burstByteCount = 2 << 20

    @Test(arguments: ["tunnel", "tls", "listener"])
    func `WebSockets on h2 streams are forwarded to streams of an h2 server and recorded`(
        way: String
    ) throws {
        let certificate = way == "tls" ? try TestCertificate() : nil
        let server = try WebSocketStreamServer(.streams, certificate)
        let proxy = try Daemon(trusting: certificate)
        let came = try server.ask(way, through: proxy)
        try checkClient(came, brokenBy: Self.internalError)
        #expect(came.last?.text("body") == "opaque bytes")
        // The client's end, and its code, are what the server gets.
        #expect(
            try (0..<4).map { _ in try server.nextEnd() } == [
                "/chat closed 1000", "/slow closed 1001", "/broken code \(Self.internalError)",
                "/cancelled code \(Self.cancel)",
            ])
        let rows = try rows(proxy)
        let scheme = way == "tls" ? "https" : "http"
        for path in ["/slow", "/chat", "/broken", "/cancelled"] {
            let exchange = try #require(rows[path])
            #expect(exchange.text("method") == "CONNECT" && exchange.int("status") == 200)
            #expect(exchange.text("url") == "\(scheme)://localhost:\(server.port)\(path)")
            #expect(exchange.text("http_version") == "HTTP/2" && exchange.text("protocol") == "ws")
            let facts = exchange.row("http2")
            #expect(facts?.int("client_stream") != nil && facts?.int("server_stream") != nil)
            #expect(
                facts?.pairs("request_lines").contains {
                    $0.prefix(2) == [":protocol", "websocket"]
                }
                    == true)
        }
        #expect(rows["/slow"]?.row("response")?.int("body_bytes") ?? 0 > Self.burstByteCount)
        try checkMessages(rows, proxy)
        try checkEndings(rows)
        #expect(rows["/broken"]?.row("http2")?.row("reset")?.text("code") == "INTERNAL_ERROR")
        let cancelled = rows["/cancelled"]?.row("http2")?.row("reset")
        #expect(cancelled?.text("code") == "CANCEL" && cancelled?.text("by") == "client")
        #expect(rows["/opaque"]?.text("protocol") == "tunnel")
    }

    @Test(arguments: [WebSocketStreamServer.Kind.streams, .upgrades])
    func `even the first client of a reverse listener can open a WebSocket on an h2 stream`(
        kind: WebSocketStreamServer.Kind
    ) throws {
        let certificate = try TestCertificate()
        let server = try WebSocketStreamServer(kind, certificate)
        let proxy = try Daemon(
            trusting: certificate,
            configuration: """

                [[listener]]
                mode = "reverse"
                address = "127.0.0.1:0"
                to = "https://localhost:\(server.port)"
                tls = true

                """)
        let came = try server.ask("reverse-tls", through: proxy, at: try proxy.nextPort())
        let chat = came.first { $0.text("path") == "/chat" }
        #expect(chat?.int("status") == 200)
        #expect(
            chat?.object["messages"] as? [String]
                == ["1 echo hello", "10 are you there", "2 of 70005", "8 1000"])
    }

    @Test func `WebSockets on HTTP/2 streams are forwarded to an HTTP/1.1 server and recorded`()
        throws
    {
        let certificate = try TestCertificate()
        let server = try WebSocketStreamServer(.upgrades, certificate)
        let proxy = try Daemon(trusting: certificate)
        let came = try server.ask("listener-tls", through: proxy)
        // HTTP/1.1 has no code: its connection has ended, and so does the stream.
        try checkClient(came, brokenBy: 0)
        // Only WebSocket has a form in HTTP/1.1.
        #expect(came.last?.int("status") == 501)
        #expect(came.last?.text("body")?.contains("websocket is the only") == true)
        #expect(
            try (0..<4).map { _ in try server.nextEnd() } == [
                "/chat closed 1000", "/slow closed 1001", "/broken lost", "/cancelled lost",
            ])
        let rows = try rows(proxy)
        let chat = try #require(rows["/chat"])
        #expect(chat.text("method") == "CONNECT" && chat.int("status") == 101)
        #expect(chat.text("http_version") == "HTTP/2" && chat.text("protocol") == "ws")
        #expect(chat.row("http2")?.int("client_stream") != nil)
        #expect(chat.row("http2")?.int("server_stream") == nil)
        let accept = chat.row("response")?.pairs("headers").filter {
            $0.first == "Sec-WebSocket-Accept"
        }
        #expect(accept?.count == 1)
        try checkMessages(rows, proxy)
        try checkEndings(rows)
        // Node.js ends a stream before it cancels it: a server of HTTP/1.1 that answers the end at
        // once may be the first to end the exchange.
        let cancelled = try #require(rows["/cancelled"]).row("http2")?.row("reset")
        #expect(cancelled.map { $0.text("code") == "CANCEL" } != false)
        let opaque = try #require(rows["/opaque"])
        #expect(opaque.text("state") == "failed" && opaque.int("status") == 501)
        #expect(opaque.text("error")?.contains("websocket is the only") == true)
    }

    @Test(arguments: ["tunnel", "listener"])
    func `WebSockets on h2 streams are not offered to clients if the server does not offer them`(
        way: String
    ) throws {
        let server = try WebSocketStreamServer(.nothing)
        let proxy = try Daemon()
        let came = try server.look(way, through: proxy)
        #expect(came?.int("status") == 200)
        #expect(came?.object["isOffered"] as? Bool == false)
    }

    // MARK: What is the same for both

    /// What the client got, but for the protocol that is no WebSocket.
    private func checkClient(_ came: [Row], brokenBy code: Int) throws {
        let conversations = came.filter { $0.text("path") != "/plain" }
        #expect(came.count { $0.text("path") == "/plain" && $0.int("status") == 200 } > 0)
        try #require(
            conversations.map { $0.text("path") }
                == ["/chat", "/slow", "/refused", "/broken", "/cancelled", "/opaque"])
        let (chat, slow, refused) = (conversations[0], conversations[1], conversations[2])
        #expect(chat.int("status") == 200 && chat.text("protocol") == "chat")
        #expect(
            chat.object["messages"] as? [String]
                == ["1 echo hello", "10 are you there", "2 of 70005", "8 1000"])
        #expect(
            slow.object["messages"] as? [String] == ["2 of \(Self.burstByteCount)", "8 1001"])
        #expect(refused.int("status") == 403 && refused.text("body") == "not here")
        #expect(conversations.map { $0.int("code") }.prefix(5) == [0, 0, 0, code, Self.cancel])
        // Keys and proofs are HTTP/1.1's affair.
        for conversation in conversations {
            #expect(conversation.object["fields"] as? [String] == [])
        }
    }

    private func checkMessages(_ rows: [String: Row], _ proxy: Daemon) throws {
        let chat = try #require(rows["/chat"])
        #expect(chat.text("state") == "complete" && chat.int("messages") == 4)
        let messages = try proxy.proxyctl(["messages", "\(chat.int("id") ?? 0)", "--json"]).text
            .split(separator: "\n").map { try Row(json: String($0)) }
        #expect(
            messages.map { "\($0.text("direction") ?? "") \($0.text("kind") ?? "")" } == [
                "to_server text", "to_client text", "to_server ping", "to_client pong",
                "to_server binary", "to_client binary", "to_server close", "to_client close",
            ])
        #expect(messages.prefix(2).map { $0.text("text") } == ["hello", "echo hello"])
        #expect(messages.map { $0.int("bytes") } == [5, 10, 13, 13, 70_000, 70_005, 2, 2])
    }

    private func checkEndings(_ rows: [String: Row]) throws {
        let broken = try #require(rows["/broken"])
        #expect(broken.text("state") == "failed")
        #expect(broken.text("error")?.hasPrefix("upstream closedEarly") == true)
        let refused = try #require(rows["/refused"])
        #expect(refused.text("state") == "complete" && refused.int("status") == 403)
        #expect(refused.row("response")?.text("body_text") == "not here")
        #expect(rows["/chat"]?.row("http2")?.row("reset") == nil)
    }

    /// The exchanges that asked for a protocol, by their paths.
    private func rows(_ proxy: Daemon) throws -> [String: Row] {
        var rows: [String: Row] = [:]
        for row in try proxy.rows("method=CONNECT", count: 6) {
            let exchange = try proxy.show(row)
            let path = exchange.text("url").flatMap { URL(string: $0)?.path } ?? ""
            rows[path] = exchange
        }
        return rows
    }
}

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
