import Foundation
import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// What the engine does with every vector of HTTPWireTests, byte for byte on both sides, and the
/// rows it leaves: golden files that only a wanted change of behaviour may change.
@Suite struct EngineTranscriptTests {
    @Test(arguments: WireVectorFile.names)
    func `for each wire test vector, the proxy's output and records match the golden file`(
        name: String
    ) throws {
        let found = try WireVectorFile.read(name)
            .map { try EngineTranscript.text(of: $0) }.joined(separator: "\n")
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "Golden/\(name).txt")
        let wanted = try GoldenFile.wanted(at: url, found: found)
        let difference = zip(wanted.split(separator: "\n"), found.split(separator: "\n"))
            .first { $0 != $1 }
        #expect(difference == nil)
        #expect(found.count == wanted.count)
    }
}

/// What the engine makes of a wire vector, as text.
enum EngineTranscript {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    static func text(of vector: WireVector) throws -> String {
        let outcome = try Playbook.play { book in
            if vector.isResponse {
                answer(vector, in: book)
            } else {
                request(vector, in: book)
            }
            return book.outcome
        }
        return "## \(vector.title)\n" + lines(of: outcome).map { $0 + "\n" }.joined()
    }

    /// The client sends a vector's requests, and a server answers each.
    private static func request(_ vector: WireVector, in book: Playbook) {
        book.requests(proxied(WireOutcome.text(vector.bytes)))
        var answeredCount = 0
        while true {
            if book.connector.isWaitedFor { book.connects() }
            let writtenCount = book.servers.map(\.written.count).reduce(0, +)
            guard writtenCount > answeredCount, book.servers.last?.isOpen == true else { break }
            answeredCount = writtenCount
            book.answers(ok)
        }
        if vector.endsThere { book.clientEnds() }
    }

    /// A server sends a vector to a client that asked with each method, all on one connection.
    private static func answer(_ vector: WireVector, in book: Playbook) {
        for method in vector.methods {
            let target = method == .connect ? "h:80" : "http://h/"
            book.requests("\(method.rawValue) \(target) HTTP/1.1\r\nHost: h\r\n\r\n")
        }
        if book.connector.isWaitedFor { book.connects() }
        book.answers(WireOutcome.text(vector.bytes))
        if vector.endsThere { book.serverEnds() }
    }

    /// Vectors are requests to servers: in those that are otherwise fit for a proxy, the target
    /// gets an authority and the head a Host.
    private static func proxied(_ text: String) -> String {
        guard let end = text.firstRange(of: "\r\n")?.upperBound else { return text }
        let line = text[..<end].replacing(" / ", with: " http://h/ ")
        let host = text.lowercased().contains("host") ? "" : "Host: h\r\n"
        return line + host + text[end...]
    }

    private static func lines(of outcome: WireOutcome) -> [String] {
        var lines = ["client < \(escaped(outcome.client))"]
        lines += outcome.clientEnding.map { ["client \($0)"] } ?? []
        for (index, server) in outcome.servers.enumerated() {
            lines.append("server \(index + 1) < \(escaped(server))")
            lines += outcome.serverEndings[index].map { ["server \(index + 1) \($0)"] } ?? []
        }
        return lines + outcome.rows.flatMap { Self.lines(of: $0) }
    }

    private static func lines(of row: RecordingSink.Recorded) -> [String] {
        let line = [row.method, row.url, row.status.map(String.init)].map { $0 ?? "-" }
        var lines = ["row \(row.state): " + line.joined(separator: " ")]
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { lines.append("  \(name): \(value)") }
        }
        add("request", row.requestHead.map(escaped))
        add("sent", row.requestHeadSent.map(escaped))
        add("malformed", row.malformed.map(escaped))
        add("request body", "\(row.requestByteCount) \(escaped(row.requestBody))")
        add("request trailers", row.requestTrailers.map { escaped($0.bytes) })
        add("interim", row.informational.map(String.init).joined(separator: " "))
        add("response", row.responseHead.map(escaped))
        add("response body", "\(row.responseByteCount) \(escaped(row.responseBody))")
        add("response trailers", row.responseTrailers.map { escaped($0.bytes) })
        add("upgraded to", row.upgradedTo)
        add("failure", row.failure.map { "\($0.origin) \($0.kind) \($0.message)" })
        add("refused", row.fault?.refusal.map { "\($0.reason) \(escaped($0.bytes))" })
        add("repaired", row.fault.map { $0.repairs.joined(separator: "; ") })
        return lines
    }

    /// Bytes as one line, long ones cut: what is left out is counted.
    private static func escaped(_ bytes: [UInt8]) -> String {
        let shown = WireText.escaped(bytes.prefix(600))
        return bytes.count > 600 ? "\(shown)… \(bytes.count) bytes" : shown
    }

    private static func escaped(_ text: String) -> String { escaped(WireOutcome.bytes(text)) }
}
