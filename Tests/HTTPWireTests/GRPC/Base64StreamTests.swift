import ProxydHTTPWire
import Testing

@Suite("The base64 of grpc-web-text is undone as it comes")
struct Base64StreamTests {
    @Test(
        "padded anywhere between groups",
        arguments: [
            ("AQID", [1, 2, 3]), ("AQ==AgM=", [1, 2, 3]), ("AQIDBA==BQ==", [1, 2, 3, 4, 5]),
            ("+/+/", [0xFB, 0xFF, 0xBF]), ("AQ\r\nID\n", [1, 2, 3]), ("", []),
        ] as [(String, [UInt8])])
    func groups(_ text: String, _ bytes: [UInt8]) {
        for pieces in Cuts.everyWay(Array(text.utf8)) {
            var stream = Base64Stream()
            var output: [UInt8] = []
            for piece in pieces { stream.decode(piece.span, into: &output) }
            #expect(output == bytes)
            #expect(stream.isAtEndOfGroup)
        }
    }

    @Test(
        "and where it is none, nothing is decoded from there on",
        arguments: ["AQID*AQID", "AQID=QID", "AQIDA===", "AQIDAQ=AAQID", "AQID-_-_", "AQID\0"])
    func invalid(_ text: String) {
        for pieces in Cuts.everyWay(Array(text.utf8)) {
            var stream = Base64Stream()
            var output: [UInt8] = []
            for piece in pieces { stream.decode(piece.span, into: &output) }
            #expect(output == [1, 2, 3])
            #expect(stream.isInvalid)
        }
    }

    @Test("a group may be cut at the end")
    func cutGroup() {
        var stream = Base64Stream()
        var output: [UInt8] = []
        stream.decode(Array("AQIDAQ".utf8).span, into: &output)
        #expect(output == [1, 2, 3])
        #expect(!stream.isAtEndOfGroup && !stream.isInvalid)
    }
}
