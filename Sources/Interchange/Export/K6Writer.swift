public import ProxydCaptureModel
internal import ProxydHTTPModel

/// Writes a script for k6 that sends the requests in their order, with the pauses between them, and
/// checks the status of each response.
public struct K6Writer: ExchangeWriting {
    private static let binaryByteCountMax = 256 << 10
    private static let pauseMin = 100_000_000
    private static let pauseMax = 10_000_000_000

    private var lastStartedAtNs: Int64?
    public private(set) var withoutCommandCount = 0

    public init() {}

    public mutating func beginning() -> [UInt8] {
        Array(
            """
            import { check, sleep } from 'k6';
            import http from 'k6/http';

            export const options = { vus: 1, iterations: 1 };

            export default function () {
              let response;

            """.utf8)
    }

    /// A request, or a comment that says why there is none.
    public mutating func opening(of captured: CapturedExchange) -> [UInt8] {
        let heading = CurlWriter.heading(captured.row).dropFirst(2)
        var text = "\n  // \(heading)"
        if let problem = problem(captured) {
            withoutCommandCount += 1
            return Array((text + "  // no request: \(problem)\n").utf8)
        }
        guard let head = captured.exchange.request.head, let url = captured.exchange.request.url
        else { return [] }
        text += pause(captured.row.startedAtNs)
        text += "  response = http.request(\n"
        text += "    \(SnippetLiteral.javaScript(head.method.rawValue)),\n"
        text += "    \(SnippetLiteral.javaScript("\(url)")),\n"
        text += "    \(K6Writer.body(captured.exchange.request.body.kept)),\n"
        text += "    {\n      redirects: 0,\n      headers: {\n"
        for (name, value) in K6Writer.fields(head) {
            text += "        \(K6Writer.key(name)): \(SnippetLiteral.javaScript(value)),\n"
        }
        text += "      },\n    },\n  );\n"
        if let status = captured.exchange.response?.delivered?.status {
            text += "  check(response, { \(SnippetLiteral.javaScript("status \(status)")): "
            text += "(r) => r.status === \(status) });\n"
        }
        return Array(text.utf8)
    }

    public mutating func ending() -> [UInt8] { Array("}\n".utf8) }

    private func problem(_ captured: CapturedExchange) -> String? {
        if let problem = CurlWriter.problem(captured) { return problem }
        if captured.exchange.upgradedTo != nil { return "it was upgraded to another protocol" }
        let body = captured.exchange.request.body.kept
        if String(validating: body, as: UTF8.self) == nil,
            body.count > K6Writer.binaryByteCountMax
        {
            return "its body is binary and has more than \(K6Writer.binaryByteCountMax >> 10) KiB"
        }
        return nil
    }

    /// A pause as long as it was between the starts of the requests, within bounds.
    private mutating func pause(_ startedAtNs: Int64) -> String {
        defer { lastStartedAtNs = startedAtNs }
        guard let last = lastStartedAtNs else { return "" }
        let gap = min(max(0, startedAtNs &- last), Int64(K6Writer.pauseMax))
        guard gap >= K6Writer.pauseMin else { return "" }
        let tenths = gap / 100_000_000
        return "  sleep(\(tenths / 10).\(tenths % 10));\n"
    }

    /// Name and value of each field; lines of one name are joined, because k6 sends one.
    private static func fields(_ head: RequestHead) -> [(name: String, value: String)] {
        let sent = head.fields.pairs.filter { field in
            let name = field.name.lowercased()
            return !SnippetFields.framing.contains(name) && !name.hasPrefix(":")
        }
        return SnippetFields.joined(sent).fields
    }

    private static func body(_ bytes: [UInt8]) -> String {
        guard !bytes.isEmpty else { return "null" }
        if let text = String(validating: bytes, as: UTF8.self) {
            return SnippetLiteral.javaScript(text)
        }
        let numbers = bytes.map(String.init).joined(separator: ",")
        return "new Uint8Array([\(numbers)]).buffer"
    }

    /// The name of a property; `__proto__` alone would set the object's prototype.
    private static func key(_ name: String) -> String {
        name == "__proto__"
            ? "[\(SnippetLiteral.javaScript(name))]" : SnippetLiteral.javaScript(name)
    }
}
