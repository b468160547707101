public import ProxydParameterCoding

/// A message decoded without its description: its fields by number in wire order, each with all
/// plausible readings.
///
/// An element has `number` and `wire` and, by what the wire says:
/// - `varint`: `uint`, `int`, `sint` (ZigZag), and `bool` where it is 0 or 1;
/// - `fixed32`, `fixed64`: `uint`, `int`, and `float` or `double`;
/// - `bytes`: its length as `bytes`, `text` where it is printable UTF-8, `message` where fields lie
///   one after another up to its end, `packed` where they can be numbers, else `base64`;
/// - `group`: `message`.
///
/// Numbers are written with all their digits. If the bytes cannot be parsed further, the last
/// element has `problem` and the remaining bytes as `base64` instead.
public struct FieldReadings: Sendable {
    /// The maximum number of values shown for a possibly packed field.
    public static let packedCountMax = 1_024

    private let bytes: [UInt8]
    private var budget: ReadingBudget

    /// The fields of a message, as an array. Works for any bytes.
    public static func json(
        of bytes: [UInt8], limits: ProtobufLimits = ProtobufLimits()
    ) -> JSONValue {
        var readings = FieldReadings(bytes, limits)
        return readings.fields(bytes.indices)
    }

    private init(_ bytes: [UInt8], _ limits: ProtobufLimits) {
        self.bytes = bytes
        budget = ReadingBudget(limits)
    }

    private mutating func fields(_ range: Range<Int>) -> JSONValue {
        var reader = WireReader(bytes, range)
        var elements: [JSONValue] = []
        do throws(ProtobufError) {
            while let field = try reader.next(&budget) {
                elements.append(try element(field, depth: 0))
            }
        } catch {
            elements.append(problem(error, reader.rest))
        }
        return .array(elements)
    }

    private func problem(_ error: ProtobufError, _ rest: Range<Int>) -> JSONValue {
        .members([
            ("problem", .string(error.description)),
            ("base64", .string(Base64.text(Array(bytes[rest])))),
        ])
    }

    /// One field of a message whose other fields are described.
    static func element(
        _ field: WireField, in bytes: [UInt8], depth: Int, _ budget: inout ReadingBudget
    ) throws(ProtobufError) -> JSONValue {
        var readings = FieldReadings(bytes, ProtobufLimits())
        readings.budget = budget
        defer { budget = readings.budget }
        return try readings.element(field, depth: depth)
    }

    private mutating func element(
        _ field: WireField, depth: Int
    ) throws(ProtobufError) -> JSONValue {
        try budget.show(at: field.offset)
        var members: [(String, JSONValue)] = [("number", .digits(field.number))]
        switch field.value {
        case .varint(let value): members += FieldReadings.varint(value)
        case .fixed32(let bits):
            members += [
                ("wire", .string("fixed32")), ("uint", .digits(bits)),
                ("int", .digits(Int32(bitPattern: bits))),
                ("float", .floating(Float(bitPattern: bits))),
            ]
        case .fixed64(let bits):
            members += [
                ("wire", .string("fixed64")), ("uint", .digits(bits)),
                ("int", .digits(Int64(bitPattern: bits))),
                ("double", .floating(Double(bitPattern: bits))),
            ]
        case .group(let content):
            members.append(("wire", .string("group")))
            members.append(("message", try message(content, depth: depth)))
        case .bytes(let content): members += try delimited(content, depth: depth)
        }
        return .members(members)
    }

