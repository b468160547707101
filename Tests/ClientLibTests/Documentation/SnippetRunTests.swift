import Capture
import ClientLib
import Foundation
import ProxydClientTargets
import ProxydClientTestSupport
import ProxydHTTPWire
import ProxydTestSupport
import Testing

/// Runs the code of the documentation against a server.
@Suite(.timeLimit(.minutes(1)))
struct SnippetRunTests {
    private let site: DocumentedSite

    init() throws { site = try DocumentedSite() }

    // MARK: Getting started, README

    @Test func `the documentation's first request example returns the decoded value`() async throws
    {
        let site = site
        let lines = try await site.running { try await GettingStartedSnippets.firstRequest() }
        #expect(lines == ["Ada"])
        #expect(site.asked == ["GET /users/1"])
        _ = try await site.running {
            let user = try await GettingStartedSnippets.readme()
            #expect(user.name == "Ada")
        }
    }

    @Test func `the documentation's response example prints the value and the duration`() async {
        let site = site
        let lines = await site.running { await GettingStartedSnippets.wholeResponse(site.session) }
        #expect(lines.count == 1 && lines[0].hasPrefix("Ada "))
    }

    @Test func `the documentation's response handler example prints the value`() async {
        let site = site
        let lines = await site.running {
            for await _ in GettingStartedSnippets.handlers(site.session).events {}
        }
        #expect(lines == ["Ada"])
    }

    @Test func `the documentation's parameters example sends parameters in the query and as JSON`()
        async throws
    {
        let site = site
        let lines = try await site.running {
            try await GettingStartedSnippets.parameters(site.session)
        }
        #expect(site.asked == ["GET /search?page=2&q=a%20b", "POST /users"])
        #expect(site.server.received.last?.bodyText == #"{"name":"Ada"}"#)
        #expect(lines.count == 1 && lines[0].hasSuffix(" 14"))
    }

    @Test func `the documentation's upload example prints its progress and the result`()
        async throws
    {
        let (site, scratch) = (site, try ScratchFolder())
        let photo = try scratch.file("photo.jpg", [UInt8](repeating: 1, count: 400_000))
        let lines = try await site.running {
            try await GettingStartedSnippets.upload(site.session, path: photo.path)
        }
        let sent = try #require(site.server.received.first)
        #expect(lines.last == "\(sent.body.count) bytes")
        #expect(lines.dropLast().last == "1.0")
        #expect(sent.header("Content-Type")?.hasPrefix("multipart/form-data") == true)
    }

    @Test func `the documentation's download example stores the file in the given folder`()
        async throws
    {
        let (site, scratch) = (site, try ScratchFolder())
        let folder = scratch.url.appending(path: "reports")
        let lines = try await site.running {
            try await GettingStartedSnippets.download(site.session, folder: folder)
        }
        #expect(lines == [folder.path + "/report.pdf"])
        #expect(folder.appending(path: "report.pdf").bytes == Array("%PDF".utf8))
    }

    @Test func `the documentation's stream example prints the whole text`() async throws {
        let site = site
        let lines = try await site.running {
            try await GettingStartedSnippets.stream(site.session)
        }
        #expect(lines.joined() == "one\ntwo\n")
    }

    @Test func `the documentation's session configuration example sends its User-Agent`()
        async throws
    {
        let site = site
        _ = try await site.running {
            let session = try GettingStartedSnippets.configured()
            #expect(session.configuration.timeouts.connect == .seconds(5))
            var own = session.configuration
            own.trustedAuthorities = site.configuration.trustedAuthorities
            let trusting = Session(configuration: own)
            _ = try await trusting.request("https://api.test/").serializingData().value
        }
        #expect(site.server.received.first?.header("User-Agent") == "reporter/2")
    }

    // MARK: Coming from Alamofire

    @Test func `the documentation's adapter example adds a token`() async throws {
        let adapter = AlamofireSnippets.TokenAdapter { "t0ken" }
        _ = try await site.session.request("https://api.test/", interceptor: adapter)
            .serializingData().value
        #expect(site.server.received.first?.header("Authorization") == "Bearer t0ken")
    }

    @Test func `the documentation's error handling example distinguishes errors by kind`() async {
        let site = site
        let refused = ClientError(.network(.connectionRefused))
        let status = ClientError(.responseValidationFailed(.unacceptableStatusCode(code: 503)))
        let other = ClientError(.explicitlyCancelled)
        let lines = await site.running {
            for error in [status, refused, other] { AlamofireSnippets.handling(error) }
        }
        #expect(lines == ["status 503", "try again later", "\(other)"])
    }

