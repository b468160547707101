import ProxydContentCoding
import Testing

/// Values of Content-Encoding.
@Suite struct CodingListTests {
    @Test(
        arguments: [
            ("", []), (" ,\t, ", []), ("identity", []), ("Identity,IDENTITY", []),
            ("gzip", [.gzip]),
            ("GZip\t,x-GZIP", [.gzip, .gzip]), (",deflate,,br,", [.deflate, .brotli]),
            ("zstd, identity, gzip", [.zstd, .gzip]), ("\tBR \t", [.brotli]),
            ("aws-chunked,gzip", [.gzip, .awsChunked]), ("gzip,AWS-Chunked", [.gzip, .awsChunked]),
        ] as [(String, [Coding])])
    func `Content-Encoding is parsed into codings in the order in which they were applied`(
        _ text: String, _ wanted: [Coding]
    ) throws {
        #expect(try Coding.list(text) == wanted)
    }

    @Test(arguments: [
        ("gzip, foo, bar", "foo"), ("*", "*"), ("compress", "compress"), ("gzip;q=1", "gzip;q=1"),
        ("\"gzip\"", "\"gzip\""), ("gzi\u{70}\u{301}", "gzi\u{70}\u{301}"), ("br2", "br2"),
        ("\u{212A}zstd", "\u{212A}zstd"), ("aws-chunked,utf-8", "utf-8"),
    ])
    func `the first unknown coding in Content-Encoding is named in the error`(
        _ text: String, _ name: String
    ) {
        let error = #expect(throws: ContentCodingError.self) { _ = try Coding.list(text) }
        guard case .unsupportedCoding(let found)? = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(found.unicodeScalars.elementsEqual(name.unicodeScalars))
    }

    @Test(
        arguments: [
            ("gzip", [.gzip], nil), ("gzip, utf-8", [.gzip], "utf-8"), ("gzip, br", [], "gzip, br"),
            ("utf-8,x-gzip ,none", [.gzip], "utf-8, none"), ("", [], nil),
        ] as [(String, [Coding], String?)])
    func `content codings that were not removed stay in Content-Encoding`(
        _ text: String, _ removed: [Coding], _ left: String?
    ) {
        #expect(Coding.value(text, without: removed) == left)
    }
}
