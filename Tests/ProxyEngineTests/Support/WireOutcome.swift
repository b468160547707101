import ProxydHTTPModel

@testable import ProxydProxyEngine

/// What a conversation put on the wire, byte for byte.
///
/// Texts are written for bytes, each scalar below U+0100 for the byte of its number.
struct WireOutcome: Sendable {
    /// What each server connection got.
    let servers: [String]
    /// What the client got.
    let client: String
    /// How the engine ended the client's connection; nil where it is kept.
    let clientEnding: ScriptedStream.Ending?
    /// How the engine ended each server connection.
    let serverEndings: [ScriptedStream.Ending?]
    let rows: [RecordingSink.Recorded]

    /// What all servers got.
    var server: String { servers.joined() }

    /// The code of the first response; nil where there is none.
    var status: Int? {
        client.hasPrefix("HTTP/1.1 ") ? Int(client.dropFirst(9).prefix(3)) : nil
    }

    /// How many responses begin in what the client got, whose bodies hold no status line.
    var responseCount: Int { client.ranges(of: "HTTP/1.1 ").count }

    /// Whether the request was answered with a status by us, the connection closed behind it, and
    /// no server saw a thing.
    func isRefused(_ status: Int) -> Bool {
        self.status == status && clientEnding == .closed && servers.isEmpty && responseCount == 1
    }

    static func bytes(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    static func text(_ bytes: [UInt8]) -> String {
        var text = ""
        for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }
}

extension Playbook {
    /// A request without anything special.
    static let plainGet = "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n"
    /// An answer without anything special.
    static let noContent = "HTTP/1.1 204 No Content\r\n\r\n"

    /// The client sends bytes.
    func requests(_ text: String) { clientSends(WireOutcome.bytes(text)) }

    /// The newest server sends bytes.
    func answers(_ text: String) {
        guard let server = servers.last else { return }
        server.receive(WireOutcome.bytes(text), pieceByteCount: pieceByteCount)
    }

    /// What is on the wire so far.
    var outcome: WireOutcome {
        WireOutcome(
            servers: servers.map { WireOutcome.text($0.written) },
            client: WireOutcome.text(client.written), clientEnding: client.ending,
            serverEndings: servers.map(\.ending), rows: sink.rows)
    }

    /// What becomes of one request and its answer. The server ends its side behind the answer where
    /// `serverEnds`.
    static func exchange(
        _ request: String = plainGet, answer: String = noContent, serverEnds: Bool = false,
        configuration: EngineConfiguration = EngineConfiguration()
    ) throws -> WireOutcome {
        try play(configuration: configuration) { book in
            book.requests(request)
            if book.connector.isWaitedFor { book.connects() }
            if !answer.isEmpty { book.answers(answer) }
            if serverEnds { book.serverEnds() }
            return book.outcome
        }
    }
}
