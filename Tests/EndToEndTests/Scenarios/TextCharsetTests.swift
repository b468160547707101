import Foundation
import ProxydTestSupport
import Testing

/// Bodies in charsets other than UTF-8: the text that is shown is the text that is found, and edits
/// are written in the charset of the message.
@Suite(.timeLimit(.minutes(10)))
struct TextCharsetTests {
    private let data: ScratchFolder

    init() throws { data = try ScratchFolder() }

    private func daemon(rules: String = "") throws -> Daemon {
        try rules.write(toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        return try Daemon(data: data)
    }

    /// Sends bytes with a Content-Type through the proxy.
    private func post(_ bytes: [UInt8], _ type: String, to url: String, _ daemon: Daemon) throws {
        let file = data.path + "/body"
        try Data(bytes).write(to: URL(filePath: file))
        let outcome = try daemon.curl(
            "-o", "/dev/null", "-H", "Content-Type: \(type)", "--data-binary", "@\(file)", url)
        #expect(outcome.status == 0)
    }

    /// The bytes of the request body of a row.
    private func sentBytes(_ daemon: Daemon, _ row: Row) throws -> [UInt8] {
        let id = try #require(row.int("id"))
        let outcome = try daemon.proxyctl(["show", "\(id)", "--part", "request", "--decoded"])
        return Array(outcome.output)
    }

    @Test(
        arguments: [
            ("text/plain; charset=Shift_JIS", [0x93, 0xFA, 0x96, 0x7B, 0x8C, 0xEA], "日本語"),
            ("text/plain; charset=windows-1251", [0xCF, 0xF0, 0xE8], "При"),
            (
                "text/plain; charset=utf-16", [0xFF, 0xFE, 0x40, 0x04, 0x43, 0x04, 0x41, 0x04],
                "рус"
            ),
            ("text/html", Array("<meta charset=gbk>".utf8) + [0xD6, 0xD0, 0xCE, 0xC4], "中文"),
            (
                "application/xml",
                Array("<?xml version='1.0' encoding='koi8-r'?><a>".utf8) + [0xC1, 0xC2, 0xD7]
                    + Array("</a>".utf8), "абв"
            ),
            ("text/plain; charset=utf8mb4", Array("héllo".utf8), "héllo"),
        ] as [(String, [UInt8], String)]
    )
    func `body text in any charset is shown decoded, found by filters and preserved on import`(
        type: String, bytes: [UInt8], text: String
    ) throws {
        let origin = try Origin()
        let daemon = try daemon()
        try post(bytes, type, to: origin.url("/echo"), daemon)
        let row = try daemon.row("reqbody:\(text)")
        let request = try #require(try daemon.show(row).row("request"))
        #expect(request.text("body_text")?.contains(text) == true)
        let shown = try daemon.proxyctl(["show", "1", "--part", "request"]).text
        #expect(shown.contains(text))

        let line = try daemon.proxyctl(["show", "1", "--json"])
        let file = data.path + "/line.jsonl"
        try line.output.write(to: URL(filePath: file))
        #expect(try daemon.proxyctl(["import", file]).status == 0)
        let imported = try #require(
            try daemon.rows("reqbody:\(text)", count: 2).last(where: { $0.int("id") != 1 }))
        #expect(try sentBytes(daemon, imported) == bytes)
    }

    @Test(
        arguments: [
            ("iso-8859-1", String.Encoding.isoLatin1), ("utf-16le", .utf16LittleEndian),
            ("utf-16be", .utf16BigEndian), ("windows-1252", .windowsCP1252),
        ])
    func `JSON in a non-UTF-8 charset can be filtered by value, and is edited in that charset`(
        label: String, encoding: String.Encoding
    ) throws {
        let origin = try Origin()
        let daemon = try daemon(
            rules: """
                [[rule]]
                name = "n"
                when = 'param.t=é path=/rule'
                request = [{ set = "json:n", value = 3 }]

                """)
        let type = "application/json; charset=\(label)"
        let json = try #require("{\"t\":\"é\",\"n\":1}".data(using: encoding))
        try post(Array(json), type, to: origin.url("/echo"), daemon)
        let row = try daemon.row("param.n=1 param.t=é")
        #expect(try daemon.show(row).row("request")?.row("json")?.text("t") == "é")

        #expect(try daemon.proxyctl(["replay", "1", "--set", "json:n=2"]).status == 0)
        let replayed = try daemon.row("param.n=2")
        let edited = try #require("{\"t\":\"é\",\"n\":2}".data(using: encoding))
        #expect(try sentBytes(daemon, replayed) == Array(edited))

        try post(Array(json), type, to: origin.url("/rule"), daemon)
        let ruled = try #require(try daemon.show(daemon.row("rule=n")).row("request"))
        #expect(ruled.row("sent")?.text("body_text") == "{\"t\":\"é\",\"n\":3}")
    }

