import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydCurlCommand
import ProxydTestSupport
import Testing

struct CurlDescriptionTests {
    private let session: Session
    private let transport = AnsweringTransport()

    init() {
        var configuration = SessionConfiguration(headers: ["X-Default": "d", "X-Own": "default"])
        configuration.cookieStorage = CookieStorage()
        session = Session(configuration: configuration, transport: transport)
    }

    @Test func `a request's curl command has the request's own header fields and session defaults`()
        async
    {
        let request = session.request(
            "http://a.test/b?c=d&e", method: .put, headers: ["X-Own": "it's"],
            body: .text("a=b"))
        #expect(request.cURLDescription() == "$ curl command could not be created")
        _ = await request.serializingData().response
        #expect(
            request.cURLDescription() == """
                $ curl -v \\
                \t-X PUT \\
                \t-H 'X-Own: it'\\''s' \\
                \t-H 'X-Default: d' \\
                \t--data-binary 'a=b' \\
                \t'http://a.test/b?c=d&e'
                """)
    }

    @Test func `a request's curl command omits secrets unless redaction is off`() async {
        let request = session.request(
            "http://a.test/?token=s3cret", method: .post,
            headers: ["X-Api-Key": "s3cret", "Content-Type": "application/json"],
            body: .text(#"{"password":"s3cret","name":"Ada"}"#)
        ).authenticate(username: "ada", password: "s3cret")
        _ = await request.serializingData().response
        let shown = request.cURLDescription()
        #expect(!shown.contains("s3cret"))
        #expect(shown.contains("ada") && shown.contains("Ada"))
        let whole = request.cURLDescription(redaction: nil)
        #expect(whole.contains("X-Api-Key: s3cret") && whole.contains("token=s3cret"))
        #expect(whole.contains("-u ") && whole.contains("ada:s3cret"))
    }

    @Test
    func `a request's curl command has the session's cookies or the request's own Cookie field`()
        async throws
    {
        let url = RawURL("http://a.test/")
        session.configuration.cookieStorage?.store(["Set-Cookie": "a=1"], from: url)
        let request = session.request(url)
        _ = await request.serializingData().response
        #expect(request.cURLDescription(redaction: nil).contains("a=1"))
        #expect(!request.cURLDescription().contains("a=1"))
        let own = session.request(url, headers: ["Cookie": "b=2"])
        _ = await own.serializingData().response
        let text = own.cURLDescription(redaction: nil)
        #expect(text.contains("b=2") && !text.contains("a=1"))
    }

    @Test func `a request's curl command contains form and file bodies, but no streams`()
        async throws
    {
        let url = RawURL("http://a.test/")
        var form = MultipartFormData(boundary: try MultipartBoundary("b0undary"))
        form.append("value", name: "field")
        let request = HTTPRequest(method: .post, url: url, body: .multipart(form))
        let text = request.cURLDescription()
        #expect(text.contains("multipart/form-data; boundary=b0undary"))
        #expect(text.contains(#"name="field""#))
        let file = HTTPRequest(method: .post, url: url, body: .file(path: "/a b"))
        #expect(file.cURLDescription().contains("--data-binary '@/a b'"))
        let (pieces, _) = AsyncStream.makeStream(of: [UInt8].self)
        let stream = HTTPRequest(method: .post, url: url, body: .stream(BodyStream(pieces)))
        #expect(!stream.cURLDescription().contains("--data"))
        let tunnel = HTTPRequest(method: .connect, url: url)
        #expect(tunnel.cURLDescription() == "$ curl command could not be created")
    }

    @Test func `a request's curl command redacts form parts whose names suggest secrets`() throws {
        var form = MultipartFormData(boundary: try MultipartBoundary("b0undary"))
        form.append("hunter2", name: "Password")
        form.append(Array("hunter2".utf8), name: "token", filename: "a.txt")
        form.append(
            Array(#"{"api_key":"hunter2","b":1}"#.utf8), name: "json",
            contentType: "application/json")
        form.append("Ada", name: "author")
        let request = HTTPRequest(
            method: .post, url: RawURL("http://a.test/"), body: .multipart(form))
        let text = request.cURLDescription()
        #expect(!text.contains("hunter2"))
        #expect(text.contains("REDACTED") && text.contains("Ada") && text.contains("a.txt"))
        #expect(request.cURLDescription(redaction: nil).contains("hunter2"))
    }

    @Test func `a cURLDescription handler is called once, when the request has been created`() async
    {
        let log = Collector<String>()
        let request = session.request("http://a.test/").cURLDescription { log.add($0) }
        _ = await request.serializingData().response
        request.cURLDescription { log.add($0) }
        #expect(log.count == 2)
        #expect(log.all.allSatisfy { $0.hasSuffix("'http://a.test/'") })
        let failed = session.request("no URL").cURLDescription { log.add($0) }
        _ = await failed.serializingData().response
        #expect(log.count == 3)
    }

    @Test
    func `a request's curl command does not include cookies that were set by its own response`()
        async throws
    {
        let server = try ScriptedServer { _ in
            ScriptedServer.response(200, "x", headers: [("Set-Cookie", "fresh=1")])
        }
        var configuration = SessionConfiguration()
        configuration.cookieStorage = CookieStorage()
        let session = Session(configuration: configuration)
        let first = session.request(server.url)
        _ = await first.serializingData().response
        #expect(server.received.first?.header("Cookie") == nil)
        #expect(!first.cURLDescription(redaction: nil).contains("fresh"))
        let second = session.request(server.url)
        _ = await second.serializingData().response
        #expect(server.received.last?.header("Cookie") == "fresh=1")
        #expect(second.cURLDescription(redaction: nil).contains("fresh=1"))
    }

    @Test
    func `a request's curl command omits session credentials that a cross-origin redirect dropped`()
        async throws
    {
        let other = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        let server = try ScriptedServer { _ in
            ScriptedServer.response(302, "", headers: [("Location", other.url + "/b")])
        }
        let session = Session(
            configuration: SessionConfiguration(
                headers: ["Authorization": "Bearer t0ken", "X-Own": "1"]))
        let request = session.request(server.url)
        _ = await request.serializingData().response
        #expect(other.received.first?.header("Authorization") == nil)
        let text = request.cURLDescription(redaction: nil)
        #expect(text.contains("X-Own: 1") && text.contains(other.url))
        #expect(!text.contains("t0ken"))
    }
}
