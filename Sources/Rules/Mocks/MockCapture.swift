internal import ProxydCivilTime
public import ProxydHTTPModel
internal import ProxydHTTPWire

/// A captured exchange, as far as it is needed to answer requests.
public struct MockCapture: Sendable {
    /// Why a capture cannot answer requests.
    public enum Objection: Error, Sendable, Hashable, CaseIterable {
        /// It is still in progress, failed, or has no response.
        case unfinished
        /// It is a tunnel, or switched protocols.
        case switched
        /// Part of its request body is missing, so no request can equal it.
        case requestCut
        /// Part of its response body is missing.
        case responseCut

        /// A phrase that describes captures with this objection.
        public var reason: String {
            switch self {
            case .unfinished: "without a whole response"
            case .switched: "a tunnel or a switch of protocols"
            case .requestCut: "with an incompletely recorded request body"
            case .responseCut: "with an incompletely recorded response body"
            }
        }
    }

    public let id: Int64
    public let request: MockRequest

    /// - Throws: the reason why it cannot answer requests.
    public init(_ exchange: Exchange) throws(Objection) {
        let isSwitched = exchange.state == .tunnel || exchange.upgradedTo != nil
        guard !isSwitched, exchange.response?.status != 101 else { throw .switched }
        guard exchange.state == .complete, let response = exchange.response,
            let head = exchange.request.head, let url = exchange.request.url
        else { throw .unfinished }
        guard !exchange.request.body.isTruncated else { throw .requestCut }
        guard !response.body.isTruncated else { throw .responseCut }
        id = exchange.id.rawValue
        request = MockRequest(
            method: head.method, url: url, fields: head.fields,
            body: MockRequest.content(of: exchange.request.body.kept, head.fields))
    }

    /// Whether a rule, for example a mock, gave the response in either phase, or a person at a
    /// breakpoint: only responses of servers are served again.
    public static func isOfRule(_ exchange: Exchange) -> Bool {
        exchange.appliedRules.contains(where: \.isAnswer)
    }
}

/// How long a captured response took, in nanoseconds.
public struct MockTiming: Sendable, Hashable {
    /// The maximum wait, the same as for delays in rules: ten minutes.
    static let durationNsMax: Int64 = 600_000_000_000

    /// From the end of the request to the first byte of the response.
    public let firstByteNs: Int64
    /// From the first to the last byte of the response.
    public let bodyNs: Int64

    /// The times of an exchange; 0 for those that are unknown.
    public init(_ timeline: Timeline) {
        let first =
            timeline.duration(from: .requestLastByte, to: .responseFirstByte)
            ?? timeline.wait ?? timeline.latency ?? 0
        firstByteNs = min(first, MockTiming.durationNsMax)
        bodyNs = min(timeline.receive ?? 0, MockTiming.durationNsMax)
    }
}

/// The result of answering a request with captures.
public enum MockServed: Sendable {
    /// The client gets this answer; with the text that is recorded.
    case answer(RuleAnswer, note: String)
    /// No capture answers, and the client's connection is closed; with the reason.
    case closed(String)
    /// No capture answers, and the request is forwarded; with the reason.
    case forwarded(String)
}

extension RuleAnswer {
    /// Repeats the captured response of a server: its content in the same coding, a chunked body as
    /// one chunk, and without interim responses.
    /// - Parameters:
    ///   - isRefreshed: Whether dates are moved.
    ///   - nowNs: The current time, in nanoseconds since 1970.
    /// - Returns: nil if the exchange has no response.
    public init?(_ exchange: Exchange, isRefreshed: Bool, nowNs: Int64) {
        guard let response = exchange.response else { return nil }
        let timeline = exchange.timeline
        let recordedNs = timeline.wallTime(of: .responseHead) ?? timeline.wallStart
        let (age, isOver) = nowNs.subtractingReportingOverflow(recordedNs)
        var fields = response.head.fields
        if isRefreshed, !isOver {
            fields = MockDates.refreshed(fields, bySeconds: age / 1_000_000_000)
        }
        self.init(status: response.status, fields: fields, body: response.body.kept)
        // HTTP/2 has no reason phrases.
        reason = response.head.version >= .http2 ? nil : response.head.reason
        let isBodiless = response.head.isBodiless(to: exchange.request.method ?? .get)
        guard !isBodiless else { return }
        let isChunked = response.head.fields.first(.transferEncoding) != nil
        trailers = response.trailers ?? (isChunked ? HeaderFields() : nil)
    }
}

/// Makes a recorded response as fresh as it was when it was recorded.
public enum MockDates {
    /// Returns the fields with their dates moved: Date, Expires, Last-Modified, and Expires of
    /// Set-Cookie. Age is removed, because the response does not come from a cache now; Max-Age is
    /// kept, because it is not a date. Everything else, including invalid dates, stays byte for
    /// byte.
    /// - Parameter seconds: How long ago the response was recorded.
    public static func refreshed(_ fields: HeaderFields, bySeconds seconds: Int64) -> HeaderFields {
        var all = fields
        var lines: [HeaderFields.Line] = []
        for line in fields.lines {
            let name = fields.bytes.span.extracting(line.nameRange)
            if ASCII.equalsIgnoringCase(name, "age") { continue }
            let value = Array(fields.bytes[line.valueRange])
            guard let moved = moved(value, of: name, by: seconds) else {
                lines.append(line)
                continue
            }
            all.append(name: Array(fields.bytes[line.nameRange]), value: moved)
            lines += all.lines.suffix(1)
        }
        return HeaderFields(bytes: all.bytes, lines: lines)
    }

    /// Returns a field value with its date moved, or nil if it has no valid date.
    private static func moved(
        _ value: [UInt8], of name: Span<UInt8>, by seconds: Int64
    ) -> [UInt8]? {
        let isDate =
            ASCII.equalsIgnoringCase(name, "date") || ASCII.equalsIgnoringCase(name, "expires")
            || ASCII.equalsIgnoringCase(name, "last-modified")
        if isDate { return moved(value[...], by: seconds) }
        guard ASCII.equalsIgnoringCase(name, "set-cookie") else { return nil }
        return movedCookie(value, by: seconds)
    }

    private static func moved(_ value: ArraySlice<UInt8>, by seconds: Int64) -> [UInt8]? {
        guard let date = CookieDateReader.secondsSinceEpoch(value) else { return nil }
        let (sum, isOver) = date.addingReportingOverflow(seconds)
        let time = CivilTime(secondsSinceEpoch: sum)
        // A year has four digits in HTTP.
        guard !isOver, (0...9_999).contains(time.date.year) else { return nil }
        return Array(time.imfFixdate.utf8)
    }

    private static func movedCookie(_ value: [UInt8], by seconds: Int64) -> [UInt8]? {
        var start = 0
        while let semicolon = value[start...].firstIndex(of: UInt8(ascii: ";")) {
            start = semicolon + 1
            let attribute = value[start...].prefix { $0 != UInt8(ascii: ";") }
            guard let equals = attribute.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let span = value.span
            let name = span.extracting(ASCII.trimmingOWS(span, start..<equals))
            guard ASCII.equalsIgnoringCase(name, "expires") else { continue }
            return moved(attribute[(equals + 1)...], by: seconds).map {
                value[...equals] + $0 + value[attribute.endIndex...]
            }
        }
        return nil
    }
}