    @Test
    func `a form in a non-UTF-8 charset can be filtered by value, and edited in that charset`()
        throws
    {
        let origin = try Origin()
        let daemon = try daemon(
            rules: """
                [[rule]]
                name = "q"
                when = 'param.q=Пр path=/rule'
                request = [{ set = "form:q", value = "Да" }]

                """)
        let type = "application/x-www-form-urlencoded; charset=windows-1251"
        let form = Array("q=%CF%F0&x=1".utf8)
        try post(form, type, to: origin.url("/echo"), daemon)
        let row = try daemon.row("param.q=Пр")
        #expect(try daemon.show(row).row("request")?.pairs("form").first == ["q", "Пр"])
        #expect(try daemon.proxyctl(["replay", "1", "--set", "form:q=Да"]).status == 0)
        #expect(
            try sentBytes(daemon, daemon.row("param.q=Да")) == Array("q=%C4%E0&x=1".utf8))
        try post(form, type, to: origin.url("/rule"), daemon)
        let ruled = try #require(try daemon.show(daemon.row("rule=q")).row("request"))
        #expect(ruled.row("sent")?.text("body_text") == "q=%C4%E0&x=1")
    }

    @Test func `an edit of body text keeps the charset, or fails if the charset lacks a character`()
        throws
    {
        let origin = try Origin()
        let daemon = try daemon(
            rules: """
                [[rule]]
                name = "fits"
                when = 'path=/fits'
                request = [{ replace = "body", match = "本", with = "語" }]
                [[rule]]
                name = "lacks"
                when = 'path=/lacks'
                request = [{ replace = "body", match = "本", with = "😀" }]
                [[rule]]
                name = "answer"
                when = 'path=/answer'
                response = [{ respond = 200, type = "text/plain; charset=euc-jp", body = "日本" }]

                """)
        let type = "text/plain; charset=Shift_JIS"
        try post([0x93, 0xFA, 0x96, 0x7B, 0xFF], type, to: origin.url("/fits"), daemon)
        let fits = try #require(try daemon.show(daemon.row("rule=fits")).row("request"))
        // The last byte means nothing, and stays.
        let sent = try #require(fits.row("sent")?.text("body_base64"))
        #expect(Data(base64Encoded: sent) == Data([0x93, 0xFA, 0x8C, 0xEA, 0xFF]))
        try post([0x93, 0xFA, 0x96, 0x7B], type, to: origin.url("/lacks"), daemon)
        let lacks = try daemon.show(daemon.row("path=/lacks"))
        #expect("\(lacks.object["applied_rules"] ?? "")".contains("Shift_JIS has no U+1F600"))
        try post([0x61], "text/plain", to: origin.url("/answer"), daemon)
        let answer = try #require(try daemon.show(daemon.row("rule=answer")).row("response"))
        #expect(answer.row("sent")?.text("body_text") == "日本")
    }

    @Test func `a multipart field is found and edited in its own charset, next to a binary file`()
        throws
    {
        let origin = try Origin()
        let daemon = try daemon(
            rules: """
                [[rule]]
                name = "part"
                when = 'reqbody:Пр path=/rule'
                request = [{ set = "form:a", value = "Да" }]

                """)
        func form(_ value: [UInt8]) -> [UInt8] {
            let field = "--b1\r\nContent-Disposition: form-data; name=\"a\"\r\n"
            let type = "Content-Type: text/plain; charset=windows-1251\r\n\r\n"
            let file =
                "\r\n--b1\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n"
            return Array((field + type).utf8) + value + Array(file.utf8) + [0x00, 0xFF, 0xCF]
                + Array("\r\n--b1--\r\n".utf8)
        }
        let type = "multipart/form-data; boundary=b1"
        try post(form([0xCF, 0xF0]), type, to: origin.url("/echo"), daemon)
        _ = try daemon.row("reqbody:Пр param.a=Пр")
        #expect(try daemon.proxyctl(["replay", "1", "--set", "form:a=Да"]).status == 0)
        #expect(try sentBytes(daemon, daemon.row("param.a=Да")) == form([0xC4, 0xE0]))
        try post(form([0xCF, 0xF0]), type, to: origin.url("/rule"), daemon)
        let ruled = try #require(try daemon.show(daemon.row("rule=part")).row("request"))
        let sent = try #require(ruled.row("sent")?.text("body_base64"))
        #expect(Data(base64Encoded: sent) == Data(form([0xC4, 0xE0])))
    }

    @Test(arguments: [100, 101, 102])
    func `a filter finds body text even if it was truncated in the middle of a character`(
        byteCountMax: Int
    )
        throws
    {
        let origin = try Origin()
        let daemon = try Daemon(
            configuration: "[recording]\nbody_capture_byte_count_max = \(byteCountMax)\n",
            data: data)
        try post(
            Array(String(repeating: "日本", count: 40).utf8), "text/plain", to: origin.url("/echo"),
            daemon)
        let row = try daemon.row("reqbody:日本")
        let request = try #require(try daemon.show(row).row("request"))
        #expect(request.text("body_text")?.hasPrefix("日本") == true)
    }

    @Test func `a filter finds UTF-16 body text whose bytes are all in the ASCII range`() throws {
        let origin = try Origin()
        let daemon = try daemon()
        let bytes: [UInt8] = [0x27, 0x59, 0x2D, 0x4E, 0x0F, 0x5C]
        try post(bytes, "text/plain; charset=utf-16le", to: origin.url("/echo"), daemon)
        let row = try daemon.row("reqbody:大中")
        #expect(try daemon.show(row).row("request")?.text("body_text") == "大中小")
    }
}
