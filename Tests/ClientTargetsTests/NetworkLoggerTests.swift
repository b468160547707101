import ClientLib
import Foundation
import ProxydClientTargets
import ProxydCurlCommand
import ProxydTestSupport
import Testing

struct NetworkLoggerTests {
    private let log = Collector<String>()

    private func configuration(
        _ options: NetworkLoggerConfiguration.LogOptions, redaction: Redaction? = Redaction()
    ) -> NetworkLoggerConfiguration {
        NetworkLoggerConfiguration(
            formatter: .init(entry: { identifier, message, _ in "\(identifier): \(message)" }),
            output: { [log] _, items in for item in items { log.add(item) } },
            logOptions: options, redaction: redaction)
    }

    private func run(
        _ target: SampleTarget, _ configuration: NetworkLoggerConfiguration
    ) async -> [String] {
        let provider = Provider<SampleTarget>(
            stubClosure: Provider.immediatelyStub,
            plugins: [NetworkLoggerPlugin(configuration: configuration)])
        _ = try? await provider.request(target)
        return log.all
    }

    private var target: SampleTarget {
        var target = SampleTarget(
            .requestJSONEncodable(["password": "s3cret"]), method: .post,
            path: "users?token=s3cret&a=b")
        target.headers = ["Authorization": "Bearer s3cret", "X-A": "1"]
        target.sample = .response(
            ResponseHead(
                status: 200, reason: "OK",
                fields: ["Set-Cookie": "s3cret", "Content-Type": "application/json"]),
            Array(#"{"token":"s3cret","name":"Ada"}"#.utf8))
        return target
    }

    @Test func `by default, the network logger logs method, request headers and the response head`()
        async
    {
        let entries = await run(target, configuration(.default))
        #expect(
            entries == [
                "Request: https://api.test/v1/users?token=REDACTED&a=b",
                "Request Headers: [Authorization: Bearer REDACTED, X-A: 1, "
                    + "Content-Type: application/json]",
                "HTTP Request Method: POST",
                "Response: 200 OK [Set-Cookie: REDACTED, Content-Type: application/json]",
            ])
    }

    @Test func `the verbose network logger also logs bodies, with secrets redacted`() async {
        let entries = await run(target, configuration(.verbose))
        #expect(entries.contains(#"Request Body: {"password":"REDACTED"}"#))
        #expect(entries.contains(#"Response Body: {"token":"REDACTED","name":"Ada"}"#))
        #expect(!entries.joined().contains("s3cret"))
    }

    @Test func `each option of the network logger adds only its own entry`() async {
        let options: [(NetworkLoggerConfiguration.LogOptions, String)] = [
            (.requestMethod, "HTTP Request Method"), (.requestHeaders, "Request Headers"),
            (.requestBody, "Request Body"), (.successResponseBody, "Response Body"),
        ]
        for (option, identifier) in options {
            let test = NetworkLoggerTests()
            let entries = await test.run(target, test.configuration(option))
            let identifiers = entries.map { String($0.prefix { $0 != ":" }) }
            #expect(Set(identifiers) == ["Request", "Response", identifier])
        }
    }

    @Test func `the network logger logs secrets only if redaction is off`() async {
        let entries = await run(target, configuration(.verbose, redaction: nil))
        #expect(entries.contains { $0.contains("Bearer s3cret") })
        #expect(entries.contains(#"Request Body: {"password":"s3cret"}"#))
    }

    @Test func `the network logger redacts secrets in form bodies`() async {
        let task = RequestTask.requestParameters(
            parameters: ["a": "b", "password": "s3cret"], encoding: URLEncoding.httpBody)
        let entries = await run(
            SampleTarget(task, method: .post), configuration(.requestBody))
        #expect(entries.contains("Request Body: a=b&password=REDACTED"))
    }

    @Test func `the network logger's curl command replaces the other entries of the request`()
        async throws
    {
        let options: NetworkLoggerConfiguration.LogOptions = [
            .formatRequestAscURL, .requestHeaders,
        ]
        let entries = await run(target, configuration(options))
        #expect(entries.count == 2)
        let command = try #require(entries.first)
        #expect(command.hasPrefix("Request: $ curl -v"))
        #expect(command.contains("users?token=REDACTED"))
        #expect(!command.contains("s3cret"))
    }

    @Test func `the network logger's one-line format logs one line per request`()
        async throws
    {
        let entries = await run(target, configuration(.oneLine))
        #expect(entries.count == 1)
        let line = try #require(entries.first)
        #expect(
            line.hasPrefix(
                "Exchange: POST https://api.test/v1/users?token=REDACTED&a=b: 200, 31 bytes, "))
        #expect(!line.contains("\n"))
    }

    @Test
    func `the network logger's one-line format also logs requests that could not be created`()
        async
    {
        var target = SampleTarget(
            .requestJSONEncodable(Float.nan), method: .post, path: "users?token=s3cret")
        target.headers = [:]
        let entries = await run(target, configuration(.oneLine))
        #expect(
            entries == [
                "Exchange: POST https://api.test/v1/users?token=REDACTED: "
                    + "caller encode: the parameters could not be encoded"
            ])
    }

    @Test func `with errorResponseBody, the network logger logs the body of an error response`()
        async
    {
        var target = SampleTarget.answered(500, "why")
        target.validationType = .successCodes
        let entries = await run(target, configuration([.errorResponseBody]))
        #expect(
            entries.dropFirst() == [
                "Error: server validate: the status 500 is not acceptable", "Response: 500  []",
                "Response Body: why",
            ])
    }

    @Test func `the network logger logs failures that have no response`() async {
        var target = SampleTarget()
        target.sample = .networkError(ClientError(.network(.connectionRefused)))
        let entries = await run(target, configuration([]))
        #expect(entries.last == "Error: server connect: the exchange failed: connectionRefused")
    }

    @Test func `network logger entries have a date, an identifier and a message`() {
        let entry = NetworkLoggerConfiguration.Formatter.entry(at: {
            Date(timeIntervalSince1970: 0)
        })
        #expect(
            entry("Request", "GET", SampleTarget())
                == "ClientLib_Logger: [1970-01-01T00:00:00Z] Request: GET")
        #expect(NetworkLoggerConfiguration.Formatter.text(Array("é".utf8)) == "é")
        #expect(
            NetworkLoggerConfiguration.Formatter.text([0xFF])
                == "## Cannot map data to String: 1 bytes ##")
    }

    @Test
    func `with errorResponseBody, the network logger does not log a successful response's body`()
        async
    {
        let entries = await run(target, configuration([.errorResponseBody]))
        #expect(!entries.contains { $0.hasPrefix("Response Body") })
    }
}
