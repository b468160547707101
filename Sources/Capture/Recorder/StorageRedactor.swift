internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydRedaction
internal import Synchronization

/// Removes the values that must never be stored from updates before the recorder gets them.
///
/// Values are removed from heads, URLs and trailers immediately. If parameters are named, bodies
/// are kept back until they have ended and are then redacted; a body that is longer than
/// `DeferredBody.byteCountMax`, does not fit beside the others, or cannot be decoded is not stored.
/// Messages are not kept back: complete JSON messages are redacted, and of others only the length
/// is stored.
final class StorageRedactor: Sendable {
    /// The maximum size of all bodies that are kept back, in bytes.
    static let byteCountMax = 32 << 20

    private struct Deferred {
        var exchanges: [ExchangeID: DeferredExchange] = [:]
        var byteCount = 0

        mutating func take(_ id: ExchangeID) -> DeferredExchange {
            guard let exchange = exchanges.removeValue(forKey: id) else {
                return DeferredExchange()
            }
            byteCount -= exchange.byteCount
            return exchange
        }

        mutating func put(_ exchange: DeferredExchange, for id: ExchangeID) {
            exchanges[id] = exchange
            byteCount += exchange.byteCount
        }
    }

    private let heads: HeadRedactor
    /// Nil if no parameters are named; bodies are then stored as they arrive.
    private let bodies: BodyRedactor?
    private let messages: MessageRedactor?
    private let redaction: Redaction
    private let deferred = Mutex(Deferred())

    /// Returns nil if no names are given.
    init?(_ names: UnstoredNames) {
        guard !names.isEmpty else { return nil }
        redaction = Redaction(onlyFields: names.fields, parameters: names.parameters)
        heads = HeadRedactor(redaction)
        bodies = names.parameters.isEmpty ? nil : BodyRedactor(redaction)
        messages = names.parameters.isEmpty ? nil : MessageRedactor(redaction)
    }

    func redacted(_ update: consuming ExchangeUpdate) -> ExchangeUpdate {
        update.url = update.url.map(heads.url)
        update.requestHead = update.requestHead.map { heads.request($0, .unchanged) }
        update.requestHeadSent = update.requestHeadSent.flatMap(sentHead)
        update.responseHead = update.responseHead.map { heads.response($0, .unchanged) }
        update.informational = update.informational.map { heads.response($0, .unchanged) }
        update.requestTrailers = update.requestTrailers.map(heads.trailers)
        update.responseTrailers = update.responseTrailers.map(heads.trailers)
        update.events = update.events.compactMap(event)
        // Not even the start of its fields is certain.
        if update.malformedHead != nil { update.malformedHead = [] }
        if update.malformedCodings != nil { update.malformedCodings = [] }
        update.responseFault?.refusal?.bytes = []
        guard let bodies else { return update }
        for index in update.messages.indices { redact(&update.messages[index]) }
        let id = update.id
        var (exchange, room) = deferred.withLock { deferred in
            (deferred.take(id), StorageRedactor.byteCountMax - deferred.byteCount)
        }
        exchange.collect(&update, bodies, heads, room: room)
        if update.state == .active { deferred.withLock { [exchange] in $0.put(exchange, for: id) } }
        return update
    }

    /// Values are removed from JSON by name. Whether any other message, or a truncated body,
    /// contains a secret cannot be determined: it is not stored, and marked as truncated.
    private func redact(_ message: inout MessageRecord) {
        let isWhole = message.flags.isDisjoint(with: [.cut, .unfinished, .stillCompressed])
        guard case .bytes(let bytes) = message.content, let messages else {
            message.content = .bytes([])
            message.flags.insert(.cut)
            return
        }
        switch messages.change(bytes, message.kind, isWhole: isWhole) {
        case .unchanged: break
        case .replaced(let changed):
            message.content = .bytes(changed)
            message.byteCount = Int64(changed.count)
        case .leftOut(let rest):
            message.content = .bytes(rest)
            message.flags.insert(.cut)
        }
    }

    /// A body that was changed on its way is not redacted; where bodies are, it is not stored.
    private func event(_ event: ExchangeEvent) -> ExchangeEvent? {
        switch event {
        case .sentResponseHead(let bytes):
            let head = try? HeadParser.parseResponseHead(bytes, limits: .captured)
            return head.map { .sentResponseHead(heads.response($0, .unchanged).bytes) }
        case .sentRequestBody, .sentResponseBody: return bodies == nil ? event : nil
        case .appliedRule(let rule): return .appliedRule(redaction.rule(rule))
        case .responseWithheld, .tagged: return event
        }
    }

