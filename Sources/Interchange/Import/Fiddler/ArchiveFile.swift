/// A file that is read from any place.
public protocol ArchiveFile {
    /// Its size in bytes.
    var byteCount: Int64 { get }
    /// Returns up to `count` bytes from `offset` on; fewer only at the end of the file.
    func read(at offset: Int64, count: Int) throws -> [UInt8]
}

/// Reads numbers and runs of bytes from a file, one after another.
struct ArchiveCursor {
    private static let pieceByteCount = 64 << 10

    private let file: any ArchiveFile
    /// The end of what may be read.
    let end: Int64
    /// The place of the next byte.
    private(set) var offset: Int64
    private var piece: ArraySlice<UInt8> = []

    init(_ file: any ArchiveFile, at offset: Int64, end: Int64? = nil) {
        self.file = file
        self.offset = max(0, offset)
        self.end = min(end ?? .max, file.byteCount)
    }

    /// Takes the next bytes; nil if there are not that many.
    mutating func take(_ count: Int) throws -> ArraySlice<UInt8>? {
        guard count >= 0, Int64(count) <= end - offset else { return nil }
        if piece.count < count {
            let wanted = min(Int64(max(count, ArchiveCursor.pieceByteCount)), end - offset)
            piece = try file.read(at: offset, count: Int(wanted))[...]
            guard piece.count >= count else { return nil }
        }
        offset += Int64(count)
        let taken = piece.prefix(count)
        piece = piece.dropFirst(count)
        return taken
    }

    mutating func skip(_ count: Int64) {
        guard count > 0 else { return }
        piece = count < Int64(piece.count) ? piece.dropFirst(Int(count)) : []
        offset = count > end - offset ? end : offset + count
    }
}

extension ArraySlice<UInt8> {
    /// A number of up to eight bytes, the lowest first; bytes that are not there count as zero.
    func littleEndian(at place: Int, _ byteCount: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in (0..<byteCount).reversed() {
            let at = startIndex + place + index
            value = value << 8 | (at < endIndex ? UInt64(self[at]) : 0)
        }
        return value
    }
}
