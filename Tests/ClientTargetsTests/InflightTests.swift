import ClientLib
import ProxydClientTargets
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

struct InflightTests {
    private let gate = Gate()
    private let log = Collector<String>()
    private let transport: AnsweringTransport
    private let provider: Provider<SampleTarget>

    init() {
        transport = AnsweringTransport(gate: gate)
        provider = Provider(
            session: Session(transport: transport),
            plugins: [RecordingPlugin(name: "A", log: log)], trackInflights: true)
    }

    private func ask(_ target: SampleTarget = SampleTarget()) -> (CancellableToken, Asked) {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let token = provider.request(target) { result in
            continuation.yield(RecordingPlugin.text(result))
            continuation.finish()
        }
        return (token, Asked(stream: stream))
    }

    /// What a caller was told.
    private struct Asked {
        let stream: AsyncStream<String>
        func told() async -> [String] {
            var told: [String] = []
            for await text in stream { told.append(text) }
            return told
        }
    }

    @Test func `a Provider request joins an identical one in flight, and plugins run once`() async {
        let (_, first) = ask()
        for await _ in transport.arriving { break }
        let (_, second) = ask()
        gate.open()
        #expect(await first.told() == ["okA"])
        #expect(await second.told() == ["okA"])
        #expect(transport.sent.count == 1)
        #expect(log.count == 4)
        let (_, third) = ask()
        #expect(await third.told() == ["okA"])
        #expect(transport.sent.count == 2)
    }

    @Test
    func `when one caller of a shared in-flight request cancels, others still get the response`()
        async
    {
        let (starter, first) = ask()
        for await _ in transport.arriving { break }
        let (joiner, second) = ask()
        let (_, third) = ask()
        joiner.cancel()
        #expect(await second.told() == ["explicitlyCancelled"])
        starter.cancel()
        #expect(await first.told() == ["explicitlyCancelled"])
        gate.open()
        #expect(await third.told() == ["okA"])
        #expect(transport.sent.count == 1)
    }

    @Test
    func `when all callers of a shared in-flight request cancel, a later caller sends a new one`()
        async
    {
        let (starter, first) = ask()
        for await _ in transport.arriving { break }
        let (joiner, second) = ask()
        starter.cancel()
        joiner.cancel()
        let (_, third) = ask()
        #expect(await first.told() == ["explicitlyCancelled"])
        #expect(await second.told() == ["explicitlyCancelled"])
        gate.open()
        #expect(await third.told() == ["okA"])
        #expect(transport.sent.count == 2)
    }

    @Test func `in-flight requests that differ in method, path, headers or body are not shared`()
        async
    {
        var other = SampleTarget()
        other.headers = ["X-A": "1"]
        let targets = [
            SampleTarget(), other, SampleTarget(.requestPlain, path: "b"),
            SampleTarget(.requestData([1])), SampleTarget(.requestPlain, method: .delete),
        ]
        let asked = targets.map { ask($0).1 }
        gate.open()
        for item in asked { #expect(await item.told() == ["okA"]) }
        #expect(transport.sent.count == targets.count)
    }

    @Test
    func `in-flight uploads of multipart forms that differ only in their boundary are shared`()
        async throws
    {
        let targets = (0..<2).map { _ in
            var form = MultipartFormData()
            form.append("v", name: "k")
            return SampleTarget(.uploadMultipart(form), method: .post)
        }
        let (_, first) = ask(targets[0])
        for await _ in transport.arriving { break }
        let (_, second) = ask(targets[1])
        gate.open()
        #expect(await first.told() == ["okA"])
        #expect(await second.told() == ["okA"])
        #expect(transport.sent.count == 1)
    }

    @Test func `without trackInflights, identical requests are all sent`() async throws {
        let transport = AnsweringTransport()
        let provider = Provider<SampleTarget>(session: Session(transport: transport))
        async let first = provider.request(SampleTarget())
        async let second = provider.request(SampleTarget())
        _ = try await (first, second)
        #expect(transport.sent.count == 2)
    }
}
