/// A field in the Protocol Buffers wire format: number, wire type, payload.
struct ProtobufField: Sendable, Hashable {
    enum WireType: UInt8, Sendable {
        case varint = 0
        case fixed64 = 1
        case delimited = 2
        case fixed32 = 5
    }

    /// The maximum size of tag and length, two varints of ten bytes at most.
    static let headByteCountMax = 20
    /// How many bytes of a payload are examined to guess its type.
    static let lookByteCountMax = 4 << 10

    let number: UInt64
    let wireType: WireType
    /// The number of bytes before the payload.
    let headByteCount: Int
    let payloadByteCount: Int
    /// The value of a varint; 0 for other wire types.
    let value: UInt64
    /// What a length-delimited payload seems to be.
    var guess = ProtobufGuess.bytes

    /// Parses the field at the start, whose payload may not be in view yet; returns nil if there is
    /// no valid field.
    init?(_ bytes: Span<UInt8>) {
        guard let tag = ProtobufField.varint(bytes, from: 0),
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
            guard let varint = ProtobufField.varint(bytes, from: tag.end) else { return nil }
            head = varint.end
            number = varint.value
        case .fixed64: payload = 8
        case .fixed32: payload = 4
        case .delimited:
            guard let length = ProtobufField.varint(bytes, from: tag.end),
                let count = Int(exactly: length.value), count < 1 << 40
            else { return nil }
            head = length.end
            payload = count
        }
        headByteCount = head
        payloadByteCount = payload
        value = number
    }

    /// Decodes a varint: base 128, least significant group first.
    static func varint(_ bytes: Span<UInt8>, from start: Int) -> (value: UInt64, end: Int)? {
        var value: UInt64 = 0
        var index = start
        while index < bytes.count, index - start < 10 {
            let byte = bytes[index]
            value |= UInt64(byte & 0x7F) &<< UInt64(7 * (index - start))
            index += 1
            if byte & 0x80 == 0 { return (value, index) }
        }
        return nil
    }
}

/// What a length-delimited payload seems to be.
enum ProtobufGuess: Sendable, Hashable {
    case message, text, bytes

    /// Guesses from the first bytes; `isWhole` says that they are the complete payload.
    init(_ bytes: Span<UInt8>, isWhole: Bool) {
        if bytes.isEmpty || ProtobufGuess.isText(bytes, isWhole: isWhole) {
            self = .text
        } else {
            self = ProtobufGuess.isMessage(bytes, isWhole: isWhole) ? .message : .bytes
        }
    }

    private static func isText(_ bytes: Span<UInt8>, isWhole: Bool) -> Bool {
        var end = bytes.count
        if !isWhole {
            // A character may be cut off at the end of the bytes in view.
            while end > 0, bytes.count - end < 4, bytes[end - 1] >= 0x80 { end -= 1 }
        }
        for index in 0..<end where bytes[index] < 0x20 || bytes[index] == 0x7F {
            guard 0x09...0x0D ~= bytes[index] else { return false }
        }
        return (try? UTF8Span(validating: bytes.extracting(0..<end))) != nil
    }

    /// Whether the bytes are a sequence of fields up to the end.
    private static func isMessage(_ bytes: Span<UInt8>, isWhole: Bool) -> Bool {
        var index = 0
        while index < bytes.count {
            let rest = bytes.extracting(index..<bytes.count)
            guard let field = ProtobufField(rest) else {
                return !isWhole && index > 0 && rest.count < ProtobufField.headByteCountMax
            }
            index += field.headByteCount + field.payloadByteCount
        }
        return isWhole ? index == bytes.count : true
    }
}
