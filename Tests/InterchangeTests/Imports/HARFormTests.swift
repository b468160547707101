import ProxydHTTPModel
import ProxydInterchange
import ProxydParameterCoding
import Testing

/// Forms that a HAR log has only as parameters.
struct HARFormTests {
    private static let form = "application/x-www-form-urlencoded"
    private static let privet = #"{"name":"q","value":"Привет"}"#

    private func body(_ type: String, _ parameters: String...) throws -> [UInt8] {
        let data =
            #","postData":{"mimeType":"\#(type)","params":[\#(parameters.joined(separator: ","))]}"#
        return try HARText.imported(HARText.entry(method: "POST", request: data))
            .exchange.request.body.kept
    }

    private func parameters(_ body: [UInt8], _ type: String) -> [String] {
        let query: [UInt8] = []
        return ParameterExtractor.extract(query: query.span, contentType: type, body: body.span)
            .map { "\($0.name)=\($0.value ?? "")" }
    }

    @Test(arguments: [
        ("windows-1251", "q=%CF%F0%E8%E2%E5%F2"),
        ("utf-8", "q=%D0%9F%D1%80%D0%B8%D0%B2%D0%B5%D1%82"),
        ("koi8-r", "q=%F0%D2%C9%D7%C5%D4"), ("x-none", "q=%D0%9F%D1%80%D0%B8%D0%B2%D0%B5%D1%82"),
    ])
    func `form parameters in HAR are encoded in the charset of the Content-Type`(
        charset: String, expected: String
    ) throws {
        let type = "\(HARFormTests.form); charset=\(charset)"
        let bytes = try body(type, HARFormTests.privet)
        #expect(bytes == Array(expected.utf8))
        #expect(parameters(bytes, type) == ["q=Привет"])
    }

    @Test func `form parameters in HAR are encoded in the charset that a _charset_ field names`()
        throws
    {
        let bytes = try body(
            HARFormTests.form, #"{"name":"検索","value":"表示 a"}"#,
            #"{"name":"_charset_","value":"Shift_JIS"}"#)
        #expect(
            bytes == Array("%8C%9F%8D%F5=%95%5C%8E%A6+a&_charset_=Shift_JIS".utf8))
        #expect(
            parameters(bytes, HARFormTests.form) == ["検索=表示 a", "_charset_=Shift_JIS"])
        let declared = try body(
            "\(HARFormTests.form); charset=koi8-r", HARFormTests.privet,
            #"{"name":"_charset_","value":"windows-1251"}"#)
        #expect(declared == Array("q=%F0%D2%C9%D7%C5%D4&_charset_=windows-1251".utf8))
    }

    @Test
    func `a character outside a HAR form's charset is encoded as a numeric character reference`()
        throws
    {
        let bytes = try body(
            "\(HARFormTests.form); charset=windows-1251", #"{"name":"q","value":"П日"}"#)
        #expect(bytes == Array("q=%CF%26%2326085%3B".utf8))
    }

    @Test(arguments: [
        ("; charset=windows-1251", ""),
        ("", #"{"name":"_charset_","value":"windows-1251"}"#),
    ])
    func `names and values of multipart parameters in HAR are encoded in the form's charset`(
        charset: String, field: String
    ) throws {
        let type = "multipart/form-data; boundary=b\(charset)"
        let fields = [
            #"{"name":"имя","value":"Привет"}"#,
            #"{"name":"f","fileName":"имя","value":"日"}"#,
        ]
        let bytes = try body(type, (fields + (field.isEmpty ? [] : [field])).joined(separator: ","))
        let name: [UInt8] = [0xE8, 0xEC, 0xFF]
        let start =
            Array("--b\r\nContent-Disposition: form-data; name=\"".utf8) + name
            + Array("\"\r\n\r\n".utf8) + [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2]
            + Array("\r\n--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"".utf8)
            + name + Array("\"\r\n\r\n&#26085;\r\n--b".utf8)
        #expect(bytes.starts(with: start))
        #expect(Array(parameters(bytes, type).prefix(2)) == ["имя=Привет", "f=имя"])
    }

    @Test func `a multipart parameter in HAR that has its own charset is encoded in that charset`()
        throws
    {
        let type = "multipart/form-data; boundary=b; charset=windows-1251"
        let bytes = try body(
            type, #"{"name":"имя","contentType":"text/plain; charset=Shift_JIS","value":"表示"}"#,
            #"{"name":"u","contentType":"text/plain; charset=utf-8","value":"é"}"#,
            #"{"name":"w","contentType":"text/plain; charset=utf-16le","value":"é"}"#)
        #expect(bytes.firstRange(of: [0x95, 0x5C, 0x8E, 0xA6]) != nil)
        #expect(parameters(bytes, type) == ["имя=表示", "u=é", "w=é"])
    }
}
