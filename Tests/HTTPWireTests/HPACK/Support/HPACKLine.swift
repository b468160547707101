import ProxydHTTPModel
import Testing

@testable import ProxydHTTPWire

/// A field line of a block.
struct HPACKLine: Hashable, CustomStringConvertible {
    var name: [UInt8]
    var value: [UInt8]
    var coding: FieldCoding

    init(name: [UInt8], value: [UInt8], coding: FieldCoding = .text) {
        self.name = name
        self.value = value
        self.coding = coding
    }

    init(_ name: String, _ value: String, _ coding: FieldCoding = .text) {
        self.init(name: Array(name.utf8), value: Array(value.utf8), coding: coding)
    }

    /// Without the coding.
    var description: String {
        "\(String(decoding: name, as: UTF8.self)): \(String(decoding: value, as: UTF8.self))"
    }
}

extension FieldBlock {
    /// More room than any test needs.
    static var roomy: FieldBlock {
        FieldBlock(limits: Limits(listByteCountMax: 1 << 24, lineCountMax: 1 << 20))
    }

    /// Its lines, which are also checked to lie one after another.
    var list: [HPACKLine] {
        var end: UInt32 = 0
        return lines.map { line in
            #expect(line.start == end && line.valueStart == line.nameEnd + 2)
            #expect(bytes[Int(line.nameEnd)..<Int(line.valueStart)] == [0x3A, 0x20])
            #expect(bytes[Int(line.valueEnd)..<Int(line.end)] == [0x0D, 0x0A])
            let name = Array(bytes[line.nameRange])
            #expect(line.name == FieldName(name.span))
            end = line.end
            return HPACKLine(
                name: name, value: Array(bytes[line.valueRange]), coding: line.coding)
        }
    }
}

extension HPACKDecoder {
    /// The lines of a block that passes no limit.
    mutating func list(of block: [UInt8]) throws(HPACKError) -> [HPACKLine] {
        var fields = FieldBlock.roomy
        try decode(block.span, into: &fields)
        return fields.list
    }

    /// The lines of a block as text.
    mutating func text(of hexadecimal: String) throws(HPACKError) -> [String] {
        try list(of: HPACKHex.bytes(hexadecimal)).map(\.description)
    }
}

extension HPACKEncoder {
    /// A block with lines.
    mutating func block(of lines: [HPACKLine]) -> [UInt8] {
        var block: [UInt8] = []
        beginBlock(into: &block)
        for line in lines {
            encode(name: line.name.span, value: line.value.span, coding: line.coding, into: &block)
        }
        return block
    }
}

/// Bytes as hexadecimal digits; blanks among them count for nothing.
enum HPACKHex {
    static func bytes(_ text: some StringProtocol) -> [UInt8] {
        var bytes: [UInt8] = []
        var first: UInt8?
        for character in text.utf8 {
            guard let digit = WireNumber.hexDigit(character) else { continue }
            if let high = first { bytes.append(high << 4 | UInt8(digit)) }
            first = first == nil ? UInt8(digit) : nil
        }
        return bytes
    }

    static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
