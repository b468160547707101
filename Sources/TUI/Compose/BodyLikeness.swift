internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// How the bodies of two responses compare, with content codings removed.
enum BodyLikeness: Sendable, Hashable {
    case same
    /// The offset of the first byte that differs.
    case different(offset: Int64)
    /// A body was not stored completely, or its coding cannot be removed.
    case unknown

    /// How many bytes are compared at a time.
    private static let pieceByteCount = 1 << 20

    /// Compares the stored bodies of two exchanges.
    static func of(
        _ first: ExchangeID, _ second: ExchangeID, _ context: WorkContext
    ) throws -> BodyLikeness {
        guard let one = try body(first, context), let other = try body(second, context) else {
            return .unknown
        }
        var offset = 0
        while !context.isCancelled() {
            let left = one.read(from: offset, byteCount: pieceByteCount)
            let right = other.read(from: offset, byteCount: pieceByteCount)
            if left != right {
                let same = zip(left, right).prefix { $0 == $1 }.count
                let isCut = same == min(left.count, right.count) && isCut(one, other)
                return isCut ? .unknown : .different(offset: Int64(offset + same))
            }
            if left.isEmpty { return isCut(one, other) ? .unknown : .same }
            offset += left.count
        }
        throw WorkCancelled()
    }

    /// Whether the rest of one of the bodies is unknown.
    private static func isCut(_ one: LoadedBody, _ other: LoadedBody) -> Bool {
        one.extent.failure != nil || other.extent.failure != nil
    }

    /// The complete decoded body, or nil if it was not stored completely.
    private static func body(_ id: ExchangeID, _ context: WorkContext) throws -> LoadedBody? {
        guard let row = try context.rows.rows([id]).first,
            row.responseKeptByteCount == row.responseBodyByteCount,
            let exchange = try context.exchanges.exchange(id, bodyByteCountMax: 0)
        else { return nil }
        let codings = exchange.response?.head.fields.values(named: "Content-Encoding") ?? []
        let body = LoadedBody(
            contentEncoding: codings.isEmpty ? nil : codings.joined(separator: ", "))
        body.load(
            upTo: .max,
            from: StoredBodyOrigin(exchanges: context.exchanges, exchange: id, message: .response),
            context.isCancelled)
        return body
    }
}
