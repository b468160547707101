import ProxydCentralStore
import Testing

/// Moments as PostgreSQL counts them.
@Suite struct CentralTimeTests {
    /// 2000-01-01T00:00:00Z, in nanoseconds since 1970.
    private static let start: Int64 = 946_684_800_000_000_000

    @Test(
        arguments: [
            (0, 0), (999, 0), (1_000, 1), (-1, -1), (-1_000, -1), (-1_001, -2), (-1_999, -2),
            (-2_000, -2),
            // The start of 1970, and the moment before.
            (-946_684_800_000_000_000, -946_684_800_000_000),
            (-946_684_800_000_000_001, -946_684_800_000_001),
            // 2026-11-26T12:34:56.123456789Z.
            (849_011_696_123_456_789, 849_011_696_123_456),
            // The last moment in nanoseconds since 1970.
            (8_276_687_236_854_775_807, 8_276_687_236_854_775),
        ] as [(Int64, Int64)])
    func `timestamps for PostgreSQL are rounded down to whole microseconds since 2000`(
        ns: Int64, wanted: Int64
    ) {
        #expect(CentralTime.microseconds(ns: Self.start + ns) == wanted)
    }

    @Test(
        arguments: [
            (0, 0), (86_399_999_999_999, 0), (86_400_000_000_000, 1), (-1, -1),
            (-86_400_000_000_000, -1), (-86_400_000_000_001, -2),
            (-946_684_800_000_000_000, -10_957),
            // The first and the last nanosecond of 2026-11-26, and the one before.
            (848_966_400_000_000_000, 9_826), (849_052_799_999_999_999, 9_826),
            (848_966_399_999_999_999, 9_825),
        ] as [(Int64, Int64)])
    func `a day of the central store begins at midnight UTC`(ns: Int64, day: Int64) {
        let moment = Self.start + ns
        #expect(CentralTime.day(ns: moment) == day)
        let first = CentralTime.microseconds(day: day)
        let last = CentralTime.microseconds(day: day + 1)
        #expect((first..<last).contains(CentralTime.microseconds(ns: moment)))
    }

    @Test func `every day of the central store has 86,400 seconds`() {
        #expect(CentralTime.microseconds(day: 0) == 0)
        #expect(CentralTime.microseconds(day: 9_826) == 848_966_400_000_000)
        #expect(CentralTime.microseconds(day: -1) == -86_400_000_000)
    }

    @Test func `the lower bound for PostgreSQL timestamps is earlier than any exchange can be`() {
        // Day 0 of the Julian count, with which PostgreSQL's calendar begins.
        #expect(CentralTime.earliest == -2_451_545 * 86_400_000_000)
        #expect(CentralTime.earliest < CentralTime.microseconds(ns: .min))
        #expect(CentralTime.microseconds(ns: .min) == -10_170_056_836_854_776)
    }

    @Test func `converting times for PostgreSQL keeps their order over the whole 64-bit range`() {
        let moments: [Int64] = [
            .min, .min + 1, .min + 1_000, -9_000_000_000_000_000_000, Self.start - 1, Self.start,
            .max - 1_000, .max,
        ]
        let numbers = moments.map { CentralTime.microseconds(ns: $0) }
        #expect(numbers == numbers.sorted())
        #expect(moments.map { CentralTime.day(ns: $0) } == numbers.map { Self.floor($0) })
    }

    private static func floor(_ microseconds: Int64) -> Int64 {
        let (quotient, rest) = microseconds.quotientAndRemainder(dividingBy: 86_400_000_000)
        return rest < 0 ? quotient - 1 : quotient
    }
}
