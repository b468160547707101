import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydHTTPModel
import ProxydRedactionTestSupport
import Testing

/// What printing says, in the form that users of Alamofire know. Times become `#`.
struct PrintedTests {
    private static func timeless(_ text: String) -> String {
        text.replacing(/[0-9]+(\.[0-9]+(e-[0-9]+)?)?(?=s\n| secs)/, with: "#")
            .replacing(/\ [0-9]+\.[0-9]{3}(?=, )/, with: " #")
    }

    private let session: Session
    private let server: ScriptedServer

    init() throws {
        server = try ScriptedServer { request in
            request.head.targetText == "/empty"
                ? ScriptedServer.response(204, "")
                : ScriptedServer.response(
                    200, "{\"name\":\n\"Ada\"}\n",
                    headers: [("Content-Type", "application/json"), ("X-Id", "7")])
        }
        session = Session(configuration: SessionConfiguration(headers: [:]))
    }

    @Test func `the description of a response shows its result`() async throws {
        let request = session.request(server.url)
        #expect(
            await request.serializingString().response.description
                == #"success("{\"name\":\n\"Ada\"}\n")"#)
        #expect(await request.serializingData().response.description == "success(16 bytes)")
        #expect(
            await request.serializingResponse().response.description
                == "success(Optional(16 bytes))")
        let empty = session.request(server.url + "/empty")
        #expect(await empty.serializingResponse().response.description == "success(nil)")
        #expect(
            await request.validate(statusCode: [201]).serializingDecodable(Int.self).response
                .description.hasPrefix("failure(server serialize responseSerializationFailed: "))
    }

    @Test func `the debug description of a response has request, response, durations and result`()
        async throws
    {
        let response = await session.request(
            server.url + "/a?b=1", method: .post,
            headers: ["X-One": "1", "Content-Type": "text/x"],
            body: .text("one\ntwo\n")
        ).serializingDecodable(PrintedUser.self).response
        #expect(
            Self.timeless(response.debugDescription) == """
                [Request]: POST \(server.url)/a?b=1
                    [Headers]:
                        X-One: 1
                        Content-Type: text/x
                    [Body]:
                        one
                        two
                [Response]:
                    [Status Code]: 200
                    [Headers]:
                        Content-Length: 16
                        Content-Type: application/json
                        X-Id: 7
                    [Body]:
                        {"name":
                        "Ada"}
                [Network Duration]: #s
                [Serialization Duration]: #s
                [Result]: success(ClientLibTests.PrintedUser(name: "Ada"))
                """)
    }

    @Test func `the debug description of a response shows missing parts as None`() async throws {
        let response = await session.request(server.url + "/empty").serializingResponse().response
        #expect(
            Self.timeless(response.debugDescription) == """
                [Request]: GET \(server.url)/empty
                    [Headers]: None
                    [Body]: None
                [Response]:
                    [Status Code]: 204
                    [Headers]:
                        Content-Length: 0
                    [Body]: None
                [Network Duration]: #s
                [Serialization Duration]: #s
                [Result]: success(nil)
                """)
        let unmade = await session.request("no URL").serializingString().response
        #expect(unmade.debugDescription.hasPrefix("[Request]: None\n[Result]: failure("))
        let refused = await session.request("http://127.0.0.1:1/").serializingString().response
        #expect(refused.debugDescription.contains("\n[Response]: None\n[Network Duration]: "))
    }

    @Test func `the debug description of a download has its file URL and resume data`() async throws
    {
        let response = await session.download(server.url + "/f").serializingDownloadedFileURL()
            .response
        let file = try #require(response.fileURL)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(response.description == "success(\(file))")
        #expect(
            Self.timeless(response.debugDescription) == """
                [Request]: GET \(server.url)/f
                    [Headers]:
                        Accept-Encoding: identity
                    [Body]: None
                [Response]:
                    [Status Code]: 200
                    [Headers]:
                        Content-Length: 16
                        Content-Type: application/json
                        X-Id: 7
                [File URL]: \(file.path)
                [Resume Data]: None
                [Network Duration]: #s
                [Serialization Duration]: #s
                [Result]: success(\(file))
                """)
    }

    @Test func `the description of a timeline has its durations in seconds`() async throws {
        let response = await session.request(server.url).serializingData().response
        #expect(
            Self.timeless(response.timeline.description) == """
                Timeline: { "Latency": # secs, "Request Duration": # secs, \
                "Serialization Duration": # secs, "Total Duration": # secs }
                """)
        #expect(
            Self.timeless(response.timeline.debugDescription) == """
                Timeline: { "Request Start Time": #, "Initial Response Time": #, \
                "Request Completed Time": #, "Serialization Completed Time": #, \
                "Latency": # secs, "Request Duration": # secs, \
                "Serialization Duration": # secs, "Total Duration": # secs }
                """)
        let attempt = try #require(response.timeline.attempts.first)
        #expect("\(attempt)".hasPrefix(#"Timeline: { "Connect": "#))
        #expect("\(attempt)".hasSuffix(" secs }"))
    }

    @Test(
        arguments: [
            (0, "0.000"), (499_999, "0.000"), (500_000, "0.001"), (1_234_567_890, "1.235"),
            (-1_500_000, "-0.002"), (.max, "9223372036.854"), (.min, "-9223372036.854"),
        ] as [(Int64, String)])
    func `a timeline's seconds are printed with three decimals`(nanoseconds: Int64, text: String) {
        let shown = Timeline.seconds(nanoseconds)
        #expect(shown.hasPrefix(text.prefix(text.count - 1)))
        if nanoseconds.magnitude < 1 << 40 { #expect(shown == text) }
    }

    @Test
    func `header fields are printed one per line, below the first line of a request or response`()
        async throws
    {
        let headers: HTTPHeaders = ["Accept": "a/b", "X-B": "2", "X-B": "3"]
        #expect("\(headers)" == "Accept: a/b\nX-B: 2\nX-B: 3")
        #expect("\(HTTPHeaders())" == "")
        let request = session.request(server.url + "/a", method: .put, headers: headers)
        #expect(request.description == "No request created yet.")
        let head = await request.serializingData().response.response
        #expect(request.description == "PUT \(server.url)/a (200)")
        #expect(request.request?.description == "PUT \(server.url)/a")
        #expect(
            request.request?.debugDescription == """
                [Request]: PUT \(server.url)/a
                    [Headers]:
                        Accept: a/b
                        X-B: 2
                        X-B: 3
                    [Body]: None
                """)
        #expect(
            head?.description == """
                HTTP/1.1 200 Status 200
                Content-Length: 16
                Content-Type: application/json
                X-Id: 7
                """)
    }

    @Test func `a password in a URL is redacted in every description of the request`() async throws
    {
        let url = try #require(URL(string: "http://u:s3cret@h.test/p"))
        let request = session.request(URLRequest(url: url))
        let response = await request.serializingData().response
        #expect(response.error?.kind == .invalidURL(.userInfo))
        let texts = [
            request.description, response.debugDescription,
            request.cURLDescription(), URLRequest(url: url).description,
            URLRequest(url: url).debugDescription, URLRequest(url: url).cURLDescription(),
        ]
        for text in texts {
            #expect(!text.contains("s3cret") && !text.contains("://:0"))
        }
        #expect(URLRequest(url: url).description == "GET http://REDACTED@h.test/p")
        #expect(
            URLRequest(url: url).cURLDescription().hasSuffix("'http://REDACTED@h.test/p'"))
    }
}

