public import ProxydInterchange

extension InterchangeReader {
    /// An exchange with all its messages, or why it was refused.
    public typealias WholeEntry = Result<ImportedExchange, ImportProblem>

    /// Reads a file, in pieces of this many bytes.
    public static func entries(
        of bytes: [UInt8], pieceByteCount: Int = 1 << 20
    ) throws -> [WholeEntry] {
        var reader = InterchangeReader()
        var entries: [WholeEntry] = []
        func take(_ entry: Entry) {
            switch entry {
            case .success(.exchange(let exchange)): entries.append(.success(exchange))
            case .failure(let problem): entries.append(.failure(problem))
            case .success(.messages(let messages)):
                guard case .success(var exchange)? = entries.last else { return }
                exchange.messages += messages
                entries[entries.count - 1] = .success(exchange)
            case .success(.leftOut): break
            }
        }
        for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
            let piece = Array(bytes[start..<min(start + pieceByteCount, bytes.count)])
            try reader.receive(piece) { take($0) }
        }
        try reader.finish { take($0) }
        return entries
    }
}
