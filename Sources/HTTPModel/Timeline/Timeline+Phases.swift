/// Durations read off a timeline, all in nanoseconds, never negative; nil where an end is missing.
extension Timeline {
    /// Nanoseconds between two moments.
    public func duration(from: Moment, to: Moment) -> Int64? {
        guard let first = self[from], let last = self[to] else { return nil }
        return max(0, last &- first)
    }

    /// HAR `blocked`: from the complete request head until anything was done about a connection.
    public var blocked: Int64? {
        guard let head = self[.requestHead] else { return nil }
        guard let next = self[.dnsStart] ?? self[.connectStart] ?? self[.sendStart] else {
            return nil
        }
        return max(0, next &- head)
    }
    /// HAR `dns`: the name look-up.
    public var dns: Int64? { duration(from: .dnsStart, to: .dnsEnd) }
    /// Setting up the TCP connection, without TLS (HAR's `connect` is this plus `tls`).
    public var connect: Int64? { duration(from: .connectStart, to: .connectEnd) }
    /// HAR `ssl`: the TLS handshake with the server.
    public var tls: Int64? { duration(from: .tlsStart, to: .tlsEnd) }
    /// HAR `send`: handing the request to the server's connection.
    public var send: Int64? { duration(from: .sendStart, to: .sendEnd) }
    /// HAR `wait`: from the request's last octet (or its first, when the server answered before the
    /// last) to the response's first.
    public var wait: Int64? {
        guard let first = self[.responseFirstByte] else { return nil }
        guard let sent = self[.sendEnd].flatMap({ $0 <= first ? $0 : nil }) ?? self[.sendStart]
        else { return nil }
        return max(0, first &- sent)
    }
    /// HAR `receive`: from the response's first octet to its last.
    public var receive: Int64? { duration(from: .responseFirstByte, to: .responseLastByte) }

    /// Alamofire's `latency`: from the start to the response's first octet.
    public var latency: Int64? { self[.responseFirstByte].map { max(0, $0) } }
    /// Alamofire's `requestDuration`: from the start to the response's last octet.
    public var requestDuration: Int64? { self[.responseLastByte].map { max(0, $0) } }
    /// Alamofire's `serializationDuration`: from the last octet to its delivery in usable form; for
    /// the proxy, its delivery to the client.
    public var serializationDuration: Int64? {
        duration(from: .responseLastByte, to: .delivered)
    }
    /// Alamofire's `totalDuration`: from the start to the delivery, or to the last moment known.
    public var totalDuration: Int64? {
        if let end = self[.delivered] ?? self[.ended] { return max(0, end) }
        return Moment.allCases.compactMap { self[$0] }.max().map { max(0, $0) }
    }
}
