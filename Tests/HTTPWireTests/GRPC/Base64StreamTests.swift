import ProxydHTTPWire
import Testing

struct Base64StreamTests {
    @Test(
        arguments: [
            ("AQID", [1, 2, 3]), ("AQ==AgM=", [1, 2, 3]), ("AQIDBA==BQ==", [1, 2, 3, 4, 5]),
            ("+/+/", [0xFB, 0xFF, 0xBF]), ("AQ\r\nID\n", [1, 2, 3]), ("", []),
        ] as [(String, [UInt8])])
    func `base64 may be padded between any of its groups`(_ text: String, _ bytes: [UInt8]) {
        for pieces in Cuts.everyWay(Array(text.utf8)) {
            var stream = Base64Stream()
            var output: [UInt8] = []
            for piece in pieces { stream.decode(piece.span, into: &output) }
            #expect(output == bytes)
            #expect(stream.isAtEndOfGroup)
        }
    }

    @Test(arguments: ["AQID*AQID", "AQID=QID", "AQIDA===", "AQIDAQ=AAQID", "AQID-_-_", "AQID\0"])
    func `behind what is no base64 nothing is decoded`(_ text: String) {
        for pieces in Cuts.everyWay(Array(text.utf8)) {
            var stream = Base64Stream()
            var output: [UInt8] = []
            for piece in pieces { stream.decode(piece.span, into: &output) }
            #expect(output == [1, 2, 3])
            #expect(stream.isInvalid)
        }
    }

    @Test func `base64 that ends within a group is not whole`() {
        var stream = Base64Stream()
        var output: [UInt8] = []
        stream.decode(Array("AQIDAQ".utf8).span, into: &output)
        #expect(output == [1, 2, 3])
        #expect(!stream.isAtEndOfGroup && !stream.isInvalid)
    }
}
