internal import ProxydHTTPModel
internal import ProxydCaptureModel

/// The contents of an update as they go into its rows in `exchange` and `content`: numbers, and
/// texts and bytes one after another in a single buffer.
///
/// Created on the thread that reports a short exchange. An update consists of a dozen allocations,
/// and allocating each on one thread and freeing it on another is expensive for both.
struct RecordedRow: Sendable {
    /// The values that are texts or bytes. Texts come first and bodies last; `extents` has one more
    /// element than the highest raw value.
    enum Column: Int {
        case method, scheme, host, path, query, requestType, reason, responseType
        case errorOrigin, errorKind, error, upgradedTo, user
        case timeline, requestHead, responseHead, requestTrailers, responseTrailers, interimHeads
        case requestHeadSent, requestHeadCodings, responseHeadCodings, frames
        /// Not stored: the query as sent, and the request's Content-Encoding.
        case querySent, requestCoding
        case requestBody, responseBody

        var isText: Bool { rawValue < Column.timeline.rawValue }
    }

    struct BodyCounts: Sendable {
        /// Bytes that passed.
        var seen: Int64 = 0
        /// Bytes that are stored.
        var kept: Int64 = 0
    }

    /// The maximum size of the heads and bodies of a short exchange in bytes. They share a row:
    /// four such rows fill a page, so that little of it is wasted.
    private static let sharedByteCountMax = 4000

    /// Offsets in `bytes`. Far below 4 GiB, because heads, URLs and messages are bounded.
    private struct Extent: Sendable {
        static let none = Extent(start: .max, end: .max)
        let start: UInt32
        let end: UInt32
    }

    let id: Int64
    let startedNs: Int64
    let state: ExchangeState
    private(set) var port: Int64?
    private(set) var version: Int64?
    private(set) var status: Int64?
    private(set) var durationNs: Int64?
    /// The size of another response body that the client got; nil if it got the server's.
    let sentResponseByteCount: Int64?
    /// How long messages were held, in nanoseconds; nil if they were not.
    let heldNs: Int64?
    let clientConnection: Int64?
    let serverConnection: Int64?
    let replayOf: Int64?
    let headFormat: HeadFormat?
    let http2: HTTP2Facts?
    /// The number of data messages so far, or nil if there were none.
    var messageCount: Int64?
    let grpcStatus: Int64?
    var request = BodyCounts()
    var response = BodyCounts()
    var flags = ExchangeFlags.none
    /// The values of all columns, one after another.
    private(set) var bytes: [UInt8] = []
    private var extents = InlineArray<27, Extent>(repeating: .none)

    /// Creates the row of a short exchange with its bodies, or returns nil if the exchange is
    /// incomplete, not short, or needs rows in further tables.
    init?(short update: borrowing ExchangeUpdate) {
        guard update.isFirst, update.state != .active, update.responseFault == nil,
            update.events.isEmpty, update.messages.isEmpty
        else { return nil }
        let byteCount = update.contentByteCount
        guard byteCount <= RecordedRow.sharedByteCountMax else { return nil }
        self.init(update, contentByteCount: byteCount)
        request.kept = Int64(update.requestBody.appended.count)
        response.kept = Int64(update.responseBody.appended.count)
        if request.kept > 0 { put(.requestBody, update.requestBody.appended.span) }
        if response.kept > 0 { put(.responseBody, update.responseBody.appended.span) }
    }

    /// Creates the row of any update without its bodies; its counts say that none is stored.
    init(_ update: borrowing ExchangeUpdate) { self.init(update, contentByteCount: 0) }

