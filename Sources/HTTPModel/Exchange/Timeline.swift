/// When each step of one exchange happened.
///
/// All moments are on the monotonic clock, in nanoseconds; one wall-clock time, taken together with
/// `start`, converts them to dates. A jump of the wall clock never affects a duration.
public struct Timeline: Sendable {
    /// The wall clock at `start`, in nanoseconds since 1970-01-01T00:00:00Z.
    public var wallStart: Int64
    /// The monotonic clock when the exchange started, in nanoseconds.
    public var start: Int64
    /// Whether the server connection had been used for an earlier exchange.
    public var connectionReused: Bool
    @usableFromInline var offsets: InlineArray<18, Int64>

    /// The value in `offsets` of a moment that did not occur.
    @inlinable static var absent: Int64 { Int64.min }

    /// Creates a timeline that starts now.
    public init(wallStart: Int64, start: Int64) {
        self.wallStart = wallStart
        self.start = start
        connectionReused = false
        offsets = InlineArray(repeating: Timeline.absent)
    }

    /// Nanoseconds from `start` to a moment; nil if it did not occur. The setter takes the same
    /// offset.
    @inlinable
    public subscript(moment: Moment) -> Int64? {
        get {
            let offset = offsets[moment.rawValue]
            return offset == Timeline.absent ? nil : offset
        }
        set { offsets[moment.rawValue] = newValue ?? Timeline.absent }
    }

    /// Calls `body` with each moment that occurred, in order, and the nanoseconds from `start` to
    /// it.
    @inlinable
    public func forEachMoment(_ body: (Moment, Int64) -> Void) {
        let offsets = self.offsets.span
        for index in offsets.indices where offsets[index] != Timeline.absent {
            if let moment = Moment(rawValue: index) { body(moment, offsets[index]) }
        }
    }

    /// Sets a moment to now, where `now` is the monotonic clock in nanoseconds.
    @inlinable
    public mutating func mark(_ moment: Moment, at now: Int64) {
        offsets[moment.rawValue] = now &- start
    }

    /// Sets a moment unless it is already set.
    @inlinable
    public mutating func markOnce(_ moment: Moment, at now: Int64) {
        if offsets[moment.rawValue] == Timeline.absent { mark(moment, at: now) }
    }

    /// In nanoseconds since 1970; nil if the moment did not occur.
    public func wallTime(of moment: Moment) -> Int64? { self[moment].map { wallStart &+ $0 } }
}

extension Timeline: Equatable, Hashable {
    /// Equal if all moments, the wall-clock start and the reuse of the connection are equal.
    public static func == (left: Timeline, right: Timeline) -> Bool {
        left.wallStart == right.wallStart && left.connectionReused == right.connectionReused
            && Moment.allCases.allSatisfy { left[$0] == right[$0] }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(wallStart)
        for moment in Moment.allCases { hasher.combine(self[moment]) }
    }
}

/// The moments of an exchange that are recorded, in their usual order.
public enum Moment: Int, Sendable, Hashable, CaseIterable {
    /// The client's connection was accepted (first exchange of a connection only).
    case clientConnected
    /// The client's TLS handshake was complete (first exchange of an intercepted connection only).
    case clientTLSDone
    /// The first byte of the request arrived from the client.
    case requestFirstByte
    /// The request head was complete.
    case requestHead
    /// The last byte of the request arrived from the client.
    case requestLastByte
    case dnsStart
    case dnsEnd
    case connectStart
    /// The TCP connection to the server was established.
    case connectEnd
    case tlsStart
    case tlsEnd
    /// The first byte of the request was passed to the server's connection.
    case sendStart
    /// The last byte of the request was passed to the server's connection.
    case sendEnd
    /// The first byte of the response arrived from the server.
    case responseFirstByte
    /// The final response head was complete.
    case responseHead
    /// The last byte of the response arrived from the server.
    case responseLastByte
    /// The last byte was passed to the client's connection.
    case delivered
    /// The exchange ended, successfully or not.
    case ended
}

/// Durations between moments of a timeline, in nanoseconds, never negative; nil if a moment is
/// missing.
extension Timeline {
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

extension Timeline: CustomStringConvertible {
    /// The durations of the phases that occurred, and of the whole exchange, in seconds.
    public var description: String {
        let phases: [(String, Int64?)] = [
            ("DNS", dns), ("Connect", connect), ("TLS", tls), ("Send", send), ("Wait", wait),
            ("Receive", receive), ("Total Duration", totalDuration),
        ]
        return Timeline.text(
            of: phases.compactMap { name, nanoseconds in
                nanoseconds.map { (name, "\(Timeline.seconds($0)) secs") }
            })
    }

    /// Formats a duration as seconds with three decimals, rounded.
    public static func seconds(_ nanoseconds: Int64) -> String {
        let (rounded, isTooLarge) = nanoseconds.magnitude.addingReportingOverflow(500_000)
        let milliseconds = (isTooLarge ? nanoseconds.magnitude : rounded) / 1_000_000
        let rest = String(milliseconds % 1_000)
        let sign = nanoseconds < 0 && milliseconds > 0 ? "-" : ""
        let zeros = String(repeating: "0", count: 3 - rest.count)
        return "\(sign)\(milliseconds / 1_000).\(zeros)\(rest)"
    }

    /// Formats names and values as Alamofire 4 does.
    public static func text(of values: [(name: String, value: String)]) -> String {
        let shown = values.map { "\"\($0.name)\": \($0.value)" }
        return "Timeline: { \(shown.joined(separator: ", ")) }"
    }
}

extension Int64 {
    /// Returns the sum, clamped to the range of `Int64`: numbers from a file may have any value.
    @inlinable
    public func addingClamped(_ other: Int64) -> Int64 {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? (other < 0 ? .min : .max) : sum
    }
}
