import ClientLib
import Foundation
import ProxydTLS
import Testing

/// WebSockets of a server that others wrote.
@Suite(
    .enabled("the Python package websockets is installed") {
        await PythonWebSocketServer.isInstalled()
    },
    .timeLimit(.minutes(5)))
struct PythonWebSocketTests {
    typealias Form = PythonWebSocketServer.Form

    private let server: PythonWebSocketServer

    init() async throws { server = try await PythonWebSocketServer.shared() }

    private static var messages: [WebSocketRequest.Message] {
        var state: UInt64 = 1
        func noise(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
        }
        let texts =
            ["", "a", "Grüße, 日本語 🙂", "\u{0}"]
            + [125, 126, 65_535, 65_536, 1 << 20].map { String(repeating: "é", count: $0 / 2) }
            + (0..<40).map { #"{"number":\#($0),"text":"the same words each time"}"# }
        let bytes =
            [0, 1, 31, 32, 1_000, 70_000, 1 << 20].map(noise) + [
                [UInt8](repeating: 0, count: 1 << 20)
            ]
        return texts.map { .string($0) } + bytes.map { .data($0) }
    }

    /// What the server says of a message.
    private func description(of message: WebSocketRequest.Message) throws -> String {
        let digest = try #require(DigestAlgorithm.sha256.digest(of: message.bytes))
        let text = digest.map { String(format: "%02x", $0) }.joined()
        return "\(message.string == nil ? "bytes" : "str") \(message.byteCount) \(text)"
    }

    private func socket(_ path: String, _ form: Form = .none) throws -> WebSocketRequest {
        Session.default.webSocketRequest(
            try server.url(path, form), configuration: .maximumMessageSize(2 << 20))
    }

    /// What the server says of the end of a connection.
    private func end(_ path: String) async throws -> String? {
        let witness = try socket("end/" + path)
        defer { witness.cancel() }
        var messages = witness.messages.makeAsyncIterator()
        return try await messages.next()?.string
    }

    @Test(arguments: Form.allCases)
    func `WebSocket messages of all sizes are echoed unchanged by a Python server`(form: Form)
        async throws
    {
        let socket = try socket("both", form)
        var answers = socket.messages.makeAsyncIterator()
        for message in Self.messages {
            try await socket.send(message)
            #expect(try await answers.next() == .string(try description(of: message)))
            #expect(try await answers.next() == message)
        }
        #expect(socket.isCompressed == (form != .none))
        try await socket.close()
        #expect(try await answers.next() == nil)
        #expect(socket.error == nil)
    }

    @Test(arguments: Form.allCases)
    func `many WebSocket messages in flight stay in order`(form: Form) async throws {
        let socket = try socket("echo", form)
        let answers = socket.messages
        let texts = (0..<2_000).map { "\($0): again and again and again" }
        async let sending: Void = {
            for text in texts { try await socket.send(text) }
        }()
        var seen: [String] = []
        for try await answer in answers {
            seen.append(answer.string ?? "")
            if seen.count == texts.count { break }
        }
        try await sending
        #expect(seen == texts)
    }

    @Test(arguments: [1_000, 1_001, 1_011, 3_000, 4_999] as [UInt16])
    func `the server's WebSocket close code and reason are reported, and the code is echoed`(
        code: UInt16
    )
        async throws
    {
        let socket = try socket("close/\(code)/why")
        var end: WebSocketRequest.Completion?
        for await event in socket.events { end = event.completion ?? end }
        let closeCode = WebSocketRequest.CloseCode(rawValue: code)
        #expect(socket.closeCode == closeCode)
        #expect(socket.closeReason == "why")
        #expect(end?.error?.kind == (code < 1_002 ? nil : .webSocketFailed(.closed(closeCode))))
        // Ours echoes the code (RFC 6455 §5.5.1).
        #expect(try await self.end("close/\(code)/why") == "\(code) ")
    }

    @Test(arguments: [1_000, 3_000, 4_999] as [UInt16])
    func `the client's WebSocket close code and reason reach the server`(code: UInt16) async throws
    {
        let path = "echo/closed/\(code)"
        let socket = try socket(path)
        try await socket.send("one")
        try await socket.close(with: .init(rawValue: code), reason: "Grüße")
        #expect(try await end(path) == "\(code) Grüße")
        #expect(socket.error == nil)
    }

    @Test func `cancelling a WebSocket sends close code 1001 to the server`() async throws {
        let socket = try socket("echo/cancelled")
        try await socket.opened()
        socket.cancel()
        #expect(try await end("echo/cancelled") == "1001 ")
    }

    @Test func `WebSocket pings are answered in both directions`() async throws {
        let socket = try socket("ping")
        var messages = socket.messages.makeAsyncIterator()
        #expect(try await messages.next() == .string("yes"))
        #expect(try await socket.sendPing() > .zero)
        try await socket.close()
    }

    @Test(arguments: Form.allCases)
    func `fragmented WebSocket messages are reassembled`(form: Form) async throws {
        let socket = try socket("fragments", form)
        var messages = socket.messages.makeAsyncIterator()
        #expect(try await messages.next() == .string("Grüße 🙂"))
        #expect(
            try await messages.next()
                == .data(Array("ab".utf8) + [UInt8](repeating: 0, count: 100_000)))
        try await socket.close()
    }

    @Test
    func `a WebSocket message too large for the server is reported with the server's close code`()
        async throws
    {
        let socket = try socket("echo/large")
        try await socket.send([UInt8](repeating: 1, count: (2 << 20) + 1))
        let error = await #expect(throws: ClientError.self) {
            for try await _ in socket.messages {}
        }
        #expect(error?.kind == .webSocketFailed(.closed(.messageTooBig)))
    }
}
