import ProxydHTTPModel
import Testing

/// Names are recognised in any case and in no other spelling (RFC 9110 §5.1).
struct FieldNameTests {
    private static let known = FieldName.allCases.filter { $0 != .other }

    @Test(arguments: known)
    func `a name is itself in lower and in upper case`(name: FieldName) {
        let octets = FieldNameTests.octets(name)
        #expect(FieldNameTests.read(octets) == name)
        #expect(FieldNameTests.read(octets.map(FieldNameTests.uppercased)) == name)
    }

    /// Among the bytes in a letter's place are those that differ from it by the bit of the case
    /// without being letters, and those above 0x7F.
    @Test(arguments: known)
    func `any other byte in any place makes it another name`(name: FieldName) {
        let octets = FieldNameTests.octets(name)
        for place in octets.indices {
            for octet in UInt8.min...UInt8.max {
                let isSame =
                    octet == octets[place]
                    || octet == FieldNameTests.uppercased(octets[place])
                var changed = octets
                changed[place] = octet
                #expect((FieldNameTests.read(changed) == name) == isSame, "\(octet) at \(place)")
            }
        }
    }

    @Test(arguments: known)
    func `a name that is cut or goes on is another one`(name: FieldName) {
        let octets = FieldNameTests.octets(name)
        #expect(FieldNameTests.read(octets.dropLast()) != name)
        #expect(FieldNameTests.read(octets + [0x73]) != name)
    }

    private static func read(_ octets: [UInt8]) -> FieldName { FieldName(octets.span) }

    private static func octets(_ name: FieldName) -> [UInt8] {
        let literal = name.lowercaseName
        return Array(
            UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    private static func uppercased(_ octet: UInt8) -> UInt8 {
        octet >= 0x61 && octet <= 0x7A ? octet - 0x20 : octet
    }
}
