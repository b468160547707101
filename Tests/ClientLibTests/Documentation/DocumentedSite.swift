import ClientLib
import ProxydClientTestSupport
import ProxydTestSupport
import Synchronization

@testable import ProxydTLS

/// What the documentation calls https://api.test, on loopback: a secure server, and a proxy that
/// leads to it whatever is asked for.
final class DocumentedSite: Sendable {
    /// The site of the test that runs.
    @TaskLocal private static var running: DocumentedSite?

    static var current: DocumentedSite {
        guard let running else { preconditionFailure("no test runs this code") }
        return running
    }

    let server: ScriptedServer
    let authority: TestAuthority
    let configuration: SessionConfiguration
    let session: Session

    init() throws {
        authority = try TestAuthority()
        server = try ScriptedServer(tls: authority.context(authority.leaf("api.test"))) {
            DocumentedSite.answer(to: $0)
        }
        configuration = try DocumentedSite.configuration(authority, leadingTo: server.port)
        session = Session(configuration: configuration)
    }

    private static func configuration(
        _ authority: TestAuthority, leadingTo port: UInt16
    ) throws -> SessionConfiguration {
        let proxy = try TestProxy(.http(), leadingTo: port)
        var configuration = authority.configuration
        configuration.proxy = ProxySettings(
            ProxyServer(.http, host: "127.0.0.1", port: proxy.port),
            authorityPath: authority.rootPath)
        return configuration
    }

    /// What another server of the site is secured with.
    func context() throws -> TLSServerContext { try authority.context(authority.leaf("api.test")) }

    /// A session for which the site is another server.
    func session(leadingTo port: UInt16) throws -> Session {
        Session(configuration: try DocumentedSite.configuration(authority, leadingTo: port))
    }

    /// What was asked for: `GET /users/1`.
    var asked: [String] {
        server.received.map { "\($0.head.method) \($0.head.targetText)" }
    }

    /// Runs code of the documentation; gives what it printed.
    func running(_ code: () async throws -> Void) async rethrows -> [String] {
        let lines = Collector<String>()
        try await DocumentedSite.$running.withValue(self) {
            try await Printed.$lines.withValue(lines, operation: code)
        }
        return lines.all
    }

    private static func answer(to request: ScriptedServer.Received) -> [ScriptedServer.Step] {
        func json(_ text: String) -> [ScriptedServer.Step] {
            ScriptedServer.response(200, text, headers: [("Content-Type", "application/json")])
        }
        switch String(request.head.targetText.prefix { $0 != "?" }) {
        case "/users/1", "/users": return json(#"{"name":"Ada"}"#)
        case "/search": return json(#"["found"]"#)
        case "/photos": return ScriptedServer.response(200, "\(request.body.count) bytes")
        case "/report.pdf":
            return ScriptedServer.response(
                200, "%PDF",
                headers: [("Content-Disposition", "attachment; filename=\"report.pdf\"")])
        case "/news":
            guard request.number == 1 else { return ScriptedServer.response(204) }
            return ScriptedServer.response(
                200, "retry: 1\nevent: add\ndata: one\n\ndata: two\n\n",
                headers: [("Content-Type", "text/event-stream")])
        case "/events": return ScriptedServer.response(200, "one\ntwo\n")
        case "/v1/books/1": return json(#"{"title":"Emma"}"#)
        default: return ScriptedServer.response(200, "page")
        }
    }
}

/// What the documentation's code prints, for the test that runs it.
enum Printed {
    @TaskLocal static var lines: Collector<String>?
}

/// In place of Swift's own, whose signature it has: a line that a running test collects, or no one.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
    Printed.lines?.add(items.map { "\($0)" }.joined(separator: separator))
}
