package import ProxydHTTPModel
package import ProxydParameterCoding

/// How a request head is stored; the raw values are stored in `head_format`.
package enum HeadFormat: Int64, Sendable {
    /// HTTP/1 bytes that could not be parsed as a head.
    case malformed = 0
    /// HTTP/1, byte for byte.
    case http1 = 1
    /// HTTP/2, with its field lines as text.
    case http2 = 2
    /// HTTP/2 field lines that are not a valid head, encoded by `FieldList`.
    case malformedHTTP2 = 3
    /// HTTP/3, with its field lines as text, as for HTTP/2.
    case http3 = 4

    /// Whether there is a request head that could be parsed.
    package var isReadable: Bool { self == .http1 || self == .http2 || self == .http3 }

    /// The format of the head in an update, or nil if it has none.
    package static func of(_ update: borrowing ExchangeUpdate) -> HeadFormat? {
        if let version = update.requestHead?.version {
            return version == .http3 ? .http3 : version == .http2 ? .http2 : .http1
        }
        if update.malformedCodings != nil { return .malformedHTTP2 }
        return update.malformedHead == nil ? nil : .malformed
    }
}

/// Encodes states and flags for the `exchange` table.
extension ExchangeState {
    /// The number in the `state` column.
    package var stored: Int64 {
        switch self {
        case .active: 0
        case .complete: 1
        case .failed: 2
        case .tunnel: 3
        }
    }

    package init(stored: Int64) {
        switch stored {
        case 0: self = .active
        case 1: self = .complete
        case 2: self = .failed
        default: self = .tunnel
        }
    }
}

/// Bits of the `flags` column.
package struct ExchangeFlags: OptionSet, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// Adds a flag if it is set, without the generic code of `SetAlgebra`, which would run for each
    /// exchange that is recorded.
    package mutating func add(_ flag: ExchangeFlags, if isSet: Bool) {
        if isSet { self = ExchangeFlags(rawValue: rawValue | flag.rawValue) }
    }

    package static let none = ExchangeFlags(rawValue: 0)
    /// The server connection had been used for an earlier exchange.
    package static let connectionReused = ExchangeFlags(rawValue: 1)
    package static let requestComplete = ExchangeFlags(rawValue: 2)
    package static let responseComplete = ExchangeFlags(rawValue: 4)
    package static let malformedHead = ExchangeFlags(rawValue: 8)
    /// The client's Host was forwarded although the absolute target named another host.
    package static let keepsForeignHost = ExchangeFlags(rawValue: 16)
    /// `response_fault` has a row.
    package static let responseFault = ExchangeFlags(rawValue: 32)
    /// `applied_rule` has rows.
    package static let appliedRules = ExchangeFlags(rawValue: 64)
}

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

/// Encodes a reset for the column `reset`: the error code times 4, plus 2 if proxyd sent it, plus 1
/// if it was on the server connection.
package enum ResetCoding {
    package static func number(_ reset: HTTP2Facts.Reset) -> Int64 {
        Int64(reset.code.rawValue) << 2 | (reset.isOurs ? 2 : 0) | (reset.side == .server ? 1 : 0)
    }

    /// An SQL expression for the name of a column's error code; NULL if nothing was reset.
    package static func sql(_ column: String) -> String {
        let names = (0..<HTTP2ErrorCode.namedCount).map { number in
            "WHEN \(number) THEN '\(HTTP2ErrorCode(rawValue: number))'"
        }
        return "CASE \(column) >> 2 \(names.joined(separator: " ")) "
            + "ELSE CAST(\(column) >> 2 AS TEXT) END"
    }

    /// Decodes a stored number, or returns nil if its error code does not fit in 32 bits.
    package static func reset(_ number: Int64) -> HTTP2Facts.Reset? {
        UInt32(exactly: number >> 2).map { code in
            HTTP2Facts.Reset(
                side: number & 1 == 1 ? .server : .client, isOurs: number & 2 == 2,
                code: HTTP2ErrorCode(rawValue: code))
        }
    }
}

