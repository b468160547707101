internal import HTTPModel

/// The `timeline` column: a bit for each moment that came (3 octets, little-endian), then for each
/// of them its distance in nanoseconds from the one before, as a zigzag varint.
enum TimelineCoding {
    /// Appends the moments of a timeline, and returns the duration they span (to the delivery, or
    /// to the last moment known); nil where no moment came.
    static func encode(_ timeline: Timeline, into octets: inout [UInt8]) -> Int64? {
        let start = octets.count
        octets.append(contentsOf: [0, 0, 0])
        var mask: UInt32 = 0
        var previous: Int64 = 0
        var last: Int64?
        for moment in moments {
            guard let offset = timeline[moment] else { continue }
            mask |= 1 << UInt32(moment.rawValue)
            appendVarint(offset &- previous, to: &octets)
            previous = offset
            last = max(last ?? offset, offset)
        }
        for index in 0..<3 {
            octets[start + index] = UInt8(truncatingIfNeeded: mask >> UInt32(8 * index))
        }
        return (timeline[.delivered] ?? timeline[.ended] ?? last).map { max(0, $0) }
    }

    /// The timeline of stored octets; moments that are not there or damaged are absent.
    static func decode(_ octets: [UInt8], wallStart: Int64, connectionReused: Bool) -> Timeline {
        var timeline = Timeline(wallStart: wallStart, start: 0)
        timeline.connectionReused = connectionReused
        guard octets.count >= 3 else { return timeline }
        let mask = UInt32(octets[0]) | UInt32(octets[1]) << 8 | UInt32(octets[2]) << 16
        var position = 3
        var previous: Int64 = 0
        for moment in moments where mask & (1 << UInt32(moment.rawValue)) != 0 {
            guard let step = takeVarint(octets, &position) else { break }
            previous &+= step
            timeline[moment] = previous
        }
        return timeline
    }

    private static let moments = Moment.allCases

    private static func appendVarint(_ value: Int64, to octets: inout [UInt8]) {
        var rest = UInt64(bitPattern: (value << 1) ^ (value >> 63))
        while rest >= 0x80 {
            octets.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        octets.append(UInt8(truncatingIfNeeded: rest))
    }

    private static func takeVarint(_ octets: [UInt8], _ position: inout Int) -> Int64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < octets.count, shift < 64 {
            let octet = octets[position]
            position += 1
            value |= UInt64(octet & 0x7F) << shift
            if octet < 0x80 { return Int64(bitPattern: (value >> 1) ^ (0 &- (value & 1))) }
            shift += 7
        }
        return nil
    }
}
