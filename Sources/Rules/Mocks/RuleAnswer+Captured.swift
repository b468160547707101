public import ProxydHTTPModel
internal import ProxydHTTPWire

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
