internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydStoreCoding

/// Reads the contents of messages that are part of a body, with the content codings removed. Each
/// body is looked up once, and the pieces read last are kept, because messages follow one after
/// another.
struct StoredMessageBodies {
    private enum Source {
        /// A body that had to be decoded, or is stored in its exchange's row.
        case whole([UInt8])
        /// The offset at which each piece starts.
        case pieces([Int64])
    }

    private let exchange: Int64
    private let database: SQLiteConnection
    private var sources: [MessageRecord.Direction: Source] = [:]
    private var window: (direction: MessageRecord.Direction, start: Int64, bytes: [UInt8])?

    init(exchange: Int64, database: SQLiteConnection) {
        self.exchange = exchange
        self.database = database
    }

    /// Returns a message with its contents, if these start at an offset in the body of its
    /// direction.
    mutating func filled(
        _ row: MessageRow, from start: Int64?, byteCountMax: Int
    ) throws(StoreError) -> MessageRow {
        guard let start else { return row }
        var row = row
        row.bodyStart = start
        row.bytes = try bytes(
            row.direction, from: start, count: row.byteCount, byteCountMax: byteCountMax)
        if row.bytes.count < min(row.byteCount, Int64(byteCountMax)) { row.flags.insert(.cut) }
        return row
    }

    private mutating func bytes(
        _ direction: MessageRecord.Direction, from start: Int64, count: Int64, byteCountMax: Int
    ) throws(StoreError) -> [UInt8] {
        let wanted = Int(clamping: max(0, min(count, Int64(byteCountMax))))
        guard start >= 0, wanted > 0 else { return [] }
        switch try source(direction) {
        case .whole(let bytes):
            return Array(StoredMessageBodies.part(of: bytes, from: start, count: wanted))
        case .pieces(let starts):
            return try bytes(direction, starts, from: start, count: wanted)
        }
    }

    private mutating func source(
        _ direction: MessageRecord.Direction
    ) throws(StoreError) -> Source {
        if let known = sources[direction] { return known }
        let part: BodyPart = direction == .toServer ? .request : .response
        let heads = try StoredExchange.heads(of: exchange, database)
        let fields = part == .request ? heads.requestHead?.fields : heads.responseHead?.fields
        let found: Source
        if let bytes = try StoredBody.messageBytes(of: exchange, part, fields, database) {
            found = .whole(bytes)
        } else if let shared = try StoredBody.shared(exchange, part, database) {
            found = .whole(shared)
        } else {
            found = .pieces(try StoredBody.pieceStarts(exchange, part, database))
        }
        sources[direction] = found
        return found
    }

    private mutating func bytes(
        _ direction: MessageRecord.Direction, _ starts: [Int64], from start: Int64, count: Int
    ) throws(StoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let position = start &+ Int64(bytes.count)
            guard let part = try piecesAround(position, direction, starts) else { break }
            let found = StoredMessageBodies.part(
                of: part.bytes, from: position &- part.start, count: count &- bytes.count)
            guard !found.isEmpty else { break }
            bytes += found
        }
        return bytes
    }

    /// A part of the bytes, as far as it exists, even if a damaged row gives a wrong offset.
    private static func part(
        of bytes: [UInt8], from start: Int64, count: Int
    ) -> ArraySlice<UInt8> {
        guard start >= 0 else { return [] }
        return bytes.dropFirst(Int(clamping: start)).prefix(max(0, count))
    }

    /// Several pieces, the first of which contains a byte of the body, or nil if none does.
    private mutating func piecesAround(
        _ position: Int64, _ direction: MessageRecord.Direction, _ starts: [Int64]
    ) throws(StoreError) -> (start: Int64, bytes: [UInt8])? {
        if let window, window.direction == direction, window.start <= position,
            position &- window.start < Int64(window.bytes.count)
        {
            return (window.start, window.bytes)
        }
        guard let place = StoredMessageBodies.place(of: position, in: starts) else { return nil }
        let pieces = try StoredBody.pieces(
            exchange, direction == .toServer ? .request : .response, from: Int64(place), database)
        let bytes = Array(pieces.joined())
        window = (direction, starts[place], bytes)
        return (starts[place], bytes)
    }

    /// The index of the last of the ascending starts that is not after a position.
    private static func place(of position: Int64, in starts: [Int64]) -> Int? {
        var lower = 0
        var upper = starts.count
        while lower < upper {
            let middle = lower &+ (upper &- lower) / 2
            if starts[middle] <= position { lower = middle &+ 1 } else { upper = middle }
        }
        return lower == 0 ? nil : lower &- 1
    }
}
