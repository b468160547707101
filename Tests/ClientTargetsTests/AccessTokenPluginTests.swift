import ClientLib
import ProxydClientTargets
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

struct AccessTokenPluginTests {
    private let plugin = AccessTokenPlugin { _ in "t0ken" }

    private func values(_ target: any TargetType, _ fields: HeaderFields = [:]) async throws
        -> [String]
    {
        let request = HTTPRequest(url: "https://a.test", fields: fields)
        return try await plugin.prepare(request, target: target).fields.values(
            named: "Authorization")
    }

    @Test func `AccessTokenPlugin sends the token in the target's authorization scheme`()
        async throws
    {
        let schemes: [(AuthorizationType, String)] = [
            (.basic, "Basic t0ken"), (.bearer, "Bearer t0ken"), (.custom("Key"), "Key t0ken"),
        ]
        for (type, value) in schemes {
            var target = SampleTarget()
            target.authorizationType = type
            #expect(try await values(target) == [value])
            #expect(try await values(MultiTarget(target)) == [value])
        }
    }

    @Test func `AccessTokenPlugin adds no token for a TargetType without an authorization scheme`()
        async throws
    {
        #expect(try await values(SampleTarget()).isEmpty)
        #expect(try await values(PlainTarget()).isEmpty)
        #expect(try await values(MultiTarget(PlainTarget())).isEmpty)
    }

    @Test func `AccessTokenPlugin replaces existing Authorization fields`() async throws {
        var target = SampleTarget()
        target.authorizationType = .bearer
        let fields: HeaderFields = ["authorization": "Bearer old", "Authorization": "Basic older"]
        #expect(try await values(target, fields) == ["Bearer t0ken"])
    }

    @Test
    func `on each attempt, AccessTokenPlugin gets a token for the target inside a MultiTarget`()
        async throws
    {
        let log = Collector<String>()
        let plugin = AccessTokenPlugin { target in
            log.add("\(type(of: target))")
            return "t"
        }
        let session = Session(
            transport: AnsweringTransport { _, number in (number == 1 ? 503 : 200, []) },
            interceptor: Retrier { _, _, _ in .retry })
        var target = SampleTarget()
        target.authorizationType = .bearer
        target.validationType = .successCodes
        _ = try await Provider<MultiTarget>(session: session, plugins: [plugin])
            .request(MultiTarget(target))
        #expect(log.all == ["SampleTarget", "SampleTarget"])
    }

    @Test
    func `an access token that is not a valid field value causes a typed error and is not sent`()
        async
    {
        let transport = AnsweringTransport()
        let provider = Provider<SampleTarget>(
            session: Session(transport: transport),
            plugins: [AccessTokenPlugin { _ in "a\r\nX-Evil: 1" }])
        var target = SampleTarget()
        target.authorizationType = .bearer
        let error = await #expect(throws: ClientError.self) { try await provider.request(target) }
        #expect(error?.kind == .invalidRequest(.badFieldValue(name: "Authorization")))
        #expect(transport.sent.isEmpty)
    }
}
