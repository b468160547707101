import ClientLib
import ProxydClientTargets
import Testing

struct CapturedStubTests {
    private let provider = Provider<SampleTarget>(stubClosure: Provider.immediatelyStub)

    private func target(_ change: (inout Exchange) -> Void) -> SampleTarget {
        let url: RawURL = "https://other.test/"
        var exchange = Exchange(
            id: ExchangeID(rawValue: 7), state: .complete,
            request: Request(url: url, head: nil),
            response: Response(
                head: ResponseHead(
                    status: 201, reason: "Was Made", fields: ["X-Kept": "a", "x-kept": "b"]),
                body: Body(Array("captured".utf8)), trailers: ["X-Sum": "9"]),
            informational: [ResponseHead(status: 103, reason: "", fields: ["Link": "</a>"])],
            timeline: Timeline(wallStart: 1, start: 1))
        change(&exchange)
        var target = SampleTarget()
        target.sample = .captured(exchange)
        return target
    }

    @Test func `a stub made from a captured exchange returns its head, body and trailers`()
        async throws
    {
        let response = try await provider.request(target { _ in })
        #expect(response.statusCode == 201)
        #expect(response.response.reason == "Was Made")
        #expect(response.response.fields.pairs.map(\.name) == ["X-Kept", "x-kept"])
        #expect(response.data == Array("captured".utf8))
        #expect(response.trailers?["X-Sum"] == "9")
        #expect(response.exchanges.first?.informational.map(\.status) == [103])
        #expect(response.request?.url.host == "api.test")
    }

    @Test func `a stub made from a captured exchange decodes the body's content coding`()
        async throws
    {
        let gzip: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6,
            0x10, 0x36, 5, 0, 0, 0,
        ]
        let response = try await provider.request(
            target { exchange in
                exchange.response = Response(
                    head: ResponseHead(
                        status: 200, reason: "OK", fields: ["Content-Encoding": "gzip"]),
                    body: Body(gzip))
            })
        #expect(response.data == Array("hello".utf8))
    }

    @Test func `a stub made from a captured failure fails with the same error`() async {
        let target = target { exchange in
            exchange.response = nil
            exchange.failure = ExchangeFailure(
                origin: .upstream, kind: .timedOut, message: "no answer")
        }
        let error = await #expect(throws: ClientError.self) {
            try await provider.request(target)
        }
        #expect(error?.kind == .network(.timedOut))
        #expect(error?.message == "no answer")
    }

    @Test
    func `making a stub from an exchange with no response or an incomplete body is a typed error`()
        async
    {
        let targets = [
            target { $0.response?.body.byteCount = 9_000 }, target { $0.response = nil },
        ]
        for target in targets {
            let error = await #expect(throws: ClientError.self) {
                try await provider.request(target)
            }
            #expect(error?.kind == .unsupported)
        }
    }
}
