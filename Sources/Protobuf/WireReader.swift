/// Reads the fields of one message, one after another (Protocol Buffers, "Encoding").
struct WireReader: Sendable {
    /// The bytes that contain the message.
    let bytes: [UInt8]
    /// The start of the next field.
    private(set) var position: Int
    private let end: Int

    /// Creates a reader for a range of bytes; a range beyond the end is treated as truncated.
    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        let bounds = range.clamped(to: bytes.indices)
        position = bounds.lowerBound
        end = bounds.upperBound
    }

    init(_ bytes: [UInt8]) { self.init(bytes, bytes.indices) }

    var isAtEnd: Bool { position >= end }

    var rest: Range<Int> { position..<end }

    /// The next field; nil at the end. After an error, the position stays at the field.
    mutating func next(_ budget: inout ReadingBudget) throws(ProtobufError) -> WireField? {
        guard !isAtEnd else { return nil }
        let start = position
        do throws(ProtobufError) {
            try budget.step(at: start)
            switch try token() {
            case .value(let number, let value):
                return WireField(number: number, value: value, offset: start)
            case .groupStart(let number):
                let content = try group(number, &budget)
                return WireField(number: number, value: .group(content), offset: start)
            case .groupEnd: throw ProtobufError(.strayGroupEnd, at: start)
            }
        } catch {
            position = start
            throw error
        }
    }

    /// Whether the rest is a valid sequence of fields; reads all of them.
    mutating func isMessage(_ budget: inout ReadingBudget) throws(ProtobufError) -> Bool {
        do throws(ProtobufError) {
            while try next(&budget) != nil {}
            return true
        } catch {
            if error.kind == .tooMuch { throw error }
            return false
        }
    }

    // MARK: Tokens

    private enum Token {
        case value(Int32, WireValue)
        case groupStart(Int32)
        case groupEnd(Int32)
    }

    private mutating func token() throws(ProtobufError) -> Token {
        let start = position
        let head = try read { (rest) throws(ProtobufError) in try WireHead(rest) }
        let first = start &+ head.byteCount
        guard head.payloadByteCount <= end &- first else {
            throw ProtobufError(.truncated, at: start &+ head.tagByteCount)
        }
        position = first &+ head.payloadByteCount
        let payload = first..<position
        switch head.wireType {
        case .varint: return .value(head.number, .varint(head.value))
        case .fixed64: return .value(head.number, .fixed64(WireHead.little(bytes[payload])))
        case .bytes: return .value(head.number, .bytes(payload))
        case .groupStart: return .groupStart(head.number)
        case .groupEnd: return .groupEnd(head.number)
        case .fixed32:
            let bits = UInt32(truncatingIfNeeded: WireHead.little(bytes[payload]))
            return .value(head.number, .fixed32(bits))
        }
    }

    /// Reads what is at the position; errors are positions in all of the bytes.
    private func read<Value>(
        _ body: (Span<UInt8>) throws(ProtobufError) -> Value
    ) throws(ProtobufError) -> Value {
        do throws(ProtobufError) {
            return try body(bytes.span.extracting(position..<end))
        } catch {
            throw ProtobufError(error.kind, at: position &+ error.offset)
        }
    }

    /// Skips a group after its start tag, without recursion for nested groups.
    private mutating func group(
        _ number: Int32, _ budget: inout ReadingBudget
    ) throws(ProtobufError) -> Range<Int> {
        let start = position
        var open = [number]
        while !isAtEnd {
            let place = position
            try budget.step(at: place)
            switch try token() {
            case .value: break
            case .groupStart(let number):
                guard open.count < budget.depthMax else { throw ProtobufError(.tooDeep, at: place) }
                open.append(number)
            case .groupEnd(let number):
                guard open.popLast() == number else {
                    throw ProtobufError(.strayGroupEnd, at: place)
                }
                if open.isEmpty { return start..<place }
            }
        }
        throw ProtobufError(.truncated, at: position)
    }

    // MARK: Numbers

    /// The next varint of a packed field; nil at the end.
    mutating func nextVarint() throws(ProtobufError) -> UInt64? {
        guard !isAtEnd else { return nil }
        let (value, byteCount) = try read { (rest) throws(ProtobufError) in
            try WireHead.varint(rest, from: 0)
        }
        position &+= byteCount
        return value
    }

    mutating func fixed(_ count: Int) throws(ProtobufError) -> UInt64 {
        guard end &- position >= count else { throw ProtobufError(.truncated, at: position) }
        let value = WireHead.little(bytes[position..<position &+ count])
        position &+= count
        return value
    }
}

