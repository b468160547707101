import ClientLib
import ProxydClientTargets
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

struct ProgressResponseTests {
    private func response() async throws -> TargetResponse {
        try await Provider<SampleTarget>(stubClosure: Provider.immediatelyStub)
            .request(SampleTarget())
    }

    @Test
    func `a ProgressResponse has the fraction received, and is complete once it has the response`()
        async throws
    {
        let states: [(Int64, Int64?, Double)] = [
            (5, 10, 0.5), (5, nil, 0), (0, 0, 0), (0, 10, 0),
        ]
        for (completed, total, progress) in states {
            let transfer = TransferProgress(completedByteCount: completed, totalByteCount: total)
            let state = ProgressResponse(transfer: transfer)
            #expect(state.progress == progress)
            #expect(!state.completed)
        }
        #expect(ProgressResponse().progress == 0)
        let last = ProgressResponse(response: try await response())
        #expect(last.completed && last.progress == 1)
    }

    @Test
    func `the progress of a Provider request reports the bytes received and then the response`()
        async throws
    {
        let transport = AnsweringTransport { _, _ in (200, [UInt8](repeating: 1, count: 40)) }
        let provider = Provider<SampleTarget>(session: Session(transport: transport))
        let log = Collector<ProgressResponse>()
        _ = try await provider.request(SampleTarget()) { log.add($0) }
        #expect(log.all.last?.completed == true)
        #expect(log.all.dropLast().allSatisfy { !$0.completed })
        #expect(log.all.first?.transfer?.completedByteCount == 40)
        #expect(log.all.first?.transfer?.totalByteCount == 40)
    }

    @Test func `the progress of a Provider's upload reports the bytes sent`() async throws {
        let provider = Provider<SampleTarget>(stubClosure: Provider.immediatelyStub)
        var form = MultipartFormData()
        form.append("value", name: "key")
        let total = try #require(form.byteCount)
        let log = Collector<ProgressResponse>()
        let target = SampleTarget(.uploadMultipart(form), method: .post)
        _ = try await provider.request(target) { log.add($0) }
        #expect(log.all.map(\.progress) == [1, 1])
        #expect(log.all.first?.transfer?.completedByteCount == total)
        #expect(log.all.map(\.completed) == [false, true])
    }

    @Test func `a Provider's progressUpdates sequence ends with the response or throws`()
        async throws
    {
        let provider = Provider<SampleTarget>(stubClosure: Provider.immediatelyStub)
        var states: [ProgressResponse] = []
        for try await state in provider.progressUpdates(of: SampleTarget()) { states.append(state) }
        #expect(states.last?.response?.statusCode == 200)
        var target = SampleTarget.answered(500)
        target.validationType = .successCodes
        await #expect(throws: ClientError.self) {
            for try await _ in provider.progressUpdates(of: target) {}
        }
    }

    @Test func `cancelling the task that reads a Provider's progressUpdates cancels the request`()
        async throws
    {
        let log = Collector<String>()
        let ended = Gate()
        let transport = AnsweringTransport(gate: Gate())
        let provider = Provider<SampleTarget>(
            session: Session(transport: transport), plugins: [EndPlugin(log: log, ended: ended)])
        let task = Task {
            for try await _ in provider.progressUpdates(of: SampleTarget()) {}
        }
        for await _ in transport.arriving { break }
        task.cancel()
        await ended.wait()
        #expect(log.all == ["explicitlyCancelled"])
        _ = await task.result
    }

    private struct EndPlugin: PluginType {
        let log: Collector<String>
        let ended: Gate

        func didReceive(_ result: Result<TargetResponse, ClientError>, target: any TargetType) {
            log.add(RecordingPlugin.text(result))
            ended.open()
        }
    }
}