    private func sentHead(_ bytes: [UInt8]) -> [UInt8]? {
        let head = try? HeadParser.parseRequestHead(bytes, limits: .captured)
        return head.map { heads.request($0, .unchanged).bytes }
    }
}

/// Names of fields and parameters whose values are never stored.
public struct UnstoredNames: Sendable, Hashable {
    /// Names of header and trailer fields, case-insensitive.
    public var fields: [String]
    /// Names of query and body parameters. Case, `-` and `_` are ignored, and a part of a compound
    /// name matches, as `password` does in `user[password]`.
    public var parameters: [String]

    public init(fields: [String] = [], parameters: [String] = []) {
        self.fields = fields
        self.parameters = parameters
    }

    public var isEmpty: Bool { fields.isEmpty && parameters.isEmpty }
}

/// The bodies of an exchange that are deferred, and what is needed to decode them.
struct DeferredExchange {
    private var requestHead: RequestHead?
    private var responseHead: ResponseHead?
    private var requestBody = DeferredBody()
    private var responseBody = DeferredBody()
    /// Whether the bytes are not HTTP content: a tunnel, or another protocol.
    private var isOpaque = false

    var byteCount: Int { requestBody.byteCount + responseBody.byteCount }

    /// Defers the bodies of `update`, or puts them in once they have ended. If the stored
    /// body's coding then differs from the one in the head, a head that matches it is put in too.
    /// At most `room` bytes are kept.
    mutating func collect(
        _ update: inout ExchangeUpdate, _ bodies: BodyRedactor, _ heads: HeadRedactor, room: Int
    ) {
        requestHead = update.requestHead ?? requestHead
        responseHead = update.responseHead ?? responseHead
        isOpaque = isOpaque || update.upgradedTo != nil || update.state == .tunnel
        let isOver = update.state != .active
        let requestChange = requestBody.collect(
            &update.requestBody, isEnd: isOver || update.requestBody.isComplete,
            room: room - responseBody.byteCount
        ) { bodies.change($0, requestHead?.fields, isOpaque: isOpaque) }
        if case .replaced = requestChange, let requestHead {
            update.requestHead = heads.request(requestHead, requestChange)
        }
        let responseChange = responseBody.collect(
            &update.responseBody, isEnd: isOver || update.responseBody.isComplete,
            room: room - requestBody.byteCount
        ) { bodies.change($0, responseHead?.fields, isOpaque: isOpaque) }
        if case .replaced = responseChange, let responseHead {
            update.responseHead = heads.response(responseHead, responseChange)
        }
    }
}

/// A body that is deferred until it is complete, because only then can values be removed from it.
struct DeferredBody {
    /// Longer bodies are not stored at all, in bytes.
    static let byteCountMax = 1 << 20

    private enum State {
        case collecting([UInt8])
        case tooLong
        /// The body was released for storing with this size.
        case released(byteCount: Int64)
    }

    private var state = State.collecting([])

    var byteCount: Int {
        guard case .collecting(let bytes) = state else { return 0 }
        return bytes.count
    }

    /// Takes the bytes out of `progress`. At the end of the body, complete or not, puts the result
    /// of `change` in their place and returns that change. A body that needs more than `room` bytes
    /// is not stored.
    mutating func collect(
        _ progress: inout ExchangeUpdate.BodyProgress, isEnd: Bool, room: Int,
        change: (Body) -> BodyChange
    ) -> BodyChange {
        let added = progress.appended
        progress.appended = []
        switch state {
        case .collecting(var bytes):
            // Given up first, so that the bytes are not copied with each piece that arrives.
            state = .tooLong
            bytes += added
            let most = min(DeferredBody.byteCountMax, room)
            state = bytes.count > most ? .tooLong : .collecting(bytes)
        case .tooLong: break
        case .released(let byteCount):
            progress.byteCount = byteCount
            return .unchanged
        }
        guard isEnd else {
            // Bytes that passed but are missing would make a gap.
            progress.byteCount = 0
            return .unchanged
        }
        return release(&progress, change)
    }

    private mutating func release(
        _ progress: inout ExchangeUpdate.BodyProgress, _ change: (Body) -> BodyChange
    ) -> BodyChange {
        defer { state = .released(byteCount: progress.byteCount) }
        guard case .collecting(let bytes) = state else { return .removed }
        let body = Body(byteCount: progress.byteCount, kept: bytes)
        let made = change(body)
        let stored = made.applied(to: body)
        progress.appended = stored.kept
        progress.byteCount = stored.byteCount
        return made
    }
}
