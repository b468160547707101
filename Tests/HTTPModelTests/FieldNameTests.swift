import ProxydHTTPModel
import Testing

/// Names are recognised in any case and in no other spelling (RFC 9110 §5.1).
struct FieldNameTests {
    private static let known = FieldName.allCases.filter { $0 != .other }

    @Test(arguments: known)
    func `a known header field name is recognized in lower and in upper case`(name: FieldName) {
        let bytes = FieldNameTests.bytes(name)
        #expect(FieldNameTests.read(bytes) == name)
        #expect(FieldNameTests.read(bytes.map(FieldNameTests.uppercased)) == name)
    }

    /// Among the bytes in a letter's place are those that differ from it by the bit of the case
    /// without being letters, and those above 0x7F.
    @Test(arguments: known)
    func `a known header field name with any byte replaced is not recognized`(name: FieldName) {
        let bytes = FieldNameTests.bytes(name)
        for index in bytes.indices {
            for byte in UInt8.min...UInt8.max {
                let isSame =
                    byte == bytes[index]
                    || byte == FieldNameTests.uppercased(bytes[index])
                var changed = bytes
                changed[index] = byte
                #expect((FieldNameTests.read(changed) == name) == isSame, "\(byte) at \(index)")
            }
        }
    }

    @Test(arguments: known)
    func `a known header field name with a byte missing or added is not recognized`(name: FieldName)
    {
        let bytes = FieldNameTests.bytes(name)
        #expect(FieldNameTests.read(bytes.dropLast()) != name)
        #expect(FieldNameTests.read(bytes + [0x73]) != name)
    }

    private static func read(_ bytes: [UInt8]) -> FieldName { FieldName(bytes.span) }

    private static func bytes(_ name: FieldName) -> [UInt8] {
        let literal = name.lowercaseName
        return Array(
            UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    private static func uppercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x61 && byte <= 0x7A ? byte - 0x20 : byte
    }
}
