import ProxydParameterCoding
import Testing

/// What text a body is.
struct BodyTextTests {
    private static let form = "application/x-www-form-urlencoded"

    private func searched(_ bytes: [UInt8], _ contentType: String) -> String {
        String(decoding: BodyText.searched(bytes, contentType: contentType), as: UTF8.self)
    }

    @Test
    func `a form is decoded in the charset of its _charset_ field if Content-Type declares none`()
        throws
    {
        let bytes = [0x71, 0x3D, 0x93, 0xFA, 0x96, 0x7B] + Array("&_charset_=Shift_JIS".utf8)
        #expect(searched(bytes, BodyTextTests.form) == "q=日本&_charset_=Shift_JIS")
        #expect(searched(bytes, BodyTextTests.form + "; charset=x") == "q=日本&_charset_=Shift_JIS")
        // Another charset is declared, or the bytes are not valid in it.
        let cyrillic = searched(bytes, BodyTextTests.form + "; charset=windows-1251")
        #expect(cyrillic.hasPrefix("q=“ъ–{"))
        let invalid = [0x71, 0x3D, 0xFF] + Array("&_charset_=Shift_JIS".utf8)
        #expect(searched(invalid, BodyTextTests.form) == "q=ÿ&_charset_=Shift_JIS")
    }

    @Test func `the text of a form is encoded in the charset that its _charset_ field names`()
        throws
    {
        let bytes = try BodyText.bytes(
            of: "q=日本&_charset_=Shift_JIS", contentType: MediaType(BodyTextTests.form))
        #expect(
            bytes == [0x71, 0x3D, 0x93, 0xFA, 0x96, 0x7B] + Array("&_charset_=Shift_JIS".utf8))
    }

    @Test func `an event stream is decoded and encoded as UTF-8, whatever charset is declared`()
        throws
    {
        let bytes = Array("data: é\n\n".utf8)
        for charset in ["windows-1251", "utf-16", "Shift_JIS"] {
            let type = "text/event-stream; charset=\(charset)"
            #expect(searched(bytes, type) == "data: é\n\n")
            #expect(try BodyText.bytes(of: "data: é\n\n", contentType: MediaType(type)) == bytes)
        }
        #expect(searched([0xEF, 0xBB, 0xBF] + bytes, "text/event-stream") == "data: é\n\n")
    }
}
