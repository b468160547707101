internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Reads lines of exchanges, and of their messages, which follow them.
struct LineReader {
    /// An exchange whose messages may follow.
    private struct Begun {
        let id: Int64?
        let startedAtNs: Int64
        /// That of its message before.
        var position: Int64 = -1
    }

    /// The exchange that was read last; nil where it was no good.
    private var last: Begun?

    /// What a line is.
    mutating func part(_ element: SplitElement) throws(ImportProblem) -> ImportedPart {
        guard case .octets(let octets) = element else {
            throw ImportProblem(
                "it is longer than \(InterchangeReader.entryByteCountMax >> 20) MiB")
        }
        let value = try InterchangeReader.value(octets)
        if let id = value[MessageImport.exchangeName]?.integer {
            guard let last, last.id == id else {
                throw ImportProblem("its message is of no exchange right before it")
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
