import ClientLib
import ProxydClientTargets
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

struct PluginTests {
    @Test func `a Provider's plugins are called in order, also for stubbed requests`() async throws
    {
        let log = Collector<String>()
        let provider = Provider<SampleTarget>(
            stubClosure: Provider.immediatelyStub,
            plugins: [RecordingPlugin(name: "A", log: log), RecordingPlugin(name: "B", log: log)])
        let response = try await provider.request(.answered(200, "x"))
        #expect(response.data == Array("xAB".utf8))
        #expect(
            log.all == [
                "A prepare", "B prepare", "A willSend 1 AB", "B willSend 1 AB", "A didReceive x",
                "B didReceive x", "A process x", "B process xA",
            ])
    }

    @Test func `a Provider's plugins prepare each retry and are told the number of the attempt`()
        async throws
    {
        let log = Collector<String>()
        let transport = AnsweringTransport { _, number in (number < 3 ? 503 : 200, []) }
        let session = Session(
            transport: transport,
            interceptor: Retrier { request, _, _ in request.retryCount < 2 ? .retry : .doNotRetry })
        let provider = Provider<SampleTarget>(
            session: session, plugins: [RecordingPlugin(name: "A", log: log)])
        var target = SampleTarget()
        target.validationType = .successCodes
        let response = try await provider.request(target)
        #expect(response.exchanges.count == 3)
        #expect(
            log.all == [
                "A prepare", "A willSend 1 A", "A prepare", "A willSend 2 A", "A prepare",
                "A willSend 3 A", "A didReceive ", "A process ",
            ])
        #expect(transport.sent.allSatisfy { $0.head.fields["X-Plugin"] == "A" })
    }

    @Test
    func `a Provider's plugins change a request after the session's adapters have changed it`()
        async throws
    {
        let transport = AnsweringTransport()
        let session = Session(
            transport: transport,
            interceptor: Adapter { request, _ in
                var request = request
                request.fields.add(name: "X-Plugin", value: "session")
                return request
            })
        let provider = Provider<SampleTarget>(
            session: session, plugins: [RecordingPlugin(name: "A", log: Collector())])
        _ = try await provider.request(SampleTarget())
        #expect(
            transport.sent.first?.head.fields.values(named: "X-Plugin") == ["session", "A"])
    }

    private struct Refusal: Error, PluginType {
        func prepare(_ request: HTTPRequest, target: any TargetType) async throws -> HTTPRequest {
            throw self
        }
    }

    @Test
    func `an error thrown by a Provider plugin's prepare fails the request before it is sent`()
        async
    {
        let transport = AnsweringTransport()
        let log = Collector<String>()
        let provider = Provider<SampleTarget>(
            session: Session(transport: transport),
            plugins: [Refusal(), RecordingPlugin(name: "A", log: log)])
        let error = await #expect(throws: ClientError.self) {
            try await provider.request(SampleTarget())
        }
        #expect(error?.kind == .requestAdaptationFailed)
        #expect(error?.underlying is Refusal)
        #expect(transport.sent.isEmpty)
        #expect(
            log.all == ["A didReceive requestAdaptationFailed"]
                + ["A process requestAdaptationFailed"])
    }

    private struct Rescue: PluginType {
        func process(
            _ result: Result<TargetResponse, ClientError>, target: any TargetType
        ) -> Result<TargetResponse, ClientError> {
            result.flatMapError { error in error.response.map { .success($0) } ?? .failure(error) }
        }
    }

    @Test func `the process method of a Provider's plugin may turn a failure into a success`()
        async throws
    {
        let provider = Provider<SampleTarget>(
            stubClosure: Provider.immediatelyStub, plugins: [Rescue()])
        var target = SampleTarget.answered(404, "none")
        target.validationType = .successCodes
        #expect(try await provider.request(target).statusCode == 404)
    }

    @Test
    func `NetworkActivityPlugin reports one beginning and one end per request, despite retries`()
        async throws
    {
        let log = Collector<NetworkActivityPlugin.Change>()
        let plugin = NetworkActivityPlugin { change, _ in log.add(change) }
        let transport = AnsweringTransport { _, number in (number < 3 ? 503 : 200, []) }
        let session = Session(
            transport: transport,
            interceptor: Retrier { request, _, _ in request.retryCount < 2 ? .retry : .doNotRetry })
        var target = SampleTarget()
        target.validationType = .successCodes
        _ = try await Provider<SampleTarget>(session: session, plugins: [plugin]).request(target)
        #expect(log.all == [.began, .ended])
        let refusing = Provider<SampleTarget>(session: session, plugins: [Refusal(), plugin])
        await #expect(throws: ClientError.self) { try await refusing.request(target) }
        #expect(log.all == [.began, .ended])
    }

    @Test func `CredentialsPlugin answers a server's challenge`() async throws {
        let server = try ScriptedServer { request in
            request.header("Authorization") == "Basic dTpw"
                ? ScriptedServer.response(200, "in")
                : ScriptedServer.response(401, "", headers: [("WWW-Authenticate", "Basic realm=r")])
        }
        var target = SampleTarget(.requestPlain, path: "")
        target.baseURL = try RawURL(server.url)
        let plugin = CredentialsPlugin { asked in
            asked.path.isEmpty ? Credential(user: "u", password: "p") : nil
        }
        let provider = Provider<SampleTarget>(session: Session(), plugins: [plugin])
        let response = try await provider.request(target)
        #expect(response.data == Array("in".utf8))
        #expect(response.exchanges.map { $0.response?.status } == [401, 200])
        target.path = "other"
        #expect(
            try await Provider<SampleTarget>(session: Session(), plugins: [plugin])
                .request(target).statusCode == 401)
    }
}

/// A plugin that notes what it is asked, and leaves its mark on requests and results.
struct RecordingPlugin: PluginType {
    let name: String
    let log: Collector<String>

    func prepare(_ request: HTTPRequest, target: any TargetType) async throws -> HTTPRequest {
        log.add("\(name) prepare")
        var request = request
        request.fields.add(name: "X-Plugin", value: name)
        return request
    }

    func willSend(_ request: PluginRequest, target: any TargetType) {
        let marks = request.request.fields.values(named: "X-Plugin").joined()
        log.add("\(name) willSend \(request.attempt) \(marks)")
    }

    func didReceive(_ result: Result<TargetResponse, ClientError>, target: any TargetType) {
        log.add("\(name) didReceive \(Self.text(result))")
    }

    func process(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType
    ) -> Result<TargetResponse, ClientError> {
        log.add("\(name) process \(Self.text(result))")
        return result.map { response in
            var response = response
            response.data += Array(name.utf8)
            return response
        }
    }

    static func text(_ result: Result<TargetResponse, ClientError>) -> String {
        switch result {
        case .success(let response): String(decoding: response.data, as: UTF8.self)
        case .failure(let error): String("\(error.kind)".prefix { $0 != "(" })
        }
    }
}