/// Not nested: its name has no place that differs from build to build.
struct PrintedUser: Codable, Sendable { let name: String }

/// No log or description has a credential, wherever it was and however it was spelled.
struct CorpusLogTests {
    /// What logs and descriptions say of a request and a response like these.
    private static func text(
        _ exchange: Exchange, _ redaction: Redaction?
    ) -> String {
        let secrets = LogSecrets(redaction: redaction)
        guard let url = exchange.request.url, let head = exchange.request.head else { return "" }
        let request = HTTPRequest(
            method: head.method, url: url, fields: head.fields,
            body: .bytes(exchange.request.body.kept))
        var text = request.cURLDescription(redaction: redaction)
        text += "\(secrets.url(url)) \(secrets.fields(head.fields))"
        if let response = exchange.response {
            let body = secrets.body(response.body.kept, fields: response.head.fields) ?? []
            text += "\(secrets.fields(response.head.fields))"
            text += String(decoding: body, as: UTF8.self)
        }
        return text
    }

    @Test
    func `logs and descriptions of requests and responses contain none of the test credentials`() {
        for (index, sample) in SecretCorpus.all.enumerated() where sample.carrier != .webSocket {
            let exchange = sample.exchange(ExchangeID(rawValue: Int64(index + 1)))
            let text = CorpusLogTests.text(exchange, Redaction())
            #expect(!text.contains(sample.word), "\(sample): \(text)")
            #expect(CorpusLogTests.text(exchange, nil).contains(sample.word), "\(sample)")
        }
    }
}
