public import ProxydCaptureModel
public import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// A format for exporting exchanges one after another: `opening(of:)` for an exchange,
/// `bytes(of:in:)` for each batch of its messages, and `closing()`.
public protocol ExchangeWriting {
    /// The bytes before the first exchange.
    mutating func beginning() -> [UInt8]
    /// The bytes of the next exchange up to its messages.
    mutating func opening(of exchange: CapturedExchange) -> [UInt8]
    mutating func bytes(of messages: [ExportedMessage], in exchange: CapturedExchange) -> [UInt8]
    mutating func closing() -> [UInt8]
    /// The bytes after the last exchange.
    mutating func ending() -> [UInt8]
    func includesMessages(of exchange: CapturedExchange) -> Bool
    /// The number of exchanges that could not be written as a command or request.
    var withoutCommandCount: Int { get }
}

extension ExchangeWriting {
    /// The bytes of the next exchange without its messages.
    public mutating func bytes(of exchange: CapturedExchange) -> [UInt8] {
        opening(of: exchange) + closing()
    }

    public mutating func beginning() -> [UInt8] { [] }

    public mutating func bytes(
        of messages: [ExportedMessage], in exchange: CapturedExchange
    ) -> [UInt8] { [] }

    public mutating func closing() -> [UInt8] { [] }

    public mutating func ending() -> [UInt8] { [] }

    public func includesMessages(of exchange: CapturedExchange) -> Bool { false }

    public var withoutCommandCount: Int { 0 }
}

/// Writes JSON Lines: the object of `show --json` on one line, with the member `_capture` for
/// details that the object lacks. Its messages follow, one per line.
public struct JSONLinesWriter: ExchangeWriting {
    public init() {}

    public mutating func opening(of captured: CapturedExchange) -> [UInt8] {
        var line: [UInt8] = []
        JSONText.write(JSONLinesWriter.value(captured), into: &line)
        line.append(0x0A)
        return line
    }

    public mutating func bytes(
        of messages: [ExportedMessage], in captured: CapturedExchange
    ) -> [UInt8] {
        var lines: [UInt8] = []
        for message in messages {
            JSONText.write(MessageJSON.exported(message, of: captured.row), into: &lines)
            lines.append(0x0A)
        }
        return lines
    }

    public func includesMessages(of exchange: CapturedExchange) -> Bool { true }

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

    /// The stored bytes if the message's `body_text` does not reproduce them; otherwise nil.
    private static func body(
        _ body: Body, of message: String, in members: [JSONValue.Member]
    ) -> [UInt8]? {
        guard let text = JSONValue.object(members)[message]?["body_text"]?.text else { return nil }
        return text.utf8.elementsEqual(body.kept) ? nil : body.kept
    }
}
