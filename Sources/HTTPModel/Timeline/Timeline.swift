/// When each thing happened in one exchange.
///
/// All moments are on the monotonic clock, in nanoseconds; one wall-clock anchor, taken together
/// with `start`, places them in the world. A jump of the wall clock never makes a duration wrong.
public struct Timeline: Sendable {
    /// The wall clock at `start`, in nanoseconds since 1970-01-01T00:00:00Z.
    public var wallStart: Int64
    /// The monotonic clock when the exchange began, in nanoseconds.
    public var start: Int64
    /// Whether the server connection had served an exchange before.
    public var connectionReused: Bool
    @usableFromInline var offsets: InlineArray<18, Int64>

    /// What stands in `offsets` for a moment that did not come.
    @inlinable static var absent: Int64 { Int64.min }

    /// A timeline that begins now.
    public init(wallStart: Int64, start: Int64) {
        self.wallStart = wallStart
        self.start = start
        connectionReused = false
        offsets = InlineArray(repeating: Timeline.absent)
    }

    /// Nanoseconds from `start` to a moment; nil where it did not come. Setting is by offset too.
    @inlinable
    public subscript(moment: Moment) -> Int64? {
        get {
            let offset = offsets[moment.rawValue]
            return offset == Timeline.absent ? nil : offset
        }
        set { offsets[moment.rawValue] = newValue ?? Timeline.absent }
    }

    /// Calls with each moment that came, in their order, and the nanoseconds from `start` to it.
    @inlinable
    public func forEachMoment(_ body: (Moment, Int64) -> Void) {
        let offsets = self.offsets.span
        for index in offsets.indices where offsets[index] != Timeline.absent {
            if let moment = Moment(rawValue: index) { body(moment, offsets[index]) }
        }
    }

    /// Notes that a moment is now, `now` being the monotonic clock in nanoseconds.
    @inlinable
    public mutating func mark(_ moment: Moment, at now: Int64) {
        offsets[moment.rawValue] = now &- start
    }

    /// Notes a moment unless it was noted before.
    @inlinable
    public mutating func markOnce(_ moment: Moment, at now: Int64) {
        if offsets[moment.rawValue] == Timeline.absent { mark(moment, at: now) }
    }

    /// The moment's wall-clock time in nanoseconds since 1970; nil where it did not come.
    public func wallTime(of moment: Moment) -> Int64? { self[moment].map { wallStart &+ $0 } }
}

extension Timeline: Equatable, Hashable {
    /// Equal when every moment and the anchor are.
    public static func == (left: Timeline, right: Timeline) -> Bool {
        left.wallStart == right.wallStart && left.connectionReused == right.connectionReused
            && Moment.allCases.allSatisfy { left[$0] == right[$0] }
    }

    /// Hashes the anchor and the moments.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(wallStart)
        for moment in Moment.allCases { hasher.combine(self[moment]) }
    }
}
