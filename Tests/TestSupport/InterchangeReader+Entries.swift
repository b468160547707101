public import ProxydInterchange

extension InterchangeReader {
    /// Reads a file, given in pieces of so many octets.
    public static func entries(
        of octets: [UInt8], pieceByteCount: Int = 1 << 20
    ) throws -> [InterchangeReader.Entry] {
        var reader = InterchangeReader()
        var entries: [InterchangeReader.Entry] = []
        for start in stride(from: 0, to: octets.count, by: pieceByteCount) {
            let piece = Array(octets[start..<min(start + pieceByteCount, octets.count)])
            try reader.receive(piece) { entries.append($0) }
        }
        try reader.finish { entries.append($0) }
        return entries
    }
}