    /// `contentByteCount` is the size of heads, bodies and trailers; less if not worth computing.
    private init(_ update: borrowing ExchangeUpdate, contentByteCount: Int) {
        id = update.id.rawValue
        startedNs = update.timeline.wallStart
        state = update.state
        clientConnection = update.clientConnection?.rawValue
        serverConnection = update.serverConnection?.rawValue
        replayOf = update.replayOf?.rawValue
        sentResponseByteCount = update.sentResponseByteCount
        heldNs = update.heldNs > 0 ? update.heldNs : nil
        headFormat = HeadFormat.of(update)
        http2 = update.http2
        grpcStatus = update.grpcStatus ?? GRPCStatusField.number(in: update)
        request.seen = update.requestBody.byteCount
        response.seen = update.responseBody.byteCount
        bytes.reserveCapacity(
            contentByteCount + (update.url?.origin.count ?? 0) + RecordedRow.usualByteCount)
        flags.add(.connectionReused, if: update.timeline.connectionReused)
        flags.add(.requestComplete, if: update.requestBody.isComplete)
        flags.add(.responseComplete, if: update.responseBody.isComplete)
        flags.add(.responseFault, if: update.responseFault != nil)
        flags.add(.appliedRules, if: update.hasAppliedRules)
        putRequest(update)
        putResponse(update)
        putTrailers(update)
        putHTTP2(update)
        put(update.timeline, hasEnded: update.state != .active)
        if let failure = update.failure { put(failure) }
        put(.upgradedTo, update.upgradedTo)
        put(.user, update.user)
    }

    /// Capacity for host, types and timeline.
    private static let usualByteCount = 192

    /// The memory the row takes, in bytes.
    var memoryByteCount: Int { MemoryLayout<RecordedRow>.stride + bytes.capacity }

    /// The range of a value in `bytes`, or nil if there is no value.
    func range(_ column: Column) -> Range<Int>? {
        let extent = extents[column.rawValue]
        return extent.start == .max ? nil : Int(extent.start)..<Int(extent.end)
    }

    func text(_ column: Column) -> String? { range(column).map { ASCII.text(bytes[$0]) } }

    /// Drops the bodies; returns how many bytes they had.
    mutating func dropBodies() -> Int {
        let start = range(.requestBody)?.lowerBound ?? range(.responseBody)?.lowerBound
        guard let start else { return 0 }
        let count = bytes.count - start
        bytes = Array(bytes[..<start])
        extents[Column.requestBody.rawValue] = .none
        extents[Column.responseBody.rawValue] = .none
        request.kept = 0
        response.kept = 0
        return count
    }

    // MARK: Creating

    private mutating func putRequest(_ update: borrowing ExchangeUpdate) {
        if let head = update.requestHead {
            put(.method, head.method.rawValue)
            version = head.version.number
            put(.requestType, head.fields, .contentType)
            put(.requestCoding, head.fields, .contentEncoding)
            put(.requestHead, head.bytes.span)
        } else {
            if let bytes = update.malformedHead { put(.requestHead, bytes.span) }
            if update.malformedCodings != nil { version = HTTPVersion.http2.number }
        }
        flags.add(.malformedHead, if: update.malformedHead != nil)
        if let bytes = update.requestHeadSent { put(.requestHeadSent, bytes.span) }
        flags.add(.keepsForeignHost, if: update.keepsForeignHost)
        guard let url = update.url else { return }
        put(.scheme, url.scheme)
        put(.host, url.host)
        port = Int64(url.port)
        put(.path, url.path, otherwise: { _ in url.pathText })
        guard let query = url.query else { return }
        if ASCII.isASCII(query.span) {
            put(.query, query.span)
            extents[Column.querySent.rawValue] = extents[Column.query.rawValue]
        } else {
            put(.query, url.queryText)
            put(.querySent, query.span)
        }
    }

    private mutating func putResponse(_ update: borrowing ExchangeUpdate) {
        guard let head = update.responseHead else { return }
        status = Int64(head.status)
        put(.reason, head.bytes[head.reasonRange], otherwise: ASCII.text)
        put(.responseType, head.fields, .contentType)
        put(.responseHead, head.bytes.span)
    }

