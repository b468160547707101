import ProxydContentCoding
import Testing

struct ContentEncoderTests {
    @Test(arguments: [ContentEncoder.Coding.gzip, .deflate], [0, 1, 65_536, 1_000_003])
    func `what is encoded decodes to the same`(_ coding: ContentEncoder.Coding, count: Int) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        let coded = try ContentEncoder.encode(content.span, as: coding)
        let decoded = ContentDecoder.decode(coded.span, contentEncoding: coding.rawValue)
        #expect(decoded.bytes == content)
        #expect(decoded.failure == nil)
    }

    @Test func `deflate has the wrapping of zlib, as Alamofire sends it`() throws {
        let content = Array("hello".utf8)
        let coded = try ContentEncoder.encode(content.span, as: .deflate)
        #expect(coded.first == 0x78)
    }
}
