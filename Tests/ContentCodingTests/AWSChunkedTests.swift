import ProxydContentCoding
import Testing

/// The uploads of Amazon S3 in signed chunks.
@Suite struct AWSChunkedTests {
    private static let signature = ";chunk-signature=" + String(repeating: "0a", count: 32)

    private func decode(_ text: String, _ codings: String = "aws-chunked") -> DecodedContent {
        decode(Array(text.utf8), codings)
    }

    private func decode(_ bytes: [UInt8], _ codings: String = "aws-chunked") -> DecodedContent {
        ContentDecoder.decode(bytes.span, contentEncoding: codings)
    }

    private func expect(_ decoded: DecodedContent, _ text: String) {
        #expect(String(decoding: decoded.bytes, as: UTF8.self) == text)
        #expect(decoded.failure == nil)
        #expect(decoded.remark == nil)
        #expect(decoded.removed == [.awsChunked])
    }

    @Test func `signed aws-chunked chunks are decoded and joined`() {
        let signature = AWSChunkedTests.signature
        expect(
            decode(
                "5\(signature)\r\nhello\r\n0000A\(signature)\r\n, world..\n\r\n"
                    + "0\(signature)\r\n\r\n"), "hello, world..\n")
    }

    @Test(arguments: [
        "", "\r\n", "x-amz-checksum-crc32:sOO8/Q==\r\n\r\n", "a:b\r\nc:d\r\n\r\nrest",
    ])
    func `aws-chunked trailers are skipped and may be missing`(trailers: String) {
        expect(decode("2\r\n{}\r\n0\r\n" + trailers), "{}")
    }

    @Test func `an aws-chunked body without chunks is decoded as empty`() {
        expect(decode("0\r\n\r\n"), "")
    }

    @Test(arguments: ["aws-chunked,gzip", "gzip, aws-chunked"])
    func `aws-chunked is removed as the outermost coding, at any position in Content-Encoding`(
        codings: String
    ) {
        let size = String(Samples.gzip.count, radix: 16)
        let chunks = Array("\(size)\r\n".utf8) + Samples.gzip + Array("\r\n0\r\n\r\n".utf8)
        let decoded = decode(chunks, codings)
        #expect(decoded.bytes == Samples.text)
        #expect(decoded.removed == [.gzip, .awsChunked])
    }

    @Test func `an aws-chunked body is decoded the same however it is split`() throws {
        let text = "3\(AWSChunkedTests.signature)\r\nabc\r\n1\r\nd\r\n0\r\nx:y\r\n\r\n"
        let bytes = Array(text.utf8)
        for size in 1...bytes.count {
            let decoder = try ContentDecoder(contentEncoding: "aws-chunked")
            var output: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                let end = min(start + size, bytes.count)
                try decoder.decode(bytes.span.extracting(start..<end), into: &output)
            }
            try decoder.finish(into: &output)
            #expect(output == Array("abcd".utf8), "pieces of \(size)")
        }
    }

    @Test(
        arguments: [
            ("3\r\nabcX", "abc", .corruptInput(.awsChunked)),
            ("3\r\nabc\rX", "abc", .corruptInput(.awsChunked)),
            ("3\r\nabc\r\nX", "abc", .corruptInput(.awsChunked)),
            ("1\r\na\r\n0\r\nx:", "a", .truncatedInput(.awsChunked)),
            ("3\r\nab", "ab", .truncatedInput(.awsChunked)),
            ("3;chunk", "", .truncatedInput(.awsChunked)),
            ("FFFFFFFFFFFFFFF\r\na", "a", .truncatedInput(.awsChunked)),
        ] as [(String, String, ContentCodingError)])
    func `content decoded from aws-chunked before an error or premature end is kept`(
        text: String, kept: String, failure: ContentCodingError
    ) {
        let decoded = decode(text)
        #expect(String(decoding: decoded.bytes, as: UTF8.self) == kept)
        #expect(decoded.failure == failure)
    }

    @Test(arguments: [
        "face book", "abc", "1", ";", "\r\n", "10\n", "FFFFFFFFFFFFFFFF\r\n", "3;\u{1}\r\n",
    ])
    func `a body that only resembles aws-chunked is left unchanged`(text: String) {
        let decoded = decode(text)
        #expect(decoded.bytes == Array(text.utf8))
        #expect(decoded.remark == .absent(.awsChunked))
    }

    @Test func `an overlong chunk line or overlong trailers are not accepted as aws-chunked`() {
        let endless = "5;" + String(repeating: "a", count: 1 << 20)
        #expect(decode(endless).bytes.elementsEqual(endless.utf8))
        let trailers = "1\r\na\r\n0\r\n" + String(repeating: "a: b\r\n", count: 1 << 17)
        #expect(decode(trailers).failure == .corruptInput(.awsChunked))
    }
}
