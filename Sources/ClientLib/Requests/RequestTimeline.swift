public import ProxydHTTPModel

/// When each step of a request happened, over all its attempts.
///
/// Times are nanoseconds of one monotonic clock; `wallStart` relates them to wall-clock time. The
/// four durations have their names from Alamofire 4.
public struct RequestTimeline: Sendable {
    /// The wall-clock time at `requestStartTime`, in nanoseconds since 1970.
    public let wallStart: Int64
    /// When the request was first resumed.
    public let requestStartTime: Int64
    /// When the first byte of the last response arrived, or `requestCompletedTime` if none did.
    public let initialResponseTime: Int64
    /// When the response was complete and validated, and no retry followed.
    public let requestCompletedTime: Int64
    public internal(set) var serializationCompletedTime: Int64
    private let records: [AttemptRecord]

    init(
        wallStart: Int64, startNs: Int64, completedNs completed: Int64, attempts: [AttemptRecord]
    ) {
        self.wallStart = wallStart
        requestStartTime = startNs
        records = attempts
        requestCompletedTime = completed
        serializationCompletedTime = completed
        if let last = attempts.last?.report.timeline, let offset = last[.responseFirstByte] {
            initialResponseTime = last.start &+ offset
        } else {
            initialResponseTime = completed
        }
    }

    /// The timeline of each attempt: DNS lookup, connecting, TLS, sending, waiting, receiving, and
    /// whether a connection was reused.
    public var attempts: [Timeline] { records.map(\.report.timeline) }

    /// From the start to the first byte of the response.
    public var latency: Duration { .nanoseconds(initialResponseTime &- requestStartTime) }
    /// From the start to the complete response.
    public var requestDuration: Duration {
        .nanoseconds(requestCompletedTime &- requestStartTime)
    }
    /// From the complete response to the serialized value.
    public var serializationDuration: Duration {
        .nanoseconds(serializationCompletedTime &- requestCompletedTime)
    }
    /// From the start to the serialized value.
    public var totalDuration: Duration {
        .nanoseconds(serializationCompletedTime &- requestStartTime)
    }
}

extension RequestTimeline: CustomStringConvertible, CustomDebugStringConvertible {
    /// The four durations in seconds, formatted as in Alamofire 4.
    public var description: String { Timeline.text(of: durations) }

    /// The four instants, in seconds since 2001-01-01T00:00:00Z, and the four durations.
    public var debugDescription: String {
        let instants = [
            ("Request Start Time", requestStartTime),
            ("Initial Response Time", initialResponseTime),
            ("Request Completed Time", requestCompletedTime),
            ("Serialization Completed Time", serializationCompletedTime),
        ]
        return Timeline.text(
            of: instants.map { name, instant in
                let wall = wallStart &+ (instant &- requestStartTime)
                return (name, Timeline.seconds(wall &- RequestTimeline.referenceNs))
            } + durations)
    }

    /// 2001-01-01T00:00:00Z, in nanoseconds since 1970.
    private static let referenceNs: Int64 = 978_307_200_000_000_000

    private var durations: [(name: String, value: String)] {
        [
            ("Latency", latency), ("Request Duration", requestDuration),
            ("Serialization Duration", serializationDuration), ("Total Duration", totalDuration),
        ].map { ($0, "\(Timeline.seconds($1.nanoseconds)) secs") }
    }
}

/// The compact record of one attempt; converted to an `Exchange` on demand.
struct AttemptRecord: Sendable {
    let number: Int
    let url: RawURL
    let head: RequestHead
    let payload: TransportRequest.Payload
    let trailers: HeaderFields?
    let replayOf: ExchangeID?
    /// The protocol that the server was asked to switch to, or nil for none.
    let upgrade: String?
    var response: ResponseHead?
    /// The response's body as received, still with content codings; only its length if the bytes
    /// are not kept.
    var body = Body()
    var report: TransportReport
    var error: ClientError?

    var exchange: Exchange {
        var request = Request(url: url, head: head, trailers: trailers)
        if case .bytes(let bytes) = payload {
            request.body = Body(bytes)
        } else {
            request.body = Body(byteCount: report.sentByteCount, kept: [])
        }
        let response = response.map { Response(head: $0, body: body, trailers: report.trailers) }
        var exchange = Exchange(
            id: report.exchangeID ?? ExchangeID(rawValue: Int64(number)),
            state: error == nil ? .complete : .failed, request: request, response: response,
            informational: report.informational, timeline: report.timeline,
            server: report.connection, failure: error?.exchangeFailure, replayOf: replayOf)
        exchange.responseFault = report.responseFault
        if let head = self.response, report.isSwitch(head) { exchange.upgradedTo = upgrade }
        return exchange
    }
}

extension ClientError {
    var exchangeFailure: ExchangeFailure {
        let origin: ExchangeFailure.Origin =
            switch fault {
            case .caller: .client
            case .network, .server: .upstream
            case .library: .proxy
            }
        let failureKind: ExchangeFailure.Kind =
            switch kind {
            case .network(let kind): kind
            case .timedOut: .timedOut
            case .invalidURL, .invalidRequest: .malformedRequest
            case .responseTooLarge, .decodingFailed: .limitExceeded
            case .sessionDeinitialized, .sessionInvalidated: .shutdown
            case .serverTrustEvaluationFailed: .certificate
            default: .refused
            }
        return ExchangeFailure(origin: origin, kind: failureKind, message: message)
    }
}