    /// Adds the original form of the lines of both heads, and the frames.
    private mutating func putHTTP2(_ update: borrowing ExchangeUpdate) {
        if update.requestHead?.version.major == 2 {
            put(.requestHeadCodings, update.requestHead?.codings)
        }
        put(.requestHeadCodings, update.malformedCodings?.map(\.rawValue))
        if update.responseHead?.version.major == 2 {
            put(.responseHeadCodings, update.responseHead?.codings)
        }
        if !update.frames.isEmpty { put(.frames, update.frames.span) }
    }

    private mutating func put(_ column: Column, _ bytes: [UInt8]?) {
        if let bytes { put(column, bytes.span) }
    }

    /// Adds trailer sections with their empty lines, and interim heads one after another.
    private mutating func putTrailers(_ update: borrowing ExchangeUpdate) {
        if let fields = update.requestTrailers { put(.requestTrailers, fields) }
        if let fields = update.responseTrailers { put(.responseTrailers, fields) }
        if !update.informational.isEmpty {
            put(.interimHeads, Array(update.informational.map(\.bytes).joined()).span)
        }
    }

    private mutating func put(_ timeline: borrowing Timeline, hasEnded: Bool) {
        var room = TimelineCoding.Room(repeating: 0)
        let encoded = TimelineCoding.encode(timeline, into: &room)
        put(.timeline, room.span.extracting(0..<encoded.byteCount))
        let spannedNs = encoded.spannedNs.map { max(0, $0 &- (heldNs ?? 0)) }
        durationNs = hasEnded ? spannedNs : nil
    }

    private mutating func put(_ failure: ExchangeFailure) {
        put(.errorOrigin, failure.origin.rawValue)
        put(.errorKind, failure.kind.rawValue)
        put(.error, failure.message)
    }

    private mutating func put(_ column: Column, _ trailers: HeaderFields) {
        var section: [UInt8] = []
        trailers.write(into: &section)
        section += [0x0D, 0x0A]
        put(column, section.span)
    }

    private mutating func put(_ column: Column, _ fields: HeaderFields, _ name: FieldName) {
        guard let line = fields.first(name) else { return }
        put(column, fields.bytes[line.valueRange], otherwise: ASCII.text)
    }

    /// Adds wire bytes as text: unchanged if they are ASCII, otherwise as `text` decodes them.
    private mutating func put(
        _ column: Column, _ value: ArraySlice<UInt8>, otherwise text: (ArraySlice<UInt8>) -> String
    ) {
        if ASCII.isASCII(value.span) {
            put(column, value.span)
        } else {
            put(column, text(value))
        }
    }

    private mutating func put(_ column: Column, _ text: String?) {
        if let text { put(column, text.utf8Span.span) }
    }

    private mutating func put(_ column: Column, _ value: Span<UInt8>) {
        let start = UInt32(truncatingIfNeeded: bytes.count)
        value.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        extents[column.rawValue] = Extent(
            start: start, end: UInt32(truncatingIfNeeded: bytes.count))
    }
}

/// The status of a gRPC call, which the server sends in the trailer section, or in the head of a
/// response without one ("Trailers-Only").
enum GRPCStatusField {
    /// The status code, or nil if none was sent or it is not a number.
    static func number(in update: borrowing ExchangeUpdate) -> Int64? {
        if let trailers = update.responseTrailers, let number = number(in: trailers) {
            return number
        }
        guard let fields = update.responseHead?.fields, isGRPC(fields) else { return nil }
        return number(in: fields)
    }

    private static func isGRPC(_ fields: HeaderFields) -> Bool {
        guard let line = fields.first(.contentType) else { return false }
        let value = fields.bytes.span.extracting(line.valueRange)
        let prefix: StaticString = "application/grpc"
        guard value.count >= prefix.utf8CodeUnitCount else { return false }
        return ASCII.equalsIgnoringCase(value.extracting(0..<prefix.utf8CodeUnitCount), prefix)
    }

    private static func number(in fields: HeaderFields) -> Int64? {
        fields.pairs.last { $0.name.lowercased() == "grpc-status" }.flatMap { Int64($0.value) }
    }
}
