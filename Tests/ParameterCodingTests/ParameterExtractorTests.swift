import ProxydParameterCoding
import ProxydTestSupport
import Testing

@Suite struct ParameterExtractorTests {
    private func parameter(
        _ source: ExtractedParameter.Source,
        _ name: String,
        _ value: String?
    ) -> ExtractedParameter {
        ExtractedParameter(source: source, name: name, value: value)
    }

    @Test func `query and form parameters are extracted in order`() {
        let parameters = extract(
            query: "q=caf%C3%A9&flag&tags[]=a&&",
            contentType: "application/x-www-form-urlencoded",
            body: "user=alice&token=x%2By"
        )
        #expect(
            parameters == [
                parameter(.query, "q", "café"), parameter(.query, "flag", nil),
                parameter(.query, "tags[]", "a"), parameter(.form, "user", "alice"),
                parameter(.form, "token", "x+y"),
            ]
        )
    }

    @Test func `JSON leaves are extracted as parameters named by their paths`() {
        let parameters = extract(
            contentType: "Application/JSON; charset=utf-8",
            body: #"{"a":{"x":[1,2,{"y":null}]}}"#
        )
        #expect(
            parameters == [
                parameter(.json, "a.x[0]", "1"), parameter(.json, "a.x[1]", "2"),
                parameter(.json, "a.x[2].y", nil),
            ]
        )
    }

    @Test func `multipart fields are extracted with their text, and files with their file name`() {
        let body = """
            --XX\r
            Content-Disposition: form-data; name="title"\r
            \r
            Grüße\r
            --XX\r
            Content-Disposition: form-data; name="f"; filename="a.bin"\r
            Content-Type: application/octet-stream\r
            \r
            \u{0}\u{1}\r
            --XX--\r

            """
        let expected = [
            parameter(.multipart, "title", "Grüße"), parameter(.multipart, "f", "a.bin"),
        ]
        #expect(extract(contentType: "multipart/form-data; boundary=XX", body: body) == expected)
        #expect(
            extract(contentType: #"multipart/form-data; boundary="XX""#, body: body) == expected
        )
        #expect(extract(body: body) == expected)
    }

    @Test(arguments: [true, false])
    func `a _charset_ field sets a multipart form's charset, wherever it is among the fields`(
        isFirst: Bool
    ) {
        let name = "--X\r\nContent-Disposition: form-data; name=_charset_\r\n\r\nShift_JIS\r\n"
        let file = "--X\r\nContent-Disposition: form-data; name=f; filename=_charset_\r\n\r\n\r\n"
        let field = "--X\r\nContent-Disposition: form-data; name=a\r\n\r\n"
        let start = Array((file + (isFirst ? name : "") + field).utf8)
        let end = Array(("\r\n" + (isFirst ? "" : name) + "--X--\r\n").utf8)
        let found = ParameterExtractor.extract(
            query: [UInt8]().span, contentType: "multipart/form-data; boundary=X",
            body: (start + [0x83, 0x41] + end).span)
        #expect(found.contains(parameter(.multipart, "a", "ア")))
    }

    @Test func `a multipart field declared as UTF-16 is extracted as text`() {
        let head =
            "--X\r\nContent-Disposition: form-data; name=a\r\n"
            + "Content-Type: text/plain; charset=utf-16le\r\n\r\n"
        let found = ParameterExtractor.extract(
            query: [UInt8]().span, contentType: "multipart/form-data; boundary=X",
            body: (Array(head.utf8) + [0xE9, 0] + Array("\r\n--X--\r\n".utf8)).span)
        #expect(found == [parameter(.multipart, "a", "é")])
    }

    @Test func `multipart fields after a large file are still extracted`() {
        let file = String(repeating: "0123456789", count: 30_000)
        let body =
            "--X\r\nContent-Disposition: form-data; name=f; filename=big\r\n\r\n\(file)\r\n"
            + "--X\r\nContent-Disposition: form-data; name=n\r\n\r\n1\r\n--X--"
        let parameters = extract(contentType: "multipart/form-data; boundary=X", body: body)
        #expect(parameters.map(\.value) == ["big", "1"])
    }

    @Test
    func `a body declared as a form is extracted as JSON only if it is valid JSON`() {
        let form = "application/x-www-form-urlencoded"
        #expect(extract(contentType: form, body: #"{"a":1}"#) == [parameter(.json, "a", "1")])
        #expect(extract(contentType: form, body: "[]=1") == [parameter(.form, "[]", "1")])
        #expect(extract(contentType: form, body: #"{"a":1} x"#).map(\.source) == [.form])
        #expect(extract(contentType: "text/plain", body: "[1]") == [parameter(.json, "[0]", "1")])
    }

    @Test func `a form that is declared as JSON is extracted as a form`() {
        #expect(
            extract(contentType: "application/json", body: "user=a")
                == [parameter(.form, "user", "a")]
        )
    }

    @Test
    func `without a valid Content-Type, the body's bytes decide how parameters are extracted`() {
        #expect(extract(body: "a=1&b=2").map(\.source) == [.form, .form])
        #expect(extract(body: #" {"a":true}"#) == [parameter(.json, "a", "true")])
        #expect(extract(body: "hello world").isEmpty)
        #expect(extract(bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A]).isEmpty)
        #expect(extract(contentType: "nonsense", body: "a=1") == [parameter(.form, "a", "1")])
    }

    @Test func `the complete values of a truncated JSON body are extracted`() {
        #expect(
            extract(contentType: "application/json", body: #"{"a":1,"b":"x","c":"#)
                == [parameter(.json, "a", "1"), parameter(.json, "b", "x")]
        )
    }

    @Test func `form values that are not valid in the declared charset are decoded as UTF-8`() {
        let parameters = extract(
            contentType: "application/x-www-form-urlencoded; charset=GBK",
            bytes: Array("a=%C4%E3&b=%E4%BD%A0".utf8)
        )
        #expect(parameters.map(\.value) == ["你", "你"])
    }

    @Test func `extraction limits bound the number and the size of extracted parameters`() {
        let query = (0..<100).map { "k\($0)=v" }.joined(separator: "&")
        let few = ExtractionLimits(parameterCountMax: 3)
        #expect(extract(query: query, limits: few).map(\.name) == ["k0", "k1", "k2"])
        let short = ExtractionLimits(textByteCountMax: 7)
        #expect(extract(query: query, limits: short).count == 2)
        let cut = ExtractionLimits(valueByteCountMax: 4)
        #expect(
            extract(query: "a=abcdef&b=ab%C3%A9%C3%A9", limits: cut).map(\.value) == [
                "abcd", "abé",
            ]
        )
        #expect(extract(query: "a=abc%C3%A9", limits: cut).map(\.value) == ["abc"])
        let json = "[" + (0..<100).map(String.init).joined(separator: ",") + "]"
        #expect(extract(body: json, limits: few).count == 3)
    }

    @Test
    func `names extracted from JSON stay within the text limit even if one long name repeats`() {
        let name = String(repeating: "n", count: 100_000)
        let body = "{\"\(name)\":[" + String(repeating: "1,", count: 10_000) + "1]}"
        let parameters = extract(contentType: "application/json", body: body)
        #expect(parameters.reduce(0) { $0 + $1.name.utf8.count } <= 1 << 20)
    }

    @Test func `parameter extraction does not crash on random bytes`() {
        var random = SplitMix(seed: 11)
        let alphabet = Array("{}[]\",:=&%+-B\r\n;ax01".utf8) + [0, 0xC3, 0xA9, 0xFF]
        let types: [String?] = [
            nil, "application/json", "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=B", "text/plain; charset=", "x/", "/;;==\"",
        ]
        for _ in 0..<5_000 {
            let bytes = random.bytes(countMax: 50, from: alphabet)
            for type in types { _ = extract(contentType: type, bytes: bytes) }
        }
    }

    private func isCut(
        _ contentType: String, _ body: String, _ limits: ExtractionLimits = ExtractionLimits()
    ) -> Bool {
        let bytes = Array(body.utf8)
        let none: [UInt8] = []
        return ParameterExtractor.extraction(
            query: none.span, contentType: contentType, body: bytes.span, limits: limits
        ).isCut
    }

    @Test
    func `parameters are reported as truncated if and only if an extraction limit was exceeded`() {
        let form = "application/x-www-form-urlencoded"
        let few = ExtractionLimits(
            parameterCountMax: 2, textByteCountMax: 20, valueByteCountMax: 4)
        #expect(!isCut(form, "a=1&b=2", few))
        #expect(isCut(form, "a=1&b=2&c=3", few))
        #expect(isCut(form, "a=12345", few))
        #expect(isCut(form, "aaaaaaaaaaaaaaaaaaaaa=1", few))
        #expect(!isCut("application/json", "[1,2]", few))
        #expect(isCut("application/json", "[1,2,3]", few))
        #expect(isCut("application/json", String(repeating: "[", count: 600)))
        #expect(!isCut("application/json", "[1,"))
        let part = "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n"
        #expect(!isCut("multipart/form-data; boundary=b", part + "--b--"))
        #expect(isCut("multipart/form-data; boundary=b", part + part + part + "--b--", few))
        #expect(
            isCut(
                "multipart/form-data; boundary=b",
                "--b\r\nContent-Disposition: form-data; name="
                    + String(repeating: "a", count: 20_000)
            ))
        let quoted =
            "--b\r\nContent-Disposition: form-data; name=a\r\n"
            + "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
            + String(repeating: "=41", count: 30_000) + "\r\n--b--"
        let small = ExtractionLimits(valueByteCountMax: 25_000)
        #expect(isCut("multipart/form-data; boundary=b", quoted, small))
    }
}

/// The parameters of a request given as text.
func extract(
    query: String = "",
    contentType: String? = nil,
    body: String = "",
    limits: ExtractionLimits = ExtractionLimits()
) -> [ExtractedParameter] {
    extract(query: query, contentType: contentType, bytes: Array(body.utf8), limits: limits)
}

/// The parameters of a request whose body is given as bytes.
func extract(
    query: String = "",
    contentType: String? = nil,
    bytes: [UInt8],
    limits: ExtractionLimits = ExtractionLimits()
) -> [ExtractedParameter] {
    let queryBytes = Array(query.utf8)
    return ParameterExtractor.extract(
        query: queryBytes.span,
        contentType: contentType,
        body: bytes.span,
        limits: limits
    )
}
