internal import ProxydContentCoding
public import ProxydHTTPModel
internal import Synchronization

/// What came of one replay, beside what came of the original.
public struct ReplayResult: Sendable {
    /// What came of a request.
    public struct Outcome: Sendable, Hashable {
        /// The status; nil where no response came.
        public var status: Int?
        /// Bytes of the response's body, content codings kept.
        public var bodyByteCount: Int64
        /// From the beginning to the response's last byte, nanoseconds; nil where that did not
        /// come.
        public var durationNs: Int64?
        /// Why it failed, as an exchange keeps it; nil where it did not.
        public var failure: ExchangeFailure?

        /// An outcome.
        public init(
            status: Int?, bodyByteCount: Int64, durationNs: Int64?, failure: ExchangeFailure?
        ) {
            self.status = status
            self.bodyByteCount = bodyByteCount
            self.durationNs = durationNs
            self.failure = failure
        }

        /// What came of a captured exchange.
        public init(_ exchange: Exchange) {
            self.init(
                status: exchange.response?.status,
                bodyByteCount: exchange.response?.body.byteCount ?? 0,
                durationNs: exchange.timeline.requestDuration, failure: exchange.failure)
        }
    }

    /// The exchange that was repeated.
    public let originalID: ExchangeID
    /// The number of the new exchange; nil where nothing was sent or the session records nothing.
    public let id: ExchangeID?
    /// Which repetition of the exchange it is, from 1.
    public let round: Int
    /// What was sent; nil where nothing could be.
    public let request: HTTPRequest?
    /// What came of the original.
    public let original: Outcome
    /// What came of the replay; nil where nothing could be sent.
    public let replay: Outcome?
    /// How the response's body compares.
    public let body: BodyVerdict
    /// Why it failed; nil where a whole response came.
    public let error: ClientError?

    /// Whether the exchange could not be sent at all.
    public var isRefused: Bool { replay == nil }
    /// Whether the status is the original's.
    public var isStatusSame: Bool { replay.map { $0.status == original.status } ?? false }
    /// Whether as many bytes came as for the original.
    public var isSizeSame: Bool {
        replay.map { $0.bodyByteCount == original.bodyByteCount } ?? false
    }
    /// Whether the replay went otherwise than the original: another status, another body, or a
    /// failure where the original had none. Times never count, and neither does what no one can
    /// compare.
    public var isMismatch: Bool {
        if isRefused || !isStatusSame || body == .different { return true }
        return error != nil && original.failure == nil
    }
}

/// Whether two response bodies say the same.
public enum BodyVerdict: String, Sendable, Hashable, CaseIterable {
    /// The same bytes once content codings are undone.
    case same
    /// Other bytes.
    case different
    /// No one can say: one of them was not kept whole, or a coding could not be undone.
    case unknown
}

/// Compares a body that is coming with one that was captured, piece by piece, content codings
/// undone on both sides: neither is ever decoded whole.
struct BodyComparison {
    private static let pieceByteCount = 64 << 10

    private let original: [UInt8]
    private var position = 0
    private let originalCoding: ContentDecoder?
    private let coding: ContentDecoder?
    /// Bytes of the original that are decoded and not compared yet.
    private var ahead: [UInt8] = []
    private var verdict: BodyVerdict?

    /// Compares the body behind `head` with that of an original response.
    init(_ original: Response, with head: ResponseHead) {
        self.original = original.body.kept
        var decoders: (ContentDecoder?, ContentDecoder?) = (nil, nil)
        do throws(ContentCodingError) {
            decoders = (
                try BodyComparison.decoder(original.head), try BodyComparison.decoder(head)
            )
        } catch {
            verdict = .unknown
        }
        (originalCoding, coding) = decoders
        if original.body.isTruncated { verdict = .unknown }
    }

    /// Compares the next bytes, as they came.
    mutating func take(_ bytes: [UInt8]) {
        guard verdict == nil else { return }
        do throws(ContentCodingError) {
            compare(try BodyComparison.decoded(bytes, coding))
        } catch {
            verdict = .unknown
        }
    }

    /// The verdict, once all bytes came.
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

/// Compares a replay's body with the original's while it comes, and keeps nothing of it.
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
    // A stream that lasts is seen in the store while it runs.
    let wantsPiecesAtOnce = true

    init(original: Response?) { self.original = original }

    /// Bytes that came, content codings kept, and how they compare.
    var outcome: (byteCount: Int64, verdict: BodyVerdict) {
        state.withLock { ($0.byteCount, $0.verdict) }
    }

    /// Notes that no more is wanted.
    func leave() { state.withLock { $0.isLeft = true } }

    /// Whether no more was wanted before the end.
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

/// A replay whose body is compared and not kept.
final class ReplayRequest: ClientRequest {
    let core: RequestCore

    init(_ core: RequestCore) { self.core = core }

    /// Sends it and waits for its end; why it failed. Cancelled with its task.
    func finished() async -> ClientError? {
        let promise = Promise<ClientError?>()
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