    private static func varint(_ value: UInt64) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [
            ("wire", .string("varint")), ("uint", .digits(value)),
            ("int", .digits(Int64(bitPattern: value))),
            ("sint", .digits(ZigZag.decoded(value))),
        ]
        if value <= 1 { members.append(("bool", .bool(value == 1))) }
        return members
    }

    // MARK: Delimited

    private mutating func delimited(
        _ content: Range<Int>, depth: Int
    ) throws(ProtobufError) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [
            ("wire", .string("bytes")), ("bytes", .digits(content.count)),
        ]
        try budget.look(byteCount: content.count, at: content.lowerBound)
        let text = ReadableText.text(bytes[content])
        if let text { members.append(("text", .string(text))) }
        if content.isEmpty { return members }
        let isMessage = try self.isMessage(content, depth: depth)
        if isMessage { members.append(("message", try message(content, depth: depth))) }
        if text == nil {
            members += try packed(content)
            if !isMessage {
                members.append(("base64", .string(Base64.text(Array(bytes[content])))))
            }
        }
        return members
    }

    private mutating func isMessage(
        _ content: Range<Int>, depth: Int
    ) throws(ProtobufError) -> Bool {
        guard depth &+ 1 < budget.depthMax else { return false }
        var reader = WireReader(bytes, content)
        return try reader.isMessage(&budget)
    }

    /// The fields of bytes that are known to be a message.
    private mutating func message(
        _ content: Range<Int>, depth: Int
    ) throws(ProtobufError) -> JSONValue {
        guard depth &+ 1 < budget.depthMax else {
            return .string(Base64.text(Array(bytes[content])))
        }
        var reader = WireReader(bytes, content)
        var elements: [JSONValue] = []
        while let field = try reader.next(&budget) {
            elements.append(try element(field, depth: depth &+ 1))
        }
        return .array(elements)
    }

    /// `packed`, with each sequence of numbers that the bytes could be.
    private mutating func packed(
        _ content: Range<Int>
    ) throws(ProtobufError) -> [(String, JSONValue)] {
        var readings: [(String, JSONValue)] = []
        if let numbers = PackedGuess.varints(bytes, content) {
            readings.append(("uint", .array(numbers)))
        }
        if let numbers = PackedGuess.floats(bytes[content]) {
            readings.append(("float", .array(numbers)))
        }
        if let numbers = PackedGuess.doubles(bytes[content]) {
            readings.append(("double", .array(numbers)))
        }
        for case (_, .array(let numbers)) in readings {
            try budget.show(numbers.count, at: content.lowerBound)
        }
        return readings.isEmpty ? [] : [("packed", .members(readings))]
    }
}

/// Guesses whether bytes are a packed field, which the wire format does not indicate.
enum PackedGuess {
    /// Varints that end where the bytes do; nil if they do not, if one is longer than necessary,
    /// which no encoder writes, or if there are too many to show.
    static func varints(_ bytes: [UInt8], _ content: Range<Int>) -> [JSONValue]? {
        var numbers: [JSONValue] = []
        var reader = WireReader(bytes, content)
        var start = reader.position
        while let value = try? reader.nextVarint() {
            guard numbers.count < FieldReadings.packedCountMax,
                reader.position &- start == byteCount(value)
            else { return nil }
            numbers.append(.digits(value))
            start = reader.position
        }
        return reader.isAtEnd && start == content.upperBound ? numbers : nil
    }

    /// Floats of a plausible magnitude; nil if one of them is not.
    static func floats(_ bytes: ArraySlice<UInt8>) -> [JSONValue]? {
        numbers(bytes, size: 4) { bits in
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
            return isUsual(Double(value)) ? .floating(value) : nil
        }
    }

    /// Doubles of a plausible magnitude; nil if one of them is not.
    static func doubles(_ bytes: ArraySlice<UInt8>) -> [JSONValue]? {
        numbers(bytes, size: 8) { bits in
            let value = Double(bitPattern: bits)
            return isUsual(value) ? .floating(value) : nil
        }
    }

    private static func numbers(
        _ bytes: ArraySlice<UInt8>, size: Int, _ number: (UInt64) -> JSONValue?
    ) -> [JSONValue]? {
        guard bytes.count % size == 0, bytes.count / size <= FieldReadings.packedCountMax else {
            return nil
        }
        var numbers: [JSONValue] = []
        var rest = bytes
        while !rest.isEmpty {
            guard let value = number(WireHead.little(rest.prefix(size))) else { return nil }
            numbers.append(value)
            rest = rest.dropFirst(size)
        }
        return numbers
    }

    private static func isUsual(_ value: Double) -> Bool {
        value == 0 || (1e-6...1e12).contains(value.magnitude)
    }

    /// The encoded length of a varint in bytes.
    private static func byteCount(_ value: UInt64) -> Int {
        max(1, (64 - value.leadingZeroBitCount + 6) / 7)
    }
}

/// Detects bytes that are readable text.
enum ReadableText {
    /// Decodes UTF-8 without control characters other than tabs and line ends; otherwise nil.
    static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let isPrintable = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: true
            case 0..<0x20, 0x7F..<0xA0: false
            default: true
            }
        }
        return isPrintable ? text : nil
    }
}