/// Stores repairs in the column `response_fault`, one per line.
package enum ResponseFaultCoding {
    /// Returns the text to store, or nil if there are no repairs.
    package static func text(of repairs: [String]) -> String? {
        repairs.isEmpty ? nil : repairs.joined(separator: "\n")
    }

    package static func repairs(of text: String?) -> [String] {
        text?.split(separator: "\n").map(String.init) ?? []
    }
}

/// Stores HTTP/2 settings as a SETTINGS frame does, six bytes each (RFC 9113 §6.5.1).
package enum SettingsCoding {
    package static func encode(_ settings: [HTTP2ConnectionFacts.Setting]) -> [UInt8] {
        settings.flatMap { setting in
            [8, 0].map { UInt8(truncatingIfNeeded: setting.number >> $0) }
                + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: setting.value >> $0) }
        }
    }

    /// Decodes the settings; an incomplete one at the end is dropped.
    package static func decode(_ bytes: [UInt8]) -> [HTTP2ConnectionFacts.Setting] {
        stride(from: 0, to: bytes.count - bytes.count % 6, by: 6).map { index in
            HTTP2ConnectionFacts.Setting(
                number: bytes[index..<(index + 2)].reduce(0) { $0 << 8 | UInt16($1) },
                value: bytes[(index + 2)..<(index + 6)].reduce(0) { $0 << 8 | UInt32($1) })
        }
    }
}

/// The `octets` column of a certificate chain: for each certificate its length (4 bytes,
/// big-endian) and its DER, leaf first.
package enum CertificateChainCoding {
    package static func encode(_ certificates: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for certificate in certificates {
            let count = UInt32(truncatingIfNeeded: certificate.count)
            for shift in [24, 16, 8, 0] as [UInt32] {
                bytes.append(UInt8(truncatingIfNeeded: count >> shift))
            }
            bytes += certificate
        }
        return bytes
    }

    /// Decodes the certificates up to the first damaged length; anything after it is dropped.
    package static func decode(_ bytes: [UInt8]) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        var rest = bytes[...]
        while rest.count >= 4 {
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard count <= rest.count else { break }
            certificates.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return certificates
    }
}

/// Stores the operations of a GraphQL request as two texts, one for the names and one for the
/// types, with one line per operation. Names and types contain no line breaks.
package enum GraphQLCoding {
    package static func text(of operations: [GraphQLOperation]) -> (names: String, types: String) {
        (
            operations.map { $0.name ?? "" }.joined(separator: "\n"),
            operations.map { $0.kind?.rawValue ?? "" }.joined(separator: "\n")
        )
    }

    /// Decodes the operations, or returns none if nothing was stored. If the store is damaged, one
    /// text may have more lines than the other.
    package static func operations(names: String?, types: String?) -> [GraphQLOperation] {
        guard names != nil || types != nil else { return [] }
        let names = lines(names)
        let types = lines(types)
        return (0..<max(names.count, types.count)).map { index in
            let name = index < names.count ? names[index] : ""
            let kind = index < types.count ? types[index] : ""
            return GraphQLOperation(
                kind: GraphQLOperation.Kind(rawValue: kind), name: name.isEmpty ? nil : name)
        }
    }

    private static func lines(_ text: String?) -> [String] {
        (text ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}

/// Makes texts safe to embed in the JSON that the SQL views write, where little is escaped.
package enum OneLine {
    /// Returns the text with control characters replaced by spaces.
    package static func text(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
    }

    /// Returns at most the first `byteCountMax` bytes, with control characters replaced by spaces.
    package static func text(_ text: String, byteCountMax: Int) -> String {
        OneLine.text(text.beginning(byteCountMax: byteCountMax))
    }
}

extension String {
    /// Returns the longest prefix that takes at most `byteCountMax` bytes in UTF-8.
    package func beginning(byteCountMax: Int) -> String {
        guard utf8.count > byteCountMax else { return self }
        var byteCount = 0
        let fitting = unicodeScalars.prefix { scalar in
            byteCount += UTF8.width(scalar)
            return byteCount <= byteCountMax
        }
        return String(fitting)
    }
}