    @Test func `the documentation's event monitor example prints a finished request`() async throws
    {
        let site = site
        let lines = await site.running {
            let session = Session(
                configuration: site.configuration, eventMonitors: [AlamofireSnippets.EventLog()])
            let request = session.request("https://api.test/")
            // Asked for first: who is told of the response may be ahead of the last event.
            let events = request.events
            _ = await request.serializingData().response
            for await _ in events {}
        }
        #expect(lines == ["GET https://api.test/ (200) nil"])
    }

    @Test func `the documentation's timeline example prints the durations of each attempt`() async {
        let site = site
        let lines = await site.running { await AlamofireSnippets.durations(site.session) }
        #expect(lines.count == 2)
        #expect(lines.last?.contains("Optional(") == true)
    }

    @Test func `the documentation's pinning example accepts the pinned certificate and no other`()
        async throws
    {
        let root = try #require(site.authority.root)
        let other = try #require(TestAuthority().root)
        for (certificate, isTaken) in [(root, true), (other, false)] {
            var configuration = site.configuration
            configuration.serverTrustManager =
                AlamofireSnippets.pinned([certificate]).configuration.serverTrustManager
            #expect(configuration.serverTrustManager != nil)
            let session = Session(configuration: configuration)
            let response = await session.request("https://api.test/").serializingData().response
            #expect((response.error == nil) == isTaken, "\(response)")
        }
    }

    @Test func `the documentation's curl example prints the request as a command`() async {
        let site = site
        let lines = await site.running {
            let request = site.session.request("https://api.test/a")
            AlamofireSnippets.asCommand(request)
            _ = await request.serializingData().response
        }
        #expect(lines.count == 1 && lines[0].hasSuffix("'https://api.test/a'"))
    }

    // MARK: Coming from Moya

    @Test func `the documentation's Moya-style target example requests a book and decodes it`()
        async throws
    {
        let site = site
        let lines = try await site.running { try await MoyaSnippets.books(site.session) }
        #expect(lines.last == "Emma")
        #expect(site.asked == ["GET /v1/books/1"])
        #expect(site.server.received.first?.header("Accept") == "application/json")
    }

    @Test func `the documentation's Moya-style targets send the described requests`() async throws {
        let provider = Provider<Books>(session: site.session)
        _ = try await provider.request(.all)
        _ = try await provider.request(.add(title: "Emma"))
        #expect(site.asked == ["GET /v1/books?sort=title", "POST /v1/books"])
        #expect(site.server.received.last?.bodyText == #"{"title":"Emma"}"#)
        #expect(try Books.add(title: "Emma").endpoint() == Books.add(title: "Emma").endpoint())
        let book = try await provider.request(.book(id: 1)).map(Book.self)
        #expect(book.title == "Emma")
    }

    @Test func `the documentation's stub example gets its response from a captured exchange`()
        async throws
    {
        let site = site
        let exchange = try await exchange()
        let lines = try await site.running { try await MoyaSnippets.stubbed(with: exchange) }
        #expect(lines == ["200"])
        #expect(site.server.received.count == 1)
    }

    @Test func `the documentation's plugin example counts attempts`() async throws {
        let site = site
        let lines = try await site.running {
            let provider = Provider<Books>(session: site.session, plugins: [Timing()])
            _ = try await provider.request(.all)
        }
        #expect(lines.count == 2 && lines[0] == "attempt 1")
    }

    // MARK: Replaying captures

    private func exchange() async throws -> Exchange {
        let response = await site.session.request("https://api.test/users/1?id=1").serializingData()
            .response
        return try #require(response.exchanges.first)
    }

    @Test func `the documentation's recording example stores an exchange that can be read again`()
        async throws
    {
        let (site, scratch) = (site, try ScratchFolder())
        let path = scratch.url.path
        try await ReplayingSnippets.recorded(into: path, site.configuration)
        #expect(site.asked == ["GET /"])
        let found = try #require(try ReplayingSnippets.captured(1, in: path))
        #expect(found.request.url?.description == "https://api.test/")
        #expect(try ReplayingSnippets.captured(2, in: path) == nil)
    }

    @Test func `the documentation's exact replay example sends the same request again`()
        async throws
    {
        let site = site
        let exchange = try await exchange()
        let lines = try await site.running {
            try await ReplayingSnippets.exact(site.session, exchange)
        }
        #expect(lines == ["Optional(200)"])
        #expect(site.asked == ["GET /users/1?id=1", "GET /users/1?id=1"])
    }

