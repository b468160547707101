/// Decodes the Base64 of grpc-web-text as it arrives (RFC 4648 §4). Servers encode each message, or
/// each flushed piece, separately: padding may occur after any group of four characters.
public struct Base64Stream: Sendable {
    /// The bits of the current group, and the number of its characters so far.
    private var bits: UInt32 = 0
    private var characterCount = 0
    private var paddingCount = 0
    /// Whether an invalid character occurred; nothing is decoded after it.
    public private(set) var isInvalid = false

    /// Creates a decoder for the start of a body.
    public init() {}

    /// Whether the body may end here.
    public var isAtEndOfGroup: Bool { characterCount == 0 && !isInvalid }

    /// Decodes the next characters and appends the result. CR and LF are skipped.
    public mutating func decode(_ input: Span<UInt8>, into output: inout [UInt8]) {
        for index in input.indices where !isInvalid { take(input[index], into: &output) }
    }

    private mutating func take(_ character: UInt8, into output: inout [UInt8]) {
        switch character {
        case 0x0D, 0x0A: return
        case UInt8(ascii: "=") where characterCount >= 2:
            paddingCount &+= 1
            bits = bits &<< 6
        default:
            guard paddingCount == 0, let value = Base64Stream.value(character) else {
                isInvalid = true
                return
            }
            bits = bits &<< 6 | value
        }
        characterCount &+= 1
        if characterCount == 4 { endGroup(into: &output) }
    }

    private mutating func endGroup(into output: inout [UInt8]) {
        output.append(UInt8(truncatingIfNeeded: bits &>> 16))
        if paddingCount < 2 { output.append(UInt8(truncatingIfNeeded: bits &>> 8)) }
        if paddingCount < 1 { output.append(UInt8(truncatingIfNeeded: bits)) }
        (bits, characterCount, paddingCount) = (0, 0, 0)
    }

    private static func value(_ character: UInt8) -> UInt32? {
        switch character {
        case 0x41...0x5A: UInt32(character &- 0x41)
        case 0x61...0x7A: UInt32(character &- 0x61 &+ 26)
        case 0x30...0x39: UInt32(character &- 0x30 &+ 52)
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