/// What precedes the payload of a field: its tag, and a varint's value or the length of bytes.
package struct WireHead: Sendable, Hashable {
    /// What follows a tag.
    package enum WireType: UInt8, Sendable {
        case varint, fixed64, bytes, groupStart, groupEnd, fixed32
    }

    /// The maximum size: two varints of ten bytes each.
    package static let byteCountMax = 20
    static let numberMax: UInt64 = 1 << 29 - 1

    /// The field number, 1…2²⁹-1.
    package let number: Int32
    package let wireType: WireType
    let tagByteCount: Int
    package let byteCount: Int
    /// 0 for varints and groups.
    package let payloadByteCount: Int
    /// The value of a varint; 0 for other wire types.
    package let value: UInt64

    /// Parses the head at the start of the bytes, whose payload may be missing.
    package init(_ bytes: Span<UInt8>) throws(ProtobufError) {
        let (tag, tagEnd) = try WireHead.varint(bytes, from: 0)
        guard tag >> 3 >= 1, tag >> 3 <= WireHead.numberMax else {
            throw ProtobufError(.fieldNumber, at: 0)
        }
        guard let type = WireType(rawValue: UInt8(tag & 7)) else {
            throw ProtobufError(.wireType, at: 0)
        }
        number = Int32(truncatingIfNeeded: tag >> 3)
        wireType = type
        tagByteCount = tagEnd
        let hasNumber = type == .varint || type == .bytes
        let (number, end) = hasNumber ? try WireHead.varint(bytes, from: tagEnd) : (0, tagEnd)
        byteCount = end
        value = type == .varint ? number : 0
        switch type {
        case .fixed32: payloadByteCount = 4
        case .fixed64: payloadByteCount = 8
        case .bytes:
            guard let count = Int(exactly: number) else {
                throw ProtobufError(.truncated, at: tagEnd)
            }
            payloadByteCount = count
        case .varint, .groupStart, .groupEnd: payloadByteCount = 0
        }
    }

    /// Decodes a varint: base 128, least significant group first. Bits beyond the 64th are dropped,
    /// as in other implementations.
    static func varint(
        _ bytes: Span<UInt8>, from start: Int
    ) throws(ProtobufError) -> (value: UInt64, end: Int) {
        var value: UInt64 = 0
        for index in start..<min(bytes.count, start &+ 10) {
            let byte = bytes[index]
            // Shifting by 63 keeps only the lowest of the seven bits.
            value |= UInt64(byte & 0x7F) &<< UInt64(7 &* (index &- start))
            if byte & 0x80 == 0 { return (value, index &+ 1) }
        }
        throw ProtobufError(bytes.count &- start < 10 ? .truncated : .longVarint, at: start)
    }

    /// Decodes a little-endian number of at most eight bytes.
    package static func little(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.prefix(8).reversed().reduce(0) { $0 &<< 8 | UInt64($1) }
    }
}

struct WireField: Sendable, Hashable {
    /// The field number, 1…2²⁹-1.
    let number: Int32
    let value: WireValue
    /// The position of its tag.
    let offset: Int
}

