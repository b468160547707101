import Testing

@testable import ProxydTLS

/// The encoding that browsers insist on in the extensions of certificates.
struct DERSyntaxTests {
    /// A sequence, or what another tag is for.
    private static func sequence(_ values: [UInt8]..., tag: UInt8 = 0x30) -> [UInt8] {
        let content = values.flatMap(\.self)
        let count = UInt8(content.count)
        return (count < 0x80 ? [tag, count] : [tag, 0x81, count]) + content
    }

    /// Values of the types that extensions consist of.
    private static let goodValues: [[UInt8]] = [
        [0x01, 1, 0xFF], [0x01, 1, 0x00], [0x02, 1, 0x00], [0x02, 1, 0xFF], [0x02, 2, 0x00, 0x80],
        [0x02, 2, 0xFF, 0x7F], [0x03, 1, 0], [0x03, 2, 5, 0xA0], [0x04, 0], [0x04, 2, 1, 2],
        [0x05, 0], [0x06, 3, 0x55, 0x1D, 0x0E], [0x06, 3, 0x88, 0x37, 0x01], [0x0C, 1, 0x61],
        [0x30, 0], [0x31, 0], [0x82, 1, 0x61], [0xA0, 2, 0x05, 0x00], [0x9F, 0x1F, 0],
        [0x9F, 0x81, 0x00, 0], [0x04, 0x81, 0x80] + [UInt8](repeating: 7, count: 128),
    ]

    private static let badValues: [[UInt8]] = [
        // Lengths: indefinite, longer than necessary, of too many bytes.
        [0x30, 0x80, 0x00, 0x00], [0x04, 0x81, 0x00], [0x04, 0x82, 0x00, 0x00], [0x04, 0x81, 1, 7],
        [0x04, 0x82, 0x00, 0x80] + [UInt8](repeating: 7, count: 128),
        [0x04, 0x85, 1, 0, 0, 0, 0], [0x04, 0xFF], [0x04, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
        // A string in pieces, a sequence in one.
        [0x24, 2, 0x04, 0], [0x10, 0], [0x2C, 2, 0x0C, 0],
        // A boolean, integers, bits, null and object identifiers that have another encoding.
        [0x01, 1, 0x01], [0x01, 0], [0x02, 0], [0x02, 2, 0x00, 0x7F], [0x02, 2, 0xFF, 0x80],
        [0x03, 0], [0x03, 1, 1], [0x03, 2, 5, 0xB0], [0x03, 2, 8, 0], [0x05, 1, 0], [0x06, 0],
        [0x06, 1, 0x80], [0x06, 2, 0x55, 0x80], [0x06, 3, 0x55, 0x80, 0x01], [0x0A, 0], [0x00, 0],
        // Tags of several bytes.
        [0x9F, 0x1E, 0], [0x9F, 0x80, 0x1F, 0], [0x9F, 0x81],
    ]

    private static func isOneValue(_ bytes: [UInt8]) -> Bool {
        DERSyntax.isOneValue(bytes, tag: bytes.first ?? 0)
    }

    @Test(arguments: goodValues)
    func `a value in its DER encoding is accepted`(value: [UInt8]) {
        #expect(Self.isOneValue(value))
        #expect(Self.isOneValue(Self.sequence([0x05, 0], Self.sequence(value, tag: 0xA3))))
    }

    @Test(arguments: badValues)
    func `a value in an encoding other than DER is rejected`(value: [UInt8]) {
        #expect(!Self.isOneValue(value))
        #expect(!Self.isOneValue(Self.sequence([0x05, 0], value)))
    }

    @Test func `a DER value with an unexpected tag is rejected`() {
        #expect(!DERSyntax.isOneValue([0x04, 0], tag: 0x30))
        #expect(!DERSyntax.isOneValue([], tag: 0x00))
    }

    @Test func `a DER value that is truncated or followed by other bytes is rejected`() {
        let value = Self.sequence(
            [0x06, 3, 0x55, 0x1D, 0x0E], Self.sequence([0x02, 1, 7], [0x82, 2, 0x61, 0x62]))
        #expect(Self.isOneValue(value))
        for count in 0..<value.count {
            #expect(!Self.isOneValue(Array(value.prefix(count))), "\(count) bytes")
        }
        #expect(!Self.isOneValue(value + [0x05, 0]))
    }

    @Test func `DER values nested more than 32 levels deep are rejected`() {
        func nested(_ depth: Int) -> [UInt8] {
            (1..<depth).reduce([0x30, 0]) { value, _ in Self.sequence(value) }
        }
        #expect(Self.isOneValue(nested(32)))
        #expect(!Self.isOneValue(nested(33)))
    }
}
