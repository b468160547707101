import ProxydParameterCoding
import Testing

@Suite struct BodyKindTests {
    private func kind(_ contentType: String?, _ body: String) -> BodyKind {
        kind(contentType, Array(body.utf8))
    }

    private func kind(_ contentType: String?, _ bytes: [UInt8]) -> BodyKind {
        BodyKind.detect(contentType: contentType.flatMap { MediaType($0) }, bytes: bytes.span)
    }

    @Test(arguments: [
        ("application/json", BodyKind.json), ("application/problem+json; charset=utf-8", .json),
        ("application/x-ndjson", .jsonLines), ("text/html; charset=x", .html),
        ("application/soap+xml", .plainText), ("text/css", .css), ("text/csv", .plainText),
        ("application/javascript", .javaScript), ("text/event-stream", .eventStream),
        ("image/svg+xml", .image("svg+xml")), ("application/grpc+proto", .grpc),
        ("application/x-protobuf", .protobuf), ("font/woff2", .font), ("video/mp4", .video),
        ("multipart/form-data; boundary=b", .multipartForm(boundary: [0x62])),
        ("multipart/mixed; boundary=b", .multipart(boundary: [0x62])),
        ("multipart/form-data", .plainText), ("application/unheard-of", .plainText),
    ])
    func `the kind of a body is taken from Content-Type if its first bytes match no known format`(
        type: String, expected: BodyKind
    ) {
        #expect(kind(type, "1 unremarkable text") == expected)
    }

    @Test func `the first bytes decide the kind of a body whose Content-Type is missing or wrong`()
    {
        #expect(kind(nil, "") == .empty)
        #expect(kind("image/png", [0xFF, 0xD8, 0xFF, 0xE0]) == .image("jpeg"))
        #expect(kind("image/png", "<html>no such image") == .html)
        #expect(kind("application/octet-stream", "%PDF-1.7") == .pdf)
        #expect(kind("application/octet-stream", "a=b") == .plainText)
        #expect(kind("application/octet-stream", "Да") == .plainText)
        #expect(kind("application/connect+json", "\u{0}\u{0}\u{0}\u{0}\u{2}{}") == .grpc)
        #expect(kind(nil, [0x1F, 0x8B, 0x08, 0]) == .archive)
        #expect(kind(nil, "bplist00x") == .propertyListBinary)
        #expect(kind("text/xml", "<?xml version='1.0'?><plist/>") == .propertyListXML)
        #expect(kind(nil, "<?xml version='1.0'?><a/>") == .xml)
        #expect(kind(nil, " <!DOCTYPE HTML><p>") == .html)
        #expect(kind(nil, "\u{FEFF}{\"a\":1}") == .json)
        #expect(kind("application/json", "<html>oops") == .html)
        #expect(kind(nil, [0, 1, 2]) == .binary)
        #expect(kind(nil, "=a") == .plainText)
        #expect(kind(nil, "{ not json") == .plainText)
    }

    @Test
    func `a form or plain-text Content-Type is overridden if the first bytes show otherwise`() {
        let form = "application/x-www-form-urlencoded"
        let parts = "--b7\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b7--"
        #expect(kind(form, #"{"a":1}"#) == .json)
        #expect(kind(form, "\u{FEFF}[1]") == .json)
        #expect(kind(form, parts) == .multipartForm(boundary: Array("b7".utf8)))
        #expect(kind(form, "bplist00") == .propertyListBinary)
        #expect(kind(form, "<?xml version='1.0'?><a/>") == .xml)
        #expect(kind(form, "\n<!DOCTYPE plist><plist/>") == .propertyListXML)
        #expect(kind(form, "<a=1") == .form)
        #expect(kind(form, "a=<html>") == .form)
        #expect(kind("text/plain", parts) == .multipartForm(boundary: Array("b7".utf8)))
        #expect(kind("text/plain", "<html>") == .plainText)
        #expect(kind("text/plain", "a=1") == .plainText)
        #expect(kind("text/plain", "%PDF-1.4") == .pdf)
    }

    @Test(arguments: [
        "text/html", "image/png", "image/svg+xml", "application/pdf", "text/css", "audio/mpeg",
        "text/javascript", "text/event-stream", "video/mp4", "font/woff2", "application/zip",
        "application/wasm", "application/x-protobuf", "application/msgpack", "application/cbor",
        "application/grpc", "multipart/form-data; boundary=b",
    ])
    func `JSON, PNG and PDF bodies are recognised whatever their Content-Type is`(type: String) {
        #expect(kind(type, " {\"error\": \"none of that\"}") == .json)
        #expect(kind(type, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) == .image("png"))
        #expect(kind(type, "%PDF-1.7") == .pdf)
    }

    @Test(arguments: [
        "image/png", "application/pdf", "text/css", "text/javascript", "audio/mpeg", "video/mp4",
        "text/event-stream", "application/zip", "multipart/form-data; boundary=b",
    ])
    func `an HTML or XML error page is recognised even if its Content-Type declares another kind`(
        type: String
    ) {
        #expect(kind(type, "<!DOCTYPE html><title>404</title>") == .html)
        #expect(kind(type, "<?xml version='1.0'?><Error/>") == .xml)
    }

