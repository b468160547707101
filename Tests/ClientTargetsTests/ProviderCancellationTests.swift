import ClientLib
import ProxydClientTargets
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

struct ProviderCancellationTests {
    @Test
    func `cancelling a Provider request before it starts informs the plugins, then the caller`()
        async
    {
        let log = Collector<String>()
        let transport = AnsweringTransport()
        let asked = Gate()
        let cancelled = Gate()
        let provider = Provider<SampleTarget>(
            requestClosure: { request in
                asked.open()
                await cancelled.wait()
                return request
            }, session: Session(transport: transport),
            plugins: [RecordingPlugin(name: "A", log: log)])
        let ended = Gate()
        let token = provider.request(SampleTarget()) { result in
            log.add("completed \(RecordingPlugin.text(result))")
            ended.open()
        }
        await asked.wait()
        #expect(!token.isCancelled)
        token.cancel()
        #expect(token.isCancelled)
        cancelled.open()
        await ended.wait()
        #expect(
            log.all == [
                "A didReceive explicitlyCancelled", "A process explicitlyCancelled",
                "completed explicitlyCancelled",
            ])
        #expect(transport.sent.isEmpty)
    }

    @Test func `a Provider request in a task that is already cancelled sends nothing`() async {
        let transport = AnsweringTransport()
        let provider = Provider<SampleTarget>(session: Session(transport: transport))
        let gate = Gate()
        let task = Task {
            await gate.wait()
            return try await provider.request(SampleTarget())
        }
        task.cancel()
        gate.open()
        let error = await #expect(throws: ClientError.self) { try await task.value }
        #expect(error?.kind == .explicitlyCancelled)
        #expect(transport.sent.isEmpty)
    }

    @Test func `a Provider request in flight can be cancelled with its token`() async {
        let transport = AnsweringTransport(gate: Gate())
        let provider = Provider<SampleTarget>(session: Session(transport: transport))
        let results = AsyncStream<String>.makeStream()
        let token = provider.request(SampleTarget()) {
            results.continuation.yield(RecordingPlugin.text($0))
        }
        for await _ in transport.arriving { break }
        token.cancel()
        token.cancel()
        for await text in results.stream {
            #expect(text == "explicitlyCancelled")
            break
        }
    }

    @Test func `cancelling the token of a finished provider request changes nothing`() async {
        let provider = Provider<SampleTarget>(stubClosure: Provider.immediatelyStub)
        let log = Collector<String>()
        let ended = Gate()
        let token = provider.request(SampleTarget()) {
            log.add(RecordingPlugin.text($0))
            ended.open()
        }
        await ended.wait()
        token.cancel()
        #expect(!token.isCancelled)
        #expect(log.all == ["sample"])
    }
}
