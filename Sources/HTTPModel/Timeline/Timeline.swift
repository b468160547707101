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

    /// Returns the wall-clock time of a moment in nanoseconds since 1970, or nil if it did not
    /// occur.
    public func wallTime(of moment: Moment) -> Int64? { self[moment].map { wallStart &+ $0 } }
}

extension Timeline: Equatable, Hashable {
    /// Equal if all moments, the wall-clock start and the reuse of the connection are equal.
    public static func == (left: Timeline, right: Timeline) -> Bool {
        left.wallStart == right.wallStart && left.connectionReused == right.connectionReused
            && Moment.allCases.allSatisfy { left[$0] == right[$0] }
    }

    /// Hashes the wall-clock start and the moments.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(wallStart)
        for moment in Moment.allCases { hasher.combine(self[moment]) }
    }
}
