internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Reads lines of exchanges, and of their messages, which follow them.
struct LineReader {
    /// The number and the start of the exchange that was read last; nil where it was no good.
    private var last: (id: Int64?, startedAtNs: Int64)?

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
            return .messages([try MessageImport.line(value, startedAtNs: last.startedAtNs)])
        }
        last = nil
        let imported = try JSONLinesImport.exchange(value)
        last = (imported.sourceID, imported.exchange.timeline.wallStart)
        return .exchange(imported)
    }
}
