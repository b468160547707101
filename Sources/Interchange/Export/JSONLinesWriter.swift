public import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// JSON Lines: the object of `show --json`, one a line, with the member `_capture` for what that
/// object does not say. Its messages follow, one a line.
public struct JSONLinesWriter: ExchangeWriting {
    /// A writer.
    public init() {}

    /// Nothing.
    public mutating func beginning() -> [UInt8] { [] }

    /// One line.
    public mutating func opening(of captured: CapturedExchange) -> [UInt8] {
        var line: [UInt8] = []
        JSONText.write(JSONLinesWriter.value(captured), into: &line)
        line.append(0x0A)
        return line
    }

    /// A line each.
    public mutating func octets(
        of messages: [ExportedMessage], in captured: CapturedExchange
    ) -> [UInt8] {
        var lines: [UInt8] = []
        for message in messages {
            JSONText.write(
                MessageJSON.exported(message, of: captured.row), into: &lines)
            lines.append(0x0A)
        }
        return lines
    }

    /// All.
    public func holdsMessages(of exchange: CapturedExchange) -> Bool { true }

    /// Nothing.
    public mutating func ending() -> [UInt8] { [] }

    private static func value(_ captured: CapturedExchange) -> JSONValue {
        guard
            case .object(let members) = ExchangeJSON.value(captured.row, captured.exchange)
        else { return .null }
        let details = CaptureDetails.value(
            captured, requestBody: body(captured.exchange.request.body, of: "request", in: members),
            responseBody: captured.exchange.response.flatMap {
                body($0.body, of: "response", in: members)
            })
        return .object(members + [JSONValue.Member(name: CaptureDetails.name, value: details)])
    }

    /// The kept octets where the message's `body_text` does not give them; else nil.
    private static func body(
        _ body: Body, of message: String, in members: [JSONValue.Member]
    ) -> [UInt8]? {
        guard let text = JSONValue.object(members)[message]?["body_text"]?.text else { return nil }
        return text.utf8.elementsEqual(body.kept) ? nil : body.kept
    }
}
