package import ProxydHTTPModel

/// The `timeline` column: a bitmap of the moments that were recorded (3 bytes, little-endian), then
/// for each of them the nanoseconds since the previous one, as a zigzag varint.
package enum TimelineCoding {
    /// Room for all moments if each takes a varint of the maximum length.
    package typealias Room = InlineArray<183, UInt8>

    /// Writes the moments of a timeline to the start of `room`. Returns how many bytes they take
    /// and the duration they span, up to the delivery or the last known moment, or nil if no moment
    /// was recorded.
    package static func encode(
        _ timeline: Timeline, into room: inout Room
    ) -> (byteCount: Int, spannedNs: Int64?) {
        var end = 3
        var mask: UInt32 = 0
        var previous: Int64 = 0
        var last: Int64?
        timeline.forEachMoment { moment, offset in
            mask |= 1 << UInt32(moment.rawValue)
            end = writeVarint(offset &- previous, to: &room, at: end)
            previous = offset
            last = max(last ?? offset, offset)
        }
        for index in 0..<3 { room[index] = UInt8(truncatingIfNeeded: mask >> UInt32(8 * index)) }
        let spanned = timeline[.delivered] ?? timeline[.ended] ?? last
        return (end, spanned.map { max(0, $0) })
    }

    /// Decodes a timeline; moments that were not recorded or are damaged are absent.
    package static func decode(
        _ bytes: [UInt8], wallStart: Int64, connectionReused: Bool
    ) -> Timeline {
        var timeline = Timeline(wallStart: wallStart, start: 0)
        timeline.connectionReused = connectionReused
        guard bytes.count >= 3 else { return timeline }
        let mask = UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16
        var position = 3
        var previous: Int64 = 0
        for moment in moments where mask & (1 << UInt32(moment.rawValue)) != 0 {
            guard let step = takeVarint(bytes, &position) else { break }
            previous &+= step
            timeline[moment] = previous
        }
        return timeline
    }

    private static let moments = Moment.allCases

    /// Returns the index after the written bytes.
    private static func writeVarint(_ value: Int64, to room: inout Room, at start: Int) -> Int {
        var rest = UInt64(bitPattern: (value << 1) ^ (value >> 63))
        var end = start
        while rest >= 0x80 {
            room[end] = UInt8(truncatingIfNeeded: rest) | 0x80
            end &+= 1
            rest >>= 7
        }
        room[end] = UInt8(truncatingIfNeeded: rest)
        return end &+ 1
    }

    private static func takeVarint(_ bytes: [UInt8], _ position: inout Int) -> Int64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count, shift < 64 {
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return Int64(bitPattern: (value >> 1) ^ (0 &- (value & 1))) }
            shift += 7
        }
        return nil
    }
}
