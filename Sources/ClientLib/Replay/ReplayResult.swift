internal import ProxydContentCoding
public import ProxydHTTPModel
internal import Synchronization

/// The result of one replay, next to that of the original.
public struct ReplayResult: Sendable {
    /// The result of one request.
    public struct Outcome: Sendable, Hashable {
        /// The status, or nil if no response arrived.
        public var status: Int?
        /// The size of the response's body in bytes, before content codings are removed.
        public var bodyByteCount: Int64
        /// From the start to the last byte of the response, in nanoseconds; nil if that did not
        /// arrive.
        public var durationNs: Int64?
        /// Why it failed, in the form that exchanges store; nil if it did not.
        public var failure: ExchangeFailure?

        public init(
            status: Int?, bodyByteCount: Int64, durationNs: Int64?, failure: ExchangeFailure?
        ) {
            self.status = status
            self.bodyByteCount = bodyByteCount
            self.durationNs = durationNs
            self.failure = failure
        }

        public init(_ exchange: Exchange) {
            self.init(
                status: exchange.response?.status,
                bodyByteCount: exchange.response?.body.byteCount ?? 0,
                durationNs: exchange.timeline.requestDuration, failure: exchange.failure)
        }
    }

    public let originalID: ExchangeID
    /// The number of the new exchange, or nil if nothing was sent or the session does not record.
    public let id: ExchangeID?
    /// The number of the repetition, counted from 1.
    public let round: Int
    /// The request that was sent, or nil if none could be.
    public let request: HTTPRequest?
    public let original: Outcome
    /// Nil if nothing could be sent.
    public let replay: Outcome?
    /// How the response bodies compare.
    public let body: BodyVerdict
    /// Why it failed, or nil if a complete response arrived.
    public let error: ClientError?

    /// Whether the exchange could not be sent at all.
    public var isRefused: Bool { replay == nil }
    public var isStatusSame: Bool { replay.map { $0.status == original.status } ?? false }
    public var isSizeSame: Bool {
        replay.map { $0.bodyByteCount == original.bodyByteCount } ?? false
    }
    /// Whether the status or body differs from the original's, or the replay failed where the
    /// original did not. Durations, and bodies that cannot be compared, do not count.
    public var isMismatch: Bool {
        if isRefused || !isStatusSame || body == .different { return true }
        return error != nil && original.failure == nil
    }
}

/// Whether two response bodies are equal.
public enum BodyVerdict: String, Sendable, Hashable, CaseIterable {
    /// Equal after content codings are removed.
    case same
    case different
    /// Not comparable: one was not kept whole, or a coding could not be removed.
    case unknown
}

/// Compares an arriving body with a captured one piece by piece, without their content codings;
/// neither is ever decoded as a whole.
struct BodyComparison {
    private static let pieceByteCount = 64 << 10

    private let original: [UInt8]
    private var position = 0
    private let originalCoding: ContentDecoder?
    private let coding: ContentDecoder?
    /// Bytes of the original that are decoded but not compared yet.
    private var ahead: [UInt8] = []
    private var verdict: BodyVerdict?

    init(_ original: Response, with head: ResponseHead) {
        self.original = original.body.kept
        var decoders: (ContentDecoder?, ContentDecoder?) = (nil, nil)
        do throws(ContentCodingError) {
            decoders = (try BodyComparison.decoder(original.head), try BodyComparison.decoder(head))
        } catch {
            verdict = .unknown
        }
        (originalCoding, coding) = decoders
        if original.body.isTruncated { verdict = .unknown }
    }

    mutating func take(_ bytes: [UInt8]) {
        guard verdict == nil else { return }
        do throws(ContentCodingError) {
            compare(try BodyComparison.decoded(bytes, coding))
        } catch {
            verdict = .unknown
        }
    }

    /// The verdict once all bytes have arrived.
    mutating func finish() -> BodyVerdict {
        if let verdict { return verdict }
        do throws(ContentCodingError) {
            var rest: [UInt8] = []
            try coding?.finish(into: &rest)
            compare(rest)
            if ahead.isEmpty { try readAhead(atLeast: 1) }
        } catch {
            return .unknown
        }
        return verdict ?? (ahead.isEmpty ? .same : .different)
    }

    private mutating func compare(_ bytes: [UInt8]) {
        do throws(ContentCodingError) {
            try readAhead(atLeast: bytes.count)
        } catch {
            verdict = .unknown
            return
        }
        if ahead.starts(with: bytes) {
            ahead.removeFirst(bytes.count)
        } else {
            verdict = .different
        }
    }

    private mutating func readAhead(atLeast byteCount: Int) throws(ContentCodingError) {
        while ahead.count < byteCount, position < original.count {
            let end = min(original.count, position + BodyComparison.pieceByteCount)
            ahead += try BodyComparison.decoded(Array(original[position..<end]), originalCoding)
            position = end
            if end == original.count { try originalCoding?.finish(into: &ahead) }
        }
    }

    private static func decoder(
        _ head: ResponseHead
    ) throws(ContentCodingError) -> ContentDecoder? {
        let codings = head.fields.values(named: "Content-Encoding")
        guard !codings.isEmpty else { return nil }
        return try ContentDecoder(contentEncoding: codings.joined(separator: ","))
    }

    private static func decoded(
        _ bytes: [UInt8], _ decoder: ContentDecoder?
    ) throws(ContentCodingError) -> [UInt8] {
        guard let decoder else { return bytes }
        var content: [UInt8] = []
        try decoder.decode(bytes.span, into: &content)
        return content
    }
}

/// Compares a replay's body with the original's as it arrives, without keeping it.
final class ReplayConsumer: BodyConsumer {
    private struct State {
        var comparison: BodyComparison?
        var byteCount: Int64 = 0
        var verdict = BodyVerdict.unknown
        var isLeft = false
    }

    private let original: Response?
    private let state = Mutex(State())

    let takesCodedBytes = true
    // A long-lived stream must be visible in the store while it runs.
    let wantsPiecesAtOnce = true

    init(original: Response?) { self.original = original }

    /// The number of bytes received, before content codings are removed, and how they compare.
    var outcome: (byteCount: Int64, verdict: BodyVerdict) {
        state.withLock { ($0.byteCount, $0.verdict) }
    }

    /// Records that the rest is not wanted.
    func leave() { state.withLock { $0.isLeft = true } }

    /// Whether reading stopped before the end.
    var isLeft: Bool { state.withLock { $0.isLeft } }

    func begin(_ head: ResponseHead, isIdentity: Bool) async throws(ClientError) {
        state.withLock { state in
            state.comparison = original.map { BodyComparison($0, with: head) }
        }
    }

    func take(_ bytes: [UInt8]) async throws(ClientError) {
        state.withLock { state in
            state.byteCount += Int64(bytes.count)
            state.comparison?.take(bytes)
        }
    }

    func finish(_ completion: inout RequestOutcome) async throws(ClientError) {
        state.withLock { $0.verdict = $0.comparison?.finish() ?? .unknown }
    }
}

/// A replay whose body is compared instead of kept.
final class ReplayRequest: ClientRequest {
    let core: RequestCore

    init(_ core: RequestCore) { self.core = core }

    /// Sends the request, waits for its end and returns why it failed. Cancelled with its task.
    func finished() async -> ClientError? {
        let promise = AsyncPromise<ClientError?>()
        core.add(
            ResponseHandler { completion, _ in
                ResponseHandler.Outcome(error: nil) { promise.fulfil(completion.error) }
            }, to: self)
        resume()
        return await withTaskCancellationHandler {
            await promise.value
        } onCancel: {
            cancel()
        }
    }
}
