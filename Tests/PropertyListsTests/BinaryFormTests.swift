import ProxydParameterCoding
import ProxydPropertyLists
import Testing

/// Binary lists with objects and numbers of every width.
@Suite struct BinaryFormTests {
    private func big(_ number: UInt64, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { index in
            let shift = UInt64(8 * (byteCount - 1 - index))
            return shift < 64 ? UInt8(truncatingIfNeeded: number >> shift) : 0
        }
    }

    /// A list of objects, with offsets and references of these widths.
    private func list(
        _ objects: [[UInt8]], offsetByteCount: Int = 2, referenceByteCount: Int = 1,
        count: UInt64? = nil, top: UInt64 = 0, table: UInt64? = nil
    ) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += big(UInt64(bytes.count), offsetByteCount)
            bytes += object
        }
        let place = table ?? UInt64(bytes.count)
        bytes += offsets + [0, 0, 0, 0, 0, 0]
        bytes += [UInt8(truncatingIfNeeded: offsetByteCount)]
        bytes += [UInt8(truncatingIfNeeded: referenceByteCount)]
        return bytes + big(count ?? UInt64(objects.count), 8) + big(top, 8) + big(place, 8)
    }

    private func read(_ bytes: [UInt8]) throws -> Parameter {
        try PropertyListReader().read(bytes)
    }

    // Integers of one, two and four bytes have no sign, those of eight have one.
    @Test(
        arguments: [
            ([0x10, 0xFF], Parameter.int(255)), ([0x11, 0x80, 0], .int(32_768)),
            ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], .int(4_294_967_295)),
            ([0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .int(-1)),
            (
                [0x14] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0xFF, count: 8),
                .uint(.max)
            ),
            ([0x23, 0xC0, 0, 0, 0, 0, 0, 0, 0], .double(-2)), ([0x50], ""), ([0x60], ""),
            ([0x40], .data([])), ([0x42, 1, 2], .data([1, 2])), ([0xD0], [:]), ([0xA0], []),
            ([0x33] + [UInt8](repeating: 0, count: 8), .date(.init(secondsSince2001: 0))),
            ([0x62, 0xD8, 0x3D, 0xDE, 0x00], "😀"), ([0x80, 9], ["CF$UID": 9]),
            ([0x81, 1, 0], ["CF$UID": 256]),
        ] as [([UInt8], Parameter)])
    func `every type of value in a binary property list is read`(object: [UInt8], value: Parameter)
        throws
    {
        #expect(try read(list([object])) == value)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 8])
    func `offsets and references in a binary property list may be up to eight bytes wide`(
        width: Int
    ) throws {
        let array = [0xA2] + big(1, width) + big(2, width)
        let objects = [array, [0x09], [0x51, 0x61]]
        #expect(
            try read(list(objects, offsetByteCount: width, referenceByteCount: width))
                == [true, "a"])
    }

    @Test func `objects with a length of 15 or more in a binary property list are read`()
        throws
    {
        let text = String(repeating: "x", count: 300)
        for count in [[0x11, 0x01, 0x2C], [0x12, 0, 0, 0x01, 0x2C]] as [[UInt8]] {
            #expect(try read(list([[0x5F] + count + Array(text.utf8)])) == .string(text))
        }
        // A short count may be written in the long form too.
        #expect(try read(list([[0x5F, 0x10, 2, 0x61, 0x62]])) == "ab")
    }

    @Test func `the top object of a binary property list need not come first`() throws {
        #expect(try read(list([[0x08], [0xA1, 0]], top: 1)) == [false])
    }

    @Test func `a binary property list with an inconsistent trailer is rejected`() {
        let objects: [[UInt8]] = [[0xA1, 1], [0x09]]
        let lies = [
            list(objects, offsetByteCount: 9), list(objects, referenceByteCount: 0),
            list(objects, referenceByteCount: 9), list(objects, count: 0),
            list(objects, count: 3), list(objects, count: .max), list(objects, top: 2),
            list(objects, top: .max), list(objects, table: 0), list(objects, table: 8),
            list(objects, table: .max), list(objects, table: 1 << 62),
        ]
        for (index, bytes) in lies.enumerated() {
            do throws(PropertyListError) {
                _ = try PropertyListReader().read(bytes)
                Issue.record("\(index) is read")
            } catch {
                #expect(error.kind == .truncated, "\(index)")
            }
        }
    }

    @Test func `a binary property list that is too short for a valid trailer is rejected`() {
        for count in 0..<41 {
            let bytes = Array("bplist00".utf8) + [UInt8](repeating: 1, count: count)
            #expect(throws: PropertyListError.self) { try read(bytes) }
        }
    }

    @Test func `a dictionary in a binary property list keeps its order and repeated keys`() throws {
        let objects: [[UInt8]] = [[0xD2, 1, 1, 2, 3], [0x51, 0x61], [0x09], [0x08]]
        #expect(try read(list(objects)) == .object([.init("a", true), .init("a", false)]))
    }
}