    @Test(arguments: [0, 15, 16, 500, 1_021, 1_022])
    func `whether a body is a form, text or binary depends on each of its first 1,024 bytes`(
        place: Int
    ) {
        let noForm = Set("\"<>{}".utf8)
        let textControls: Set<UInt8> = [0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1B]
        for byte in UInt8.min...UInt8.max {
            var body = Array("n=".utf8) + [UInt8](repeating: 0x78, count: 1_100)
            body[2 + place] = byte
            let isText = byte >= 0x20 && byte != 0x7F || textControls.contains(byte)
            let isForm = byte > 0x20 && byte < 0x7F && !noForm.contains(byte)
            let expected: BodyKind =
                place == 1_022 || isForm ? .form : isText ? .plainText : .binary
            #expect(kind(nil, body) == expected, "byte \(byte)")
        }
    }

    @Test(
        arguments: [
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A], BodyKind.image("png")),
            (Array("GIF8".utf8), .image("gif")), (Array("RIFF1234WEBP".utf8), .image("webp")),
            (Array("%PDF-".utf8), .pdf), (Array("bplist00".utf8), .propertyListBinary),
            ([0x50, 0x4B, 0x03, 0x04], .archive), ([0x1F, 0x8B, 0x08], .archive),
            ([0x28, 0xB5, 0x2F, 0xFD], .archive), ([0x00, 0x61, 0x73, 0x6D], .webAssembly),
            (Array("wOF2".utf8), .font), (Array("OggS".utf8), .audio), (Array("ID3".utf8), .audio),
            (Array("1234ftypavif".utf8), .image("avif")),
            (Array("1234ftypmif1".utf8), .image("heif")),
        ] as [([UInt8], BodyKind)])
    func `a file signature is recognised only if it is complete and at the start of the body`(
        signature: [UInt8], expected: BodyKind
    ) {
        #expect(kind(nil, signature) == expected)
        #expect(kind(nil, signature + [0x20, 0x20]) == expected)
        #expect(kind(nil, Array(signature.dropLast())) != expected)
        #expect(kind(nil, [0x20] + signature) != expected)
    }

    @Test
    func `a declared Content-Type is kept if the first bytes of the body are compatible with it`() {
        let film = [0, 0, 0, 0x18] + Array("ftypmp42".utf8)
        #expect(kind("audio/mp4", film) == .audio)
        #expect(kind("image/heif", film) == .image("heif"))
        #expect(kind("video/x-msvideo", "RIFF\u{1}\u{1}\u{1}\u{1}AVI ") == .video)
        #expect(kind(nil, [0, 0, 0, 0x18] + Array("ftypheic".utf8)) == .image("heic"))
        #expect(kind("image/svg+xml", "<?xml version='1.0'?><svg/>") == .image("svg+xml"))
        #expect(kind("application/xhtml+xml", "<?xml version='1.0'?><html/>") == .html)
        #expect(kind("text/javascript", "[1, 2].forEach(f)") == .javaScript)
        #expect(kind("text/html", "<p>{\"a\": 1}") == .html)
        #expect(kind("application/pdf", "x%PDF-1.7") == .pdf)
        #expect(kind("text/css", "a { color: red }") == .css)
    }

    @Test func `the boundary found in a multipart body takes precedence over the declared one`() {
        let parts = "--b7\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b7--"
        let found = BodyKind.multipartForm(boundary: Array("b7".utf8))
        #expect(kind("multipart/form-data; boundary=b7", parts) == found)
        #expect(kind("multipart/form-data; boundary=other", parts) == found)
        #expect(kind("multipart/form-data", parts) == found)
        #expect(kind("application/json", parts) == found)
        #expect(kind(nil, parts) == found)
        #expect(
            kind("multipart/form-data; boundary=b", "preamble\r\n--b\r\n")
                == .multipartForm(boundary: [0x62]))
        #expect(kind("multipart/form-data; boundary=b", "--b=") == .multipartForm(boundary: [0x62]))
        #expect(kind("multipart/form-data; boundary=b", "a=1&c=2") == .form)
        #expect(kind("multipart/form-data; boundary=b", "{\"a\":1}") == .json)
    }

    @Test
    func `property lists are recognised by their first bytes, whatever their Content-Type is`() {
        for type in [nil, "application/x-plist", "application/octet-stream", "application/json"] {
            #expect(kind(type, "bplist00") == .propertyListBinary)
            #expect(kind(type, "<?xml version='1.0'?><plist/>") == .propertyListXML)
        }
        #expect(kind("application/xml", "bplist00") == .propertyListBinary)
    }

    @Test(arguments: [
        ("name=x", BodyKind.form), ("true=1", .form), ("false_=", .form), ("tru", .json),
        ("null", .json), ("true,x", .json), (" false ", .json), ("-", .json), ("--1=", .form),
        ("-1", .json), ("\"", .json), ("user=1", .form),
    ])
    func `a body declared as JSON is read as a form if it starts like a form and not like JSON`(
        body: String, expected: BodyKind
    ) {
        #expect(kind("application/json", body) == expected)
    }

    @Test(arguments: ["", "json", "/json", "text/", "a b/c", "text/pl ain/x"])
    func `MediaType rejects strings that are not media types`(text: String) {
        #expect(text == "text/pl ain/x" || MediaType(text) == nil)
    }

    @Test func `the charset, boundary and structured suffix of a media type are parsed`() throws {
        let type = try #require(
            MediaType(#" Multipart/Form-Data ;Charset="UTF-8"; boundary="a;\"b"; x"#)
        )
        #expect(type.essence == "multipart/form-data")
        #expect(type.charset == "UTF-8")
        #expect(type.boundary == Array(#"a;"b"#.utf8))
        #expect(MediaType("application/vnd.api+json")?.suffix == "json")
    }
}