    @Test func `the documentation's edited replay examples send the changed requests`() async throws
    {
        let site = site
        let response = await site.session.request(
            "https://api.test/users/1?id=1", method: .post,
            headers: ["Content-Type": "application/json", "If-None-Match": "\"v\""],
            body: .text(#"{"user":{"tags":["old"]}}"#)
        ).serializingData().response
        let exchange = try #require(response.exchanges.first)
        let lines = try await site.running {
            try await ReplayingSnippets.edited(site.session, exchange)
        }
        #expect(lines.count == 2)
        let sent = site.server.received
        #expect(sent.count == 3)
        #expect(sent[1].head.targetText == "/users/1?id=1&debug=1")
        #expect(sent[1].header("Authorization") == "Bearer new")
        #expect(sent[1].bodyText == #"{"user":{"tags":["new"]}}"#)
        #expect(sent[2].header("If-None-Match") == nil)
    }

    @Test func `the documentation's replay run example sends an exchange in ten rounds`()
        async throws
    {
        let site = site
        let exchange = try await exchange()
        let lines = try await site.running {
            try await ReplayingSnippets.run(site.session, [exchange])
        }
        #expect(lines.count == 10)
        #expect(site.asked.count == 11)
    }

    // MARK: WebSockets, event streams and gRPC

    /// Closes as the client does, and says something else otherwise.
    private func talker(
        _ answers: @escaping @Sendable (WebSocketTestServer.Frame) -> [WebSocketTestServer.Step]
    ) -> WebSocketTestServer.Manner {
        WebSocketTestServer.Manner(react: { frame in
            frame.opcode.isControl ? WebSocketTestServer.Manner.echo(frame) : answers(frame)
        })
    }

    @Test func `the documentation's WebSocket example sends and prints messages`() async throws {
        let site = site
        var manner = talker { [.frame(.text, $0.payload), .frame(.binary, [1, 2]), .text("bye")] }
        manner.fields = { _ in [("Sec-WebSocket-Protocol", "chat")] }
        let server = try WebSocketTestServer(tls: site.context(), manner)
        let session = try site.session(leadingTo: server.port)
        let lines = try await site.running { try await StreamSnippets.talk(session) }
        #expect(lines == ["hello", "2 bytes", "bye"])
        #expect(server.frames.last?.opcode == .close)
    }

    @Test func `the documentation's WebSocket events example prints each event`() async throws {
        let site = site
        let manner = talker { [.frame(.text, $0.payload), .text("?"), .close(1_000, "done")] }
        let server = try WebSocketTestServer(tls: site.context(), manner)
        let session = try site.session(leadingTo: server.port)
        let lines = try await site.running { try await StreamSnippets.events(session) }
        #expect(lines.prefix(2) == ["open without a subprotocol", "Ada"])
        #expect(lines.suffix(2) == ["1000 done", "no error"])
        #expect(lines.count == 5)
    }

    @Test
    func `the documentation's event source example prints events until the server answers 204`()
        async throws
    {
        let site = site
        let lines = try await site.running { try await StreamSnippets.news(site.session) }
        #expect(lines == ["add one", "message two"])
        #expect(site.asked == ["GET /news", "GET /news"])
    }

    @Test func `the documentation's gRPC example prints the response and the status`() async throws
    {
        let site = site
        let server = try HTTP2TestServer(tls: site.context()) { _ in
            .response(
                200, [("content-type", "application/grpc")], [0, 0, 0, 0, 2, 7, 8],
                trailers: [("grpc-status", "0")])
        }
        let session = try site.session(leadingTo: server.port)
        let lines = try await site.running { try await StreamSnippets.call(session, [1]) }
        #expect(lines == ["[7, 8]", "OK"])
    }

    @Test func `the documentation's WebSocket replay example sends the recorded message again`()
        async throws
    {
        let site = site
        let server = try WebSocketTestServer()
        let socket = Session.default.webSocketRequest(server.url)
        try await socket.send("first")
        try await socket.close()
        let exchange = try #require(socket.exchanges.first)
        let messages = [
            MessageRecord(
                direction: .toServer, kind: .text, byteCount: 5,
                content: .bytes(Array("again".utf8)))
        ]
        let lines = try await site.running {
            try await StreamSnippets.replay(Session.default, exchange, messages)
        }
        #expect(Set(lines) == ["sent 5", "got 5", "1 true"])
        #expect(server.frames.map(\.text).contains("again"))
    }
}
