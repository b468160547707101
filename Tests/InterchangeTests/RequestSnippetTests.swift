import ProxydHTTPModel
import ProxydInterchange
import Testing

/// A captured request as code.
struct RequestSnippetTests {
    private func request(
        _ method: HTTPMethod = "GET", _ origin: String = "/a?b=c",
        _ fields: [(name: String, value: String)] = [], body: Body = Body()
    ) -> Request {
        Request(
            url: RawURL(scheme: "https", host: "a.test", port: 443, origin: Array(origin.utf8)),
            head: RequestHead(
                method: method, target: Array(origin.utf8), fields: HeaderFields(fields)),
            body: body)
    }

    private static let fields: [(name: String, value: String)] = [
        ("Host", "a.test"), ("Content-Type", "text/plain"), ("X-A", "1"), ("Cookie", "s=1"),
        ("x-a", "2"), ("Content-Length", "2"), ("Sec-Fetch-Mode", "cors"),
    ]

    @Test func `a JavaScript snippet leaves out header fields that fetch() or the browser sets`()
        throws
    {
        let text = try #require(
            RequestSnippet.fetch.text(
                of: request("POST", "/a?b=c", Self.fields, body: Body(Array("é\"".utf8)))))
        #expect(
            text == #"""
                await fetch("https://a.test/a?b=c", {
                  method: "POST",
                  headers: [
                    ["Content-Type", "text/plain"],
                    ["X-A", "1"],
                    ["x-a", "2"],
                  ],
                  body: "\u00e9\"",
                });
                """#)
    }

    @Test func `a Python snippet joins repeated header fields and says so in a comment`() throws {
        let text = try #require(
            RequestSnippet.python.text(
                of: request("POST", "/a?b=c", Self.fields, body: Body([0x00, 0xFF, 0x41]))))
        #expect(
            text == #"""
                # requests joins repeated fields into one line: "x-a"
                import requests

                response = requests.request(
                    "POST",
                    "https://a.test/a?b=c",
                    headers={
                        "Content-Type": "text/plain",
                        "X-A": "1, 2",
                        "Cookie": "s=1",
                        "Sec-Fetch-Mode": "cors",
                    },
                    data=b"\x00\xffA",
                    allow_redirects=False,
                )
                print(response.status_code)
                """#)
    }

    @Test
    func `a Swift snippet sends the captured header fields and contains a binary body as Base64`()
        throws
    {
        let text = try #require(
            RequestSnippet.swift.text(
                of: request("PUT", "/", [("X-A", "é")], body: Body([0xFF]))))
        #expect(
            text == #"""
                import ClientLib
                import Foundation

                let session = Session()
                var request = HTTPRequest(
                    method: HTTPMethod(rawValue: "PUT"),
                    url: "https://a.test/")
                request.fields.append(name: "X-A", value: "\u{e9}")
                request.body = .bytes(Array(Data(base64Encoded: "/w==")!))
                let response = await session.request(request).serializingData().response
                print(response.response?.status ?? 0)
                """#)
    }

    @Test(arguments: RequestSnippet.allCases)
    func `a code snippet for a request with an incomplete body starts with a comment`(
        language: RequestSnippet
    ) throws {
        let cut = request("POST", body: Body(byteCount: 10, kept: Array("abc".utf8)))
        let text = try #require(language.text(of: cut))
        let comment = try #require(text.split(separator: "\n").first { !$0.isEmpty })
        #expect(comment.hasPrefix("#") || comment.hasPrefix("//"), "\(text)")
    }

    @Test(arguments: ["GET", "HEAD", "get"] as [HTTPMethod])
    func `a fetch snippet for GET or HEAD has no body and says so in a comment`(method: HTTPMethod)
        throws
    {
        let text = try #require(
            RequestSnippet.fetch.text(of: request(method, body: Body(Array("b".utf8)))))
        #expect(text.hasPrefix("// fetch sends no body with GET or HEAD\nawait fetch("))
        #expect(!text.contains("body:"))
    }

    @Test(arguments: RequestSnippet.allCases)
    func `there is no code snippet for a tunnel or an unreadable request`(language: RequestSnippet)
    {
        let tunnel = Request(
            url: .tunnel(host: "a.test", port: 443),
            head: RequestHead(
                method: .connect, target: Array("a.test:443".utf8), fields: HeaderFields()))
        #expect(language.text(of: tunnel) == nil)
        #expect(language.text(of: Request(url: nil, head: nil)) == nil)
    }
}