enum WireValue: Sendable, Hashable {
    /// Wire type 0: a base-128 number, least significant digit first.
    case varint(UInt64)
    /// Wire type 1: eight bytes, little-endian.
    case fixed64(UInt64)
    /// Wire type 2: the range of its bytes; a string, a message, packed numbers or bytes.
    case bytes(Range<Int>)
    /// Wire types 3 and 4: the range of a group's fields.
    case group(Range<Int>)
    /// Wire type 5: four bytes, little-endian.
    case fixed32(UInt32)
}

/// Decodes ZigZag varints, which encode 0, -1, 1, -2 as 0, 1, 2, 3.
package enum ZigZag {
    package static func decoded(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// Decodes a 32-bit number; higher bits are dropped.
    static func decoded(_ value: UInt32) -> Int32 {
        Int32(bitPattern: value >> 1) ^ -Int32(bitPattern: value & 1)
    }
}

/// Why bytes are not a valid Protocol Buffers message, or exceed a limit.
public struct ProtobufError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        case truncated
        /// A varint of more than ten bytes.
        case longVarint
        /// A field number outside 1…2²⁹-1.
        case fieldNumber
        /// Wire type 6 or 7, which do not exist.
        case wireType
        case strayGroupEnd
        /// Messages or groups nested more deeply than `ProtobufLimits.depthMax`.
        case tooDeep
        case tooMuch
        /// A descriptor without a required name or type.
        case incomplete
    }

    public var kind: Kind
    /// The position of the error, in bytes from the start of the input.
    public var offset: Int

    public init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }

    public var description: String { "\(words) at byte \(offset)" }

    private var words: String {
        switch kind {
        case .truncated: "ends within a field"
        case .longVarint: "a varint of more than ten bytes"
        case .fieldNumber: "an invalid field number"
        case .wireType: "an invalid wire type"
        case .strayGroupEnd: "the end of a group that was not open"
        case .tooDeep: "nested too deep"
        case .tooMuch: "more than the limit"
        case .incomplete: "a description without a name or a type"
        }
    }
}

/// Limits for decoding one message.
public struct ProtobufLimits: Sendable, Hashable {
    /// The maximum nesting depth of messages and groups; deeper ones are shown as bytes.
    public var depthMax: Int
    /// The maximum number of values shown, including those of nested messages and packed fields.
    public var valueCountMax: Int
    /// The maximum number of fields visited, including attempts to interpret bytes; bytes that are
    /// examined individually count as one step per 16 bytes.
    public var stepCountMax: Int

    /// Defaults to 100 levels, as in other implementations, 250,000 values and 16,777,216 steps.
    public init(depthMax: Int = 100, valueCountMax: Int = 250_000, stepCountMax: Int = 1 << 24) {
        self.depthMax = depthMax
        self.valueCountMax = valueCountMax
        self.stepCountMax = stepCountMax
    }
}

/// The remaining work allowed for a message: deep nesting could otherwise cost far more than its
/// size suggests.
struct ReadingBudget {
    let depthMax: Int
    private var valueCount: Int
    private var stepCount: Int

    init(_ limits: ProtobufLimits) {
        depthMax = limits.depthMax
        valueCount = limits.valueCountMax
        stepCount = limits.stepCountMax
    }

    /// Charges one step for visiting a field.
    mutating func step(at offset: Int) throws(ProtobufError) {
        stepCount &-= 1
        if stepCount < 0 { throw ProtobufError(.tooMuch, at: offset) }
    }

    /// Charges for examining or copying bytes.
    mutating func look(byteCount: Int, at offset: Int) throws(ProtobufError) {
        stepCount &-= byteCount / 16
        if stepCount < 0 { throw ProtobufError(.tooMuch, at: offset) }
    }

    mutating func show(_ count: Int = 1, at offset: Int) throws(ProtobufError) {
        valueCount &-= count
        if valueCount < 0 { throw ProtobufError(.tooMuch, at: offset) }
    }
}
