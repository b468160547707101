import ProxydHTTPModel
import Testing

/// Field lines whose names and values may be any bytes.
struct FieldListTests {
    private func list(_ pairs: [([UInt8], [UInt8])]) -> [UInt8] {
        var bytes: [UInt8] = []
        for pair in pairs {
            FieldList.append(name: pair.0.span, value: pair.1.span, to: &bytes)
        }
        return bytes
    }

    @Test func `encoded header fields are decoded unchanged, whatever their bytes and lengths`() {
        let pairs: [([UInt8], [UInt8])] = [
            ([], []), ([0], [0xFF, 0x3A, 0x0A]),
            (Array("a".utf8), [UInt8](repeating: 7, count: 127)),
            ([UInt8](repeating: 8, count: 128), [UInt8](repeating: 9, count: 20_000)),
        ]
        let read = FieldList.pairs(list(pairs))
        #expect(read.map { Array($0.name) } == pairs.map(\.0))
        #expect(read.map { Array($0.value) } == pairs.map(\.1))
        #expect(FieldList.lines(list([([0x61], [0x62])])) == [Array("a: b".utf8)])
    }

    @Test func `a truncated list of encoded header fields still yields its complete fields`() {
        let bytes = list([([1, 2], [3]), ([], [4, 5, 6]), ([7], [])])
        let ends = [5, 10, 13]
        for count in 0...bytes.count {
            let whole = ends.count { $0 <= count }
            #expect(FieldList.pairs(Array(bytes[..<count])).count == whole, "\(count)")
        }
    }

    @Test(
        arguments: [
            [0xFF], [0x80, 0x80, 0x80, 0x80, 0x80, 0x80], [0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1],
            [5, 1, 2], [0, 0xFF, 0xFF],
        ] as [[UInt8]])
    func `an encoded header field with an impossible length is not read`(bytes: [UInt8]) {
        #expect(FieldList.pairs(bytes).isEmpty)
    }
}
