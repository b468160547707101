/// Undoes the base64 of grpc-web-text as it comes (RFC 4648 §4). Servers encode each message, or
/// each piece they flush, on its own: padding may stand anywhere between groups of four.
public struct Base64Stream: Sendable {
    /// Bits of the group so far, and how many of its characters came.
    private var bits: UInt32 = 0
    private var characterCount = 0
    private var paddingCount = 0
    /// Whether a character came that base64 does not have in its place; nothing is decoded from
    /// there on.
    public private(set) var isInvalid = false

    /// At the start of a body.
    public init() {}

    /// Whether the body may end here.
    public var isAtEndOfGroup: Bool { characterCount == 0 && !isInvalid }

    /// Decodes the next characters and appends what they give. CR and LF are skipped.
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
