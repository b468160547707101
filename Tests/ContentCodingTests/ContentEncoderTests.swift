import ProxydContentCoding
import Testing

struct ContentEncoderTests {
    @Test(arguments: [ContentEncoder.Coding.gzip, .deflate], [0, 1, 65_536, 1_000_003])
    func `content encoded with gzip or deflate is decoded to the same bytes`(
        _ coding: ContentEncoder.Coding, count: Int
    ) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        let coded = try ContentEncoder.encode(content.span, as: coding)
        let decoded = ContentDecoder.decode(coded.span, contentEncoding: coding.rawValue)
        #expect(decoded.bytes == content)
        #expect(decoded.failure == nil)
    }

    @Test func `the deflate encoder writes the zlib format, as Alamofire does`() throws {
        let content = Array("hello".utf8)
        let coded = try ContentEncoder.encode(content.span, as: .deflate)
        #expect(coded.first == 0x78)
    }
}
