import ProxydHTTPWire
import Testing

struct Base64StreamTests {
    @Test(
        arguments: [
            ("AQID", [1, 2, 3]), ("AQ==AgM=", [1, 2, 3]), ("AQIDBA==BQ==", [1, 2, 3, 4, 5]),
            ("+/+/", [0xFB, 0xFF, 0xBF]), ("AQ\r\nID\n", [1, 2, 3]), ("", []),
        ] as [(String, [UInt8])])
    func `the Base64 stream decoder accepts padding after any group, wherever the input is split`(
        _ text: String, _ bytes: [UInt8]
    ) {
        for pieces in Cuts.everyWay(Array(text.utf8)) {
            var stream = Base64Stream()
            var output: [UInt8] = []
            for piece in pieces { stream.decode(piece.span, into: &output) }
            #expect(output == bytes)
            #expect(stream.isAtEndOfGroup)
        }
    }

    @Test(arguments: ["AQID*AQID", "AQID=QID", "AQIDA===", "AQIDAQ=AAQID", "AQID-_-_", "AQID\0"])
    func `the Base64 stream decoder decodes nothing after invalid input`(_ text: String) {
        for pieces in Cuts.everyWay(Array(text.utf8)) {
            var stream = Base64Stream()
            var output: [UInt8] = []
            for piece in pieces { stream.decode(piece.span, into: &output) }
            #expect(output == [1, 2, 3])
            #expect(stream.isInvalid)
        }
    }

    @Test func `Base64 that ends within a group is incomplete but not invalid`() {
        var stream = Base64Stream()
        var output: [UInt8] = []
        stream.decode(Array("AQIDAQ".utf8).span, into: &output)
        #expect(output == [1, 2, 3])
        #expect(!stream.isAtEndOfGroup && !stream.isInvalid)
    }
}
