import Capture
import Foundation
import ProxydCaptureModel
import ProxydExchangeContent
import ProxydHTTPModel
import ProxydInterchange
import ProxydParameterCoding
import ProxydRedaction
import ProxydRedactionTestSupport
import ProxydStoreTestSupport
import Testing

/// Credentials in no format, wherever they were.
struct InterchangeRedactionTests {
    private static let secret = "s3cr3t"

    /// One exchange with a body of a type, redacted.
    private func redacted(
        _ type: String, _ body: String, more: [(String, String)] = [],
        redaction names: Redaction = Redaction()
    ) throws -> CapturedExchange {
        let store = try InterchangeStore { recorder in
            var update = Samples.complete(recorder.nextExchangeID())
            update.responseHead = Samples.responseHead(fields: [("Content-Type", type)] + more)
            update.responseBody.set(Array(body.utf8))
            recorder.record(update)
            try recorder.flush()
        }
        return ExchangeRedactor(names).redacted(try store.captured()[0])
    }

    private func body(_ captured: CapturedExchange) -> String {
        String(decoding: captured.exchange.response?.body.kept ?? [], as: UTF8.self)
    }

    @Test
    func `no redacted HAR, JSON Lines or curl export has a credential, not even in raw heads`()
        throws
    {
        let store = try InterchangeStore()
        let redactor = ExchangeRedactor()
        let exports = [
            try store.export(HARWriter(version: "1"), redactor: redactor),
            try store.export(JSONLinesWriter(), redactor: redactor),
            try store.export(CurlWriter(), redactor: redactor),
        ]
        for bytes in exports {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains("REDACTED"))
            for form in [text, decodedBase64(text)] {
                #expect(!form.contains(InterchangeRedactionTests.secret))
                #expect(!form.contains("hunter2"))
            }
        }
    }

    /// What all long base64 texts of an export say.
    private func decodedBase64(_ text: String) -> String {
        text.matches(of: /"([A-Za-z0-9+\/=]{16,})"/).map { match in
            let bytes = Data(base64Encoded: String(match.output.1)) ?? Data()
            return String(decoding: bytes, as: UTF8.self)
        }.joined(separator: "\n")
    }

    @Test(arguments: [
        "text/plain; charset=iso-2022-kr", "text/plain; charset=hz-gb-2312",
        "text/html; charset=utf-16", "text/event-stream; charset=iso-2022-cn",
        "application/javascript; charset=utf-32be",
    ])
    func `a credential is redacted whatever the charset of the body`(type: String) throws {
        let captured = try redacted(type, "<b>password=hunter2secret</b>;x=12")
        #expect(!body(captured).contains("hunter2secret"))
    }

    @Test func `a redacted HAR export can be imported as valid exchanges`() throws {
        let bytes = try InterchangeStore().export(
            HARWriter(version: "1"), redactor: ExchangeRedactor())
        let login = try InterchangeStore(importing: bytes).captured()[1].exchange
        let fields = try #require(login.request.head?.fields)
        #expect(fields["Authorization"] == "Bearer REDACTED")
        #expect(fields["Cookie"] == "sid=REDACTED; b=REDACTED")
        #expect(fields["Referer"] == "https://x.test/?access_token=REDACTED&ok=1")
        #expect(fields["Content-Length"] == String(login.request.body.kept.count))
        let set = login.response?.head.fields.values(named: "Set-Cookie") ?? []
        #expect(set[0] == "a=REDACTED; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly")
        #expect(set[1] == "b=REDACTED; Domain=x.test; Secure; SameSite=Lax; Max-Age=5")
        let body =
            #"{"user": "alice", "password": "REDACTED", "nested": [{"api_key": "REDACTED"}]}"#
        #expect(String(decoding: login.request.body.kept, as: UTF8.self) == body)
    }

    @Test func `credentials are redacted in heads and bodies as forwarded, not only as received`()
        throws
    {
        let captured = try InterchangeStore().captured()[13]
        let exchange = ExchangeRedactor().redacted(captured).exchange
        let fields = try #require(exchange.request.sentHead?.fields)
        #expect(fields["X-Api-Key"] == "REDACTED")
        #expect(exchange.request.sentBody?.kept == Array("password=REDACTED".utf8))
        #expect(fields["Content-Length"] == "17")
        #expect(exchange.response?.sentHead?.fields["Set-Cookie"] == "a=REDACTED")
        #expect(exchange.response?.sentBody == Body())
        #expect(exchange.response?.body == captured.exchange.response?.body)
        #expect(exchange.appliedRules.map(\.detail) == ["token=REDACTED", nil, nil])
        #expect(exchange.appliedRules.map(\.rule) == ["key", "tea", "key"])
    }

    @Test func `redaction leaves out a forwarded body that it cannot inspect`() throws {
        let store = try InterchangeStore { recorder in
            var update = Samples.complete(recorder.nextExchangeID())
            update.events = [.sentRequestBody([0, 1, 2]), .sentResponseBody([0, 1, 2])]
            recorder.record(update)
            try recorder.flush()
        }
        let redacted = ExchangeRedactor().redacted(try store.captured()[0])
        // The response's Content-Type says text, which a NUL makes unreadable.
        #expect(redacted.leftOut == ["sent request body", "sent response body"])
        #expect(redacted.exchange.request.sentBody == Body(byteCount: 3, kept: []))
    }

    @Test
    func `redaction leaves exchanges without credentials unchanged, including compressed bodies`()
        throws
    {
        let store = try InterchangeStore()
        let redactor = ExchangeRedactor()
        for captured in try store.captured()
        where [1, 3, 6, 8, 10].contains(captured.row.id.rawValue) {
            let redacted = redactor.redacted(captured)
            #expect(redacted.exchange.request == captured.exchange.request)
            #expect(redacted.exchange.response == captured.exchange.response)
            #expect(redacted.leftOut.isEmpty)
        }
    }

    @Test func `redaction leaves out and reports heads and bodies that it cannot inspect`() throws {
        let store = try InterchangeStore()
        let redactor = ExchangeRedactor()
        let all = try store.captured().map(redactor.redacted)
        #expect(all[4].leftOut == ["request part 2 of the body"])
        #expect(all[8].leftOut == ["response body"])
        #expect(all[10].leftOut == ["refused response"])
        #expect(all[10].exchange.responseFault?.refusal?.bytes == [])
        #expect(all[11].leftOut == ["request head"])
        #expect(all[11].malformedHead == nil)
        let entries = try store.harEntries(redactor: redactor)
        let capture = try #require(entries[8]["_capture"] as? [String: Any])
        #expect(capture["left_out"] as? [String] == ["response body"])
        for type in ["application/grpc", "application/octet-stream", "application/msgpack"] {
            let left = try redacted(type, "\u{1}\u{2}s3cr3t")
            #expect(left.leftOut == ["response body"])
            #expect(body(left).isEmpty)
            #expect(left.exchange.response?.body.isTruncated == true)
        }
        #expect(try redacted("application/json", #"{"token": "s3cr3"#).leftOut == ["response body"])
        let gzip = [("Content-Encoding", "gzip")]
        #expect(
            try redacted("text/plain", "\u{1F}", more: gzip).leftOut
                == ["response body"])
        // What is not coded is looked into as it is.
        let plain = try redacted("application/json", #"{"token":"s3cr3t"}"#, more: gzip)
        #expect(plain.leftOut == [])
        #expect(body(plain) == #"{"token":"REDACTED"}"#)
    }

    @Test(arguments: [
        ("application/json", #"{"a":"u?api_key=s3cr3t&b=1"}"#, #"{"a":"u?api_key=REDACTED&b=1"}"#),
        (
            "application/json", #"{"name":"password","value":"s3cr3t"}"#,
            #"{"name":"password","value":"REDACTED"}"#
        ),
        (
            "application/json", #"{"headers":{"Authorization":"s3cr3t"}}"#,
            #"{"headers":{"Authorization":"REDACTED"}}"#
        ),
        ("application/json", #"{"max_tokens":5,"tokens":[1]}"#, #"{"max_tokens":5,"tokens":[1]}"#),
        (
            "application/x-ndjson", "{\"a\":1}\n{\"jwt\":\"s3cr3t\"}\n",
            "{\"a\":1}\n{\"jwt\":\"REDACTED\"}\n"
        ),
        (
            "application/x-www-form-urlencoded", "a=1&access%5Ftoken=s3cr3t&u=b",
            "a=1&access%5Ftoken=REDACTED&u=b"
        ),
        ("application/x-www-form-urlencoded", "to=http%3A%2F%2Fx%3Ftoken%3Ds3cr3t", "to=REDACTED"),
        ("application/x-www-form-urlencoded", "user[password]=s3cr3t", "user[password]=REDACTED"),
        ("text/plain", "password: s3cr3t, x", "password: REDACTED, x"),
        (
            "text/plain", "Authorization: Basic s3cr3t=\r\nHost: a",
            "Authorization: REDACTED\r\nHost: a"
        ),
        ("text/plain", "http://me:s3cr3t@a.test/", "http://REDACTED@a.test/"),
        ("text/plain", "use Bearer s3cr3t.abc now", "use Bearer REDACTED now"),
        ("text/html", #"<a href="/?sid=s3cr3t">x</a>"#, #"<a href="/?sid=REDACTED">x</a>"#),
        ("application/xml", "<Password>s3cr3t</Password>", "<Password>REDACTED</Password>"),
        (
            "application/xml", "<ns:password>s3cr3t</ns:password><a:b>x</a:b>",
            "<ns:password>REDACTED</ns:password><a:b>x</a:b>"
        ),
        (
            "text/xml", "<Password Type='x' token=\"s3cr3t\">s3cr3t</Password>",
            "<Password Type='x' token=\"REDACTED\">REDACTED</Password>"
        ),
        (
            "text/xml", "<password\n a=\"1>2\">s3cr3t</password><pin/>5",
            "<password\n a=\"1>REDACTED</password><pin/>5"
        ),
        (
            "text/xml", "<password><![CDATA[s3cr3t</s3cr3t]]></password>",
            "<password>REDACTED</password>"
        ),
        (
            "text/xml", "<password><value>s3cr3t</value></password>",
            "<password>REDACTED</value></password>"
        ),
        ("text/xml", "<a b='c'>password</a>d</a>", "<a b='c'>password</a>d</a>"),
        ("text/plain", "see ?access%5Ftoken=s3cr3t&a=1", "see ?access%5Ftoken=REDACTED&a=1"),
        ("text/plain", "100%password=s3cr3t", "100%password=REDACTED"),
        (
            "application/x-www-form-urlencoded", "grant_type=authorization_code&code=s3cr3t",
            "grant_type=authorization_code&code=REDACTED"
        ),
        ("application/x-www-form-urlencoded", "code=404&name=x", "code=404&name=x"),
        (
            "multipart/form-data; boundary=b",
            "--b\r\nContent-Disposition: form-data; name=\"password\"; filename=\"p.txt\"\r\n"
                + "Content-Type: image/png\r\n\r\ns3cr3t\r\n--b--\r\n",
            "--b\r\nContent-Disposition: form-data; name=\"password\"; filename=\"p.txt\"\r\n"
                + "Content-Type: image/png\r\n\r\nREDACTED\r\n--b--\r\n"
        ),
        (
            "text/event-stream", #"data: {"accessToken":"s3\"cr3t"}"#,
            #"data: {"accessToken":"REDACTED"}"#
        ),
        ("text/javascript", #"x='{\"token\":\"s3cr3t\"}'"#, #"x='{\"token\":\"REDACTED\"}'"#),
    ])
    func `redaction finds credentials in bodies of all supported formats`(
        type: String, before: String, after: String
    ) throws {
        let redacted = try redacted(type, before)
        #expect(body(redacted) == after)
        #expect(redacted.leftOut.isEmpty)
    }

    @Test
    func `redaction finds credentials in URLs inside header fields such as Referer and Location`()
        throws
    {
        let fields = try redacted(
            "text/plain", "x",
            more: [
                ("Referer", "https://a.test/?access%5Ftoken=s3cr3t&b=1"),
                ("Location", "https://me:s3cr3t@a.test/back?code=s3cr3t&state=1"),
                ("Link", "<https://a.test/?access%5Ftoken=s3cr3t>; rel=next"),
            ]
        ).exchange.response?.head.fields
        #expect(fields?["Referer"] == "https://a.test/?access%5Ftoken=REDACTED&b=1")
        #expect(fields?["Location"] == "https://REDACTED@a.test/back?code=REDACTED&state=1")
        #expect(fields?["Link"] == "<https://a.test/?access%5Ftoken=REDACTED>; rel=next")
    }

    @Test func `credentials under configured names are redacted in addition to the default names`()
        throws
    {
        let names = Redaction(addingFields: ["X-Mine"], parameters: ["member-no"])
        let redacted = try redacted(
            "application/json", #"{"memberNo":5,"password":"p"}"#, more: [("x-mine", "s3cr3t")],
            redaction: names)
        #expect(body(redacted) == #"{"memberNo":"REDACTED","password":"REDACTED"}"#)
        #expect(redacted.exchange.response?.head.fields["X-Mine"] == "REDACTED")
    }
}

/// No export has a credential, wherever it was and however it was spelled.
struct CorpusExportTests {
    private static func store() throws -> InterchangeStore {
        try InterchangeStore { recorder in
            for sample in SecretCorpus.all {
                recorder.record(sample.update(recorder.nextExchangeID()))
            }
            try recorder.flush()
        }
    }

    /// A text, and what its Base64 says.
    private static func readings(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.matches(of: /"([A-Za-z0-9+\/=]{16,})"/).reduce(into: text) { all, match in
            all += String(
                decoding: Base64.bytes(String(match.output.1)) ?? [], as: UTF8.self)
        }
    }

    @Test func `no redacted export in any format contains a credential of the test corpus`() throws
    {
        let store = try CorpusExportTests.store()
        let redactor = ExchangeRedactor()
        let exports = [
            ("HAR", try store.export(HARWriter(version: "1"), redactor: redactor)),
            ("JSON lines", try store.export(JSONLinesWriter(), redactor: redactor)),
            ("curl", try store.export(CurlWriter(), redactor: redactor)),
            ("OpenAPI", try store.export(OpenAPIWriter(), redactor: redactor)),
            ("Postman", try store.export(PostmanWriter(), redactor: redactor)),
            ("k6", try store.export(K6Writer(), redactor: redactor)),
        ]
        for (format, bytes) in exports {
            #expect(bytes.count > 10_000, "\(format)")
            let found = SecretCorpus.found(in: CorpusExportTests.readings(bytes))
            #expect(found.isEmpty, "\(format): \(found)")
        }
    }

    /// Without redaction they are all there, so that the test above can fail.
    @Test func `an export without redaction contains every credential of the test corpus`() throws {
        let bytes = try CorpusExportTests.store().export(JSONLinesWriter())
        let found = SecretCorpus.found(in: CorpusExportTests.readings(bytes))
        #expect(found.count == SecretCorpus.all.count)
    }
}
