/// A field as the wire has it (Protocol Buffers encoding): number, wire type, payload.
struct ProtobufField: Sendable, Hashable {
    enum WireType: UInt8, Sendable {
        case varint = 0
        case fixed64 = 1
        case delimited = 2
        case fixed32 = 5
    }

    /// Tag and length: two varints of ten octets at most.
    static let headByteCountMax = 20
    /// Octets of a payload that a guess looks at.
    static let lookByteCountMax = 4 << 10

    let number: UInt64
    let wireType: WireType
    /// Octets in front of the payload.
    let headByteCount: Int
    let payloadByteCount: Int
    /// Of a varint.
    let value: UInt64
    /// What a delimited payload seems to be.
    var guess = ProtobufGuess.bytes

    /// The field at the start, its payload perhaps not in sight; nil where there is none.
    init?(_ octets: Span<UInt8>) {
        guard let tag = ProtobufField.varint(octets, from: 0),
            let type = WireType(rawValue: UInt8(tag.value & 7)), tag.value >> 3 > 0,
            tag.value >> 3 < 1 << 29
        else { return nil }
        number = tag.value >> 3
        wireType = type
        var head = tag.end
        var payload = 0
        var number: UInt64 = 0
        switch type {
        case .varint:
            guard let varint = ProtobufField.varint(octets, from: tag.end) else { return nil }
            head = varint.end
            number = varint.value
        case .fixed64: payload = 8
        case .fixed32: payload = 4
        case .delimited:
            guard let length = ProtobufField.varint(octets, from: tag.end),
                let count = Int(exactly: length.value), count < 1 << 40
            else { return nil }
            head = length.end
            payload = count
        }
        headByteCount = head
        payloadByteCount = payload
        value = number
    }

    /// A number in the base of 128, the lowest digit first.
    static func varint(_ octets: Span<UInt8>, from start: Int) -> (value: UInt64, end: Int)? {
        var value: UInt64 = 0
        var index = start
        while index < octets.count, index - start < 10 {
            let octet = octets[index]
            value |= UInt64(octet & 0x7F) &<< UInt64(7 * (index - start))
            index += 1
            if octet & 0x80 == 0 { return (value, index) }
        }
        return nil
    }
}

/// What a delimited payload seems to be.
enum ProtobufGuess: Sendable, Hashable {
    case message, text, bytes

    /// Guesses by the first octets; `isWhole` says that there are no more.
    init(_ octets: Span<UInt8>, isWhole: Bool) {
        if octets.isEmpty || ProtobufGuess.isText(octets, isWhole: isWhole) {
            self = .text
        } else {
            self = ProtobufGuess.isMessage(octets, isWhole: isWhole) ? .message : .bytes
        }
    }

    private static func isText(_ octets: Span<UInt8>, isWhole: Bool) -> Bool {
        var end = octets.count
        if !isWhole {
            // A character may be cut at the end of what is in sight.
            while end > 0, octets.count - end < 4, octets[end - 1] >= 0x80 { end -= 1 }
        }
        for index in 0..<end where octets[index] < 0x20 || octets[index] == 0x7F {
            guard 0x09...0x0D ~= octets[index] else { return false }
        }
        return (try? UTF8Span(validating: octets.extracting(0..<end))) != nil
    }

    /// Whether fields lie behind each other up to the end.
    private static func isMessage(_ octets: Span<UInt8>, isWhole: Bool) -> Bool {
        var index = 0
        while index < octets.count {
            let rest = octets.extracting(index..<octets.count)
            guard let field = ProtobufField(rest) else {
                return !isWhole && index > 0 && rest.count < ProtobufField.headByteCountMax
            }
            index += field.headByteCount + field.payloadByteCount
        }
        return isWhole ? index == octets.count : true
    }
}
