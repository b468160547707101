public import ProxydCaptureModel
internal import ProxydCurlCommand
internal import ProxydHTTPModel

/// Writes curl commands, one per exchange, each after a comment that identifies the exchange. A
/// request that cannot be repeated exactly gets a comment with the reason instead of a command.
public struct CurlWriter: ExchangeWriting {
    /// The number of exchanges without a command.
    public private(set) var withoutCommandCount = 0

    /// Creates a writer that has counted no exchanges yet.
    public init() {}

    /// Returns nothing: a list of commands has no header.
    public mutating func beginning() -> [UInt8] { [] }

    /// Returns a comment and a command.
    public mutating func opening(of captured: CapturedExchange) -> [UInt8] {
        var text = CurlWriter.heading(captured.row)
        if let problem = CurlWriter.problem(captured) {
            withoutCommandCount += 1
            return Array((text + "# no command: \(problem)\n\n").utf8)
        }
        guard
            let command = CurlCommand(
                captured.exchange.request, options: CurlOptions(redaction: nil))
        else {
            withoutCommandCount += 1
            return Array((text + "# no command: the request could not be read\n\n").utf8)
        }
        text += CurlWriter.notSent(command) + command.text(.multiLine) + "\n\n"
        return Array(text.utf8)
    }

    /// Returns nothing: a list of commands has no footer.
    public mutating func ending() -> [UInt8] { [] }

    /// A comment that identifies the exchange.
    static func heading(_ row: ExchangeRow) -> String {
        var text = "# \(row.idText)"
        if let method = row.method { text += " \(commentText(method))" }
        if let url = row.url { text += " \(commentText(url))" }
        return text + "\n"
    }

    /// A comment for each part of the request that the command does not send.
    static func notSent(_ command: CurlCommand) -> String {
        command.omissions.map { "# not sent: \(commentText("\($0)"))\n" }.joined()
    }

    /// Why a request cannot be repeated exactly; nil if it can.
    static func problem(_ captured: CapturedExchange) -> String? {
        let request = captured.exchange.request
        if captured.leftOut.contains(where: { $0.hasPrefix("request") }) {
            return "a part of the request was left out"
        }
        guard request.head != nil, request.url != nil else {
            return "the request could not be read"
        }
        if request.head?.isClassicConnect == true { return "a tunnel is not a request to a server" }
        if request.body.isTruncated, captured.exchange.upgradedTo == nil {
            return "\(request.body.kept.count) of \(request.body.byteCount) bytes of the body "
                + "were kept"
        }
        if captured.exchange.state == .active, captured.exchange.timeline[.requestLastByte] == nil {
            return "the request is not complete yet"
        }
        return nil
    }

    /// Text that cannot end a comment: printable ASCII, everything else percent-encoded.
    static func commentText(_ text: String) -> String {
        var shown: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            if (0x20...0x7E).contains(byte) {
                shown.append(byte)
            } else {
                shown += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }
}
