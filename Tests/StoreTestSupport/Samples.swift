public import Capture
public import ProxydCaptureModel
public import ProxydHTTPModel

/// Exchanges to record.
public enum Samples {
    /// 2025-11-21T08:00:00.123Z
    public static let wallStart: Int64 = 1_763_712_000_123_456_789

    /// A URL at the standard port of its scheme.
    public static func url(
        _ origin: String, host: String = "example.test", scheme: String = "http"
    ) -> RawURL {
        RawURL(
            scheme: scheme, host: host, port: RawURL.defaultPort(scheme: scheme),
            origin: Array(origin.utf8))
    }

    /// A head in absolute form, its `Host` first.
    public static func requestHead(
        _ method: HTTPMethod = "GET", _ url: RawURL, fields: [(String, String)] = []
    ) -> RequestHead {
        RequestHead(
            method: method, target: Array(url.description.utf8),
            fields: HeaderFields(
                ([("Host", url.authority)] + fields).map { (name: $0.0, value: $0.1) }))
    }

    /// A head of HTTP/1.1; of a text where no fields are given.
    public static func responseHead(
        _ status: Int = 200, _ reason: String = "OK",
        fields: [(String, String)] = [("Content-Type", "text/plain; charset=utf-8")]
    ) -> ResponseHead {
        ResponseHead(
            status: status, reason: reason,
            fields: HeaderFields(fields.map { (name: $0.0, value: $0.1) }))
    }

    /// All moments of a plain exchange of 2.5 ms.
    public static func timeline(wallStart: Int64 = Samples.wallStart) -> Timeline {
        var timeline = Timeline(wallStart: wallStart, start: 5_000)
        timeline[.requestFirstByte] = 0
        timeline[.requestHead] = 12_345
        timeline[.requestLastByte] = 12_345
        timeline[.sendStart] = 40_000
        timeline[.sendEnd] = 41_000
        timeline[.responseFirstByte] = 1_000_000
        timeline[.responseHead] = 1_000_500
        timeline[.responseLastByte] = 2_000_000
        timeline[.delivered] = 2_500_000
        return timeline
    }

    /// A whole exchange in one update.
    public static func complete(
        _ id: ExchangeID, _ origin: String = "/", host: String = "example.test",
        method: HTTPMethod = "GET", fields: [(String, String)] = [], requestBody: [UInt8] = [],
        responseBody: [UInt8] = Array("hello".utf8), wallStart: Int64 = Samples.wallStart
    ) -> ExchangeUpdate {
        let url = url(origin, host: host)
        var update = ExchangeUpdate(
            id: id, state: .complete, timeline: timeline(wallStart: wallStart), isFirst: true)
        update.url = url
        update.requestHead = requestHead(method, url, fields: fields)
        update.requestBody.set(requestBody)
        update.responseHead = responseHead()
        update.responseBody.set(responseBody)
        return update
    }

    /// The beginning of an exchange: its request head.
    public static func begun(
        _ id: ExchangeID, _ origin: String = "/", method: HTTPMethod = "GET",
        fields: [(String, String)] = []
    ) -> ExchangeUpdate {
        let url = url(origin)
        var timeline = Timeline(wallStart: wallStart, start: 5_000)
        timeline[.requestHead] = 10
        var update = ExchangeUpdate(id: id, state: .active, timeline: timeline, isFirst: true)
        update.url = url
        update.requestHead = requestHead(method, url, fields: fields)
        return update
    }

    /// More of an exchange.
    public static func later(_ id: ExchangeID, _ state: ExchangeState = .active) -> ExchangeUpdate {
        ExchangeUpdate(id: id, state: state, timeline: timeline(), isFirst: false)
    }
}

extension ExchangeUpdate.BodyProgress {
    /// The whole body in one piece.
    public mutating func set(_ bytes: [UInt8]) {
        appended = bytes
        byteCount = Int64(bytes.count)
        isComplete = true
    }

    /// The next bytes of a body.
    public mutating func append(_ bytes: [UInt8], total: Int, isComplete: Bool = false) {
        appended = bytes
        byteCount = Int64(total)
        self.isComplete = isComplete
    }
}

extension Recorder {
    /// Records one whole exchange, and returns its number.
    @discardableResult
    public func recordSample(
        _ origin: String = "/", host: String = "example.test", method: HTTPMethod = "GET",
        fields: [(String, String)] = [], requestBody: [UInt8] = [],
        responseBody: [UInt8] = Array("hello".utf8)
    ) -> ExchangeID {
        let id = nextExchangeID()
        record(
            Samples.complete(
                id, origin, host: host, method: method, fields: fields, requestBody: requestBody,
                responseBody: responseBody))
        return id
    }

    /// Waits until everything recorded is committed.
    public func flush() throws { try wait { flush(completion: $0) } }
    /// Waits until an annotation is changed.
    public func annotate(_ change: AnnotationChange) throws {
        try wait { annotate(change, completion: $0) }
    }
    /// Waits until it is noted how far the store was delivered.
    public func noteDelivery(_ progress: DeliveryProgress) throws {
        try wait { noteDelivery(progress, completion: $0) }
    }
    /// Waits until exchanges are removed, and counts them.
    public func clear(_ selection: ClearSelection) throws -> Int64 {
        try wait { clear(selection, completion: $0) }
    }
    /// Waits until exchanges are stored, and returns their numbers.
    public func numbers(storing exchanges: [Exchange]) throws -> [ExchangeID] {
        try wait { store(exchanges, completion: $0) }
    }
}
