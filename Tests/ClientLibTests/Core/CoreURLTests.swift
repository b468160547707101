import ClientLib
import Testing

struct CoreURLTests {
    @Test func `a URL's path and query are kept exactly as written`() throws {
        let text = "HTTP://Api.Test:8080/a%zz/../b?q=%E4%B8%80&x=%zz&&y#frag"
        let url = try RawURL(text)
        #expect(url.scheme == "http")
        #expect(url.host == "Api.Test")
        #expect(url.port == 8080)
        #expect(url.pathText == "/a%zz/../b")
        #expect(url.queryText == "q=%E4%B8%80&x=%zz&&y")
    }

    @Test func `an empty URL path becomes a slash, even before a query`() throws {
        func url(_ text: String) throws -> RawURL { try RawURL(text) }
        #expect(try url("https://a.test").pathText == "/")
        #expect(try url("https://a.test?b=c").origin == Array("/?b=c".utf8))
        #expect(try url("https://a.test:/x").port == 443)
        #expect(try url("http://[::1]:81/x").host == "::1")
    }

    @Test(arguments: [
        ("", ClientError.URLProblem.notAbsolute), ("/a", .notAbsolute), ("a.test", .notAbsolute),
        ("ftp://a.test/", .unsupportedScheme), ("http://", .badHost), ("http:///a", .badHost),
        ("http://a.test:0/", .badPort), ("http://a.test:65536/", .badPort),
        ("http://a.test:8x/", .badPort), ("http://u:p@a.test/", .userInfo),
        ("http://a.test/a b", .unencodedByte), ("http://a.test/\r\nX: y", .unencodedByte),
        ("http://a.test/\u{4E00}", .unencodedByte), ("http://[::1/", .badHost),
        ("http://[::1]x/", .badHost), ("http://a\"b/", .badHost),
    ])
    func `an invalid or unsupported URL is rejected with a reason`(
        _ text: String, problem: ClientError.URLProblem
    ) {
        #expect {
            try RawURL(text)
        } throws: { error in
            guard let error = error as? ClientError else { return false }
            return error.kind == .invalidURL(problem) && error.fault == .caller
                && error.phase == .url
        }
    }

    @Test func `a request made from an invalid URL literal fails when it is sent, not before`()
        async
    {
        let session = Session()
        let request = HTTPRequest(url: "not a url")
        let error = await session.request(request).serializingData().response.error
        #expect(error?.kind == .invalidURL(.notAbsolute))
    }

    @Test func `a request with an invalid URL reports the error to its handlers`() async {
        let response = await Session.default.request("nonsense").serializingData().response
        #expect(response.error?.kind == .invalidURL(.notAbsolute))
        #expect(response.exchanges.isEmpty)
    }
}
