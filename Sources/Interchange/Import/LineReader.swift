internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Reads lines with exchanges, and with the messages that follow them.
struct LineReader {
    /// An exchange that may be followed by messages.
    private struct Begun {
        let id: Int64?
        let startedAtNs: Int64
        /// The position of the previous message, or -1 before the first.
        var position: Int64 = -1
    }

    /// The last exchange read; nil if it was invalid.
    private var last: Begun?

    /// Parses a line as an exchange or a message.
    mutating func part(_ element: SplitElement) throws(ImportProblem) -> ImportedPart {
        guard case .bytes(let bytes) = element else {
            throw ImportProblem(
                "it is longer than \(InterchangeReader.entryByteCountMax >> 20) MiB")
        }
        let value = try InterchangeReader.value(bytes)
        if let id = ExchangeNameJSON.number(value[MessageImport.exchangeName]) {
            guard let last, last.id == id else {
                throw ImportProblem("its message does not follow the exchange it belongs to")
            }
            let message = try MessageImport.line(value, startedAtNs: last.startedAtNs)
            guard message.position > last.position else {
                throw ImportProblem(
                    "its message \(message.position) does not come after \(last.position)")
            }
            self.last?.position = message.position
            return .messages([message])
        }
        last = nil
        let imported = try JSONLinesImport.exchange(value)
        last = Begun(
            id: imported.sourceID, startedAtNs: imported.exchange.timeline.wallStart)
        return .exchange(imported)
    }
}
