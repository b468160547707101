import ClientLib
import Foundation
import ProxydClientTargets
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

struct ProviderTests {
    @Test func `a Provider's endpoint closure creates the request`() async throws {
        let transport = AnsweringTransport()
        let provider = Provider<SampleTarget>(
            endpointClosure: { target in
                var request = try target.endpoint()
                request.fields.update(name: "X-App", value: "1")
                return request
            }, session: Session(transport: transport))
        _ = try await provider.request(SampleTarget())
        #expect(transport.sent.first?.head.fields["X-App"] == "1")
        #expect(transport.sent.first?.head.targetText == "/v1/users")
    }

    private struct Refusal: Error {}

    @Test
    func `an error thrown by a Provider's endpoint closure fails the request and reaches plugins`()
        async
    {
        let log = Collector<String>()
        let provider = Provider<SampleTarget>(
            endpointClosure: { _ in throw Refusal() },
            plugins: [RecordingPlugin(name: "A", log: log)])
        let error = await #expect(throws: ClientError.self) {
            try await provider.request(SampleTarget())
        }
        #expect(error?.kind == .requestAdaptationFailed)
        #expect(error?.underlying is Refusal)
        #expect(log.all.first == "A didReceive requestAdaptationFailed")
    }

    @Test func `a Provider's request closure runs once, and its changes also apply to retries`()
        async throws
    {
        let log = Collector<String>()
        let transport = AnsweringTransport { _, number in (number < 3 ? 503 : 200, []) }
        let session = Session(transport: transport, interceptor: Retrier { _, _, _ in .retry })
        let provider = Provider<SampleTarget>(
            requestClosure: { request in
                log.add("asked")
                await Task.yield()
                var request = request
                request.fields.update(name: "X-Token", value: "fresh")
                return request
            }, session: session)
        var target = SampleTarget()
        target.validationType = .successCodes
        _ = try await provider.request(target)
        #expect(log.all == ["asked"])
        #expect(transport.sent.map { $0.head.fields["X-Token"] } == ["fresh", "fresh", "fresh"])
    }

    @Test func `an error thrown by a Provider's request closure fails the request`() async {
        let provider = Provider<SampleTarget>(requestClosure: { _ in throw Refusal() })
        let error = await #expect(throws: ClientError.self) {
            try await provider.request(SampleTarget())
        }
        #expect(error?.kind == .requestAdaptationFailed)
        #expect(error?.underlying is Refusal)
    }

    @Test func `a Provider reports a parameter encoding failure as a typed error`() async {
        let provider = Provider<SampleTarget>(stubClosure: Provider.immediatelyStub)
        let task = RequestTask.requestParameters(
            parameters: ["a": .double(.infinity)], encoding: JSONEncoding.default)
        let error = await #expect(throws: ClientError.self) {
            try await provider.request(SampleTarget(task))
        }
        #expect(error?.kind == .parameterEncodingFailed)
    }

    @Test func `a Provider's completion handler is called once with the response`() async {
        let provider = Provider<SampleTarget>(stubClosure: Provider.immediatelyStub)
        let result = await withCheckedContinuation { continuation in
            provider.request(SampleTarget()) { continuation.resume(returning: $0) }
        }
        #expect((try? result.get())?.statusCode == 200)
    }

    @Test func `a Provider request continues after its provider and session are released`() async {
        let gate = Gate()
        let transport = AnsweringTransport(gate: gate)
        let result = await withCheckedContinuation { continuation in
            Provider<SampleTarget>(session: Session(transport: transport))
                .request(SampleTarget()) { continuation.resume(returning: $0) }
            gate.open()
        }
        #expect((try? result.get())?.statusCode == 200)
    }

    @Test func `a Provider starts its requests even if startRequestsImmediately is false`()
        async throws
    {
        var configuration = SessionConfiguration.default
        configuration.startRequestsImmediately = false
        let session = Session(configuration: configuration, transport: AnsweringTransport())
        let response = try await Provider<SampleTarget>(session: session).request(SampleTarget())
        #expect(response.statusCode == 200)
    }

    @Test func `a MultiTarget has all properties of the target inside it`() async throws {
        var target = SampleTarget(.requestData([1]), method: .put, path: "p")
        target.headers = ["X-A": "1"]
        target.validationType = .customCodes([200])
        target.authorizationType = .bearer
        let multi = MultiTarget(target)
        #expect(multi.baseURL == target.baseURL && multi.path == "p" && multi.method == .put)
        #expect(multi.headers == target.headers)
        #expect(multi.validationType == target.validationType)
        #expect(multi.sampleData == target.sampleData)
        #expect(multi.authorizationType == .bearer)
        guard case .requestData([1]) = multi.task else { throw CancellationError() }
        let provider = Provider<MultiTarget>(stubClosure: Provider.immediatelyStub)
        #expect(try await provider.request(multi).data == target.sampleData)
        #expect(try await provider.request(.target(PlainTarget())).data.isEmpty)
    }

    @Test func `a Provider uploads files and forms and downloads to a destination`() async throws {
        let server = try ScriptedServer { ScriptedServer.response(200, "got \($0.bodyText)") }
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "up")
        try Data("file".utf8).write(to: file)
        let provider = Provider<SampleTarget>()
        var target = SampleTarget(.uploadFile(file), method: .post, path: "")
        target.baseURL = try RawURL(server.url)
        #expect(try await provider.request(target).mapString() == "got file")
        var form = MultipartFormData()
        form.append("v", name: "k")
        target.task = .uploadMultipart(form)
        let echoed = try await provider.request(target).mapString()
        #expect(echoed.contains("name=\"k\"\r\n\r\nv\r\n"))
        let destination = directory.appending(path: "down")
        target.task = .downloadParameters(
            parameters: ["a": 1], encoding: JSONEncoding.default
        ) { _, _ in (destination, []) }
        let response = try await provider.request(target)
        #expect(response.fileURL == destination)
        #expect(try String(contentsOf: destination, encoding: .utf8) == #"got {"a":1}"#)
    }
}
