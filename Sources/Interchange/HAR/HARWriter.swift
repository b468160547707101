public import ProxydCaptureModel
public import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Writes HAR 1.2: one document, entry by entry.
public struct HARWriter: ExchangeWriting {
    private let version: String
    private let comment: String?
    private var isFirst = true
    private var hasMessages = false

    /// Creates a writer that records this program version, and a comment about the whole log.
    public init(version: String, comment: String? = nil) {
        self.version = version
        self.comment = comment
    }

    /// The start of the log, up to its first entry.
    public mutating func beginning() -> [UInt8] {
        let creator = JSONValue.members([
            ("name", .string("proxyd")), ("version", .string(version)),
        ])
        var bytes = Array(#"{"log":{"version":"1.2","creator":"#.utf8)
        JSONText.write(creator, into: &bytes)
        if let comment {
            bytes += #","comment":"#.utf8
            JSONText.write(.string(comment), into: &bytes)
        }
        return bytes + Array(#","entries":["#.utf8)
    }

    /// An entry on a line of its own, up to its last member.
    public mutating func opening(of captured: CapturedExchange) -> [UInt8] {
        var bytes: [UInt8] = isFirst ? [0x0A] : [0x2C, 0x0A]
        isFirst = false
        hasMessages = false
        JSONText.write(HAREntry.value(captured), into: &bytes)
        bytes.removeLast()
        return bytes
    }

    /// Elements of `_webSocketMessages`.
    public mutating func bytes(
        of messages: [ExportedMessage], in captured: CapturedExchange
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        for message in messages {
            guard let value = HARMessage.value(message, captured.row) else { continue }
            bytes += hasMessages ? Array(",".utf8) : Array(#","\#(HARMessage.memberName)":["#.utf8)
            hasMessages = true
            JSONText.write(value, into: &bytes)
        }
        return bytes
    }

    /// The end of the entry.
    public mutating func closing() -> [UInt8] { Array(hasMessages ? "]}".utf8 : "}".utf8) }

    /// Returns true for WebSockets: HAR has no place for other messages.
    public func holdsMessages(of exchange: CapturedExchange) -> Bool {
        exchange.row.spokenProtocol == .webSocket
    }

    /// The end of the log.
    public mutating func ending() -> [UInt8] { Array("\n]}}\n".utf8) }
}
