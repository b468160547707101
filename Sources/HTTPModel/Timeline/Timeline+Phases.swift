/// Durations between moments of a timeline, in nanoseconds, never negative; nil if a moment is
/// missing.
extension Timeline {
    /// Returns the nanoseconds between two moments.
    public func duration(from: Moment, to: Moment) -> Int64? {
        guard let first = self[from], let last = self[to] else { return nil }
        return max(0, last &- first)
    }

    /// HAR `blocked`: from the complete request head until work on a connection started.
    public var blocked: Int64? {
        guard let head = self[.requestHead] else { return nil }
        guard let next = self[.dnsStart] ?? self[.connectStart] ?? self[.sendStart] else {
            return nil
        }
        return max(0, next &- head)
    }
    /// HAR `dns`: the name lookup.
    public var dns: Int64? { duration(from: .dnsStart, to: .dnsEnd) }
    /// The time to establish the TCP connection, without TLS (HAR's `connect` is this plus `tls`).
    public var connect: Int64? { duration(from: .connectStart, to: .connectEnd) }
    /// HAR `ssl`: the TLS handshake with the server.
    public var tls: Int64? { duration(from: .tlsStart, to: .tlsEnd) }
    /// HAR `send`: passing the request to the server's connection.
    public var send: Int64? { duration(from: .sendStart, to: .sendEnd) }
    /// HAR `wait`: from the last byte of the request (or its first, if the server answered before
    /// the last one was sent) to the first byte of the response.
    public var wait: Int64? {
        guard let first = self[.responseFirstByte] else { return nil }
        guard let sent = self[.sendEnd].flatMap({ $0 <= first ? $0 : nil }) ?? self[.sendStart]
        else { return nil }
        return max(0, first &- sent)
    }
    /// HAR `receive`: from the first byte of the response to its last.
    public var receive: Int64? { duration(from: .responseFirstByte, to: .responseLastByte) }

    /// Alamofire's `latency`: from the start to the first byte of the response.
    public var latency: Int64? { self[.responseFirstByte].map { max(0, $0) } }
    /// Alamofire's `requestDuration`: from the start to the last byte of the response.
    public var requestDuration: Int64? { self[.responseLastByte].map { max(0, $0) } }
    /// Alamofire's `serializationDuration`: from the last byte to its delivery in usable form; for
    /// the proxy, its delivery to the client.
    public var serializationDuration: Int64? {
        duration(from: .responseLastByte, to: .delivered)
    }
    /// Alamofire's `totalDuration`: from the start to the delivery, or to the last known moment.
    public var totalDuration: Int64? {
        if let end = self[.delivered] ?? self[.ended] { return max(0, end) }
        return Moment.allCases.compactMap { self[$0] }.max().map { max(0, $0) }
    }
}
