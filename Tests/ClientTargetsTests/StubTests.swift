import ClientLib
import Foundation
import ProxydClientTargets
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

struct StubTests {
    private func provider(
        _ plugins: [any PluginType] = [], session: Session = .default
    ) -> Provider<SampleTarget> {
        Provider(stubClosure: Provider.immediatelyStub, session: session, plugins: plugins)
    }

    @Test func `an immediate stub returns the target's sample response and sends nothing`()
        async throws
    {
        let transport = AnsweringTransport()
        let session = Session(transport: transport)
        let response = try await provider(session: session).request(SampleTarget())
        #expect(response.statusCode == 200)
        #expect(response.data == Array("sample".utf8))
        #expect(response.request?.url.description == "https://api.test/v1/users")
        #expect(transport.sent.isEmpty)
    }

    @Test func `a Provider without a stub closure sends the request`() async throws {
        let transport = AnsweringTransport()
        let provider = Provider<SampleTarget>(session: Session(transport: transport))
        let response = try await provider.request(SampleTarget())
        #expect(response.data == Array("ok".utf8))
        #expect(transport.sent.count == 1)
    }

    @Test func `a Provider can stub some targets and send the requests of others`() async throws {
        let transport = AnsweringTransport()
        let provider = Provider<SampleTarget>(
            stubClosure: { $0.path == "users" ? .immediate : .never },
            session: Session(transport: transport))
        #expect(try await provider.request(SampleTarget()).data == Array("sample".utf8))
        let other = SampleTarget(.requestPlain, path: "other")
        #expect(try await provider.request(other).data == Array("ok".utf8))
    }

    @Test func `a delayed stub responds after its delay and not before`() async throws {
        let clock = ManualClock()
        let provider = Provider<SampleTarget>(
            stubClosure: Provider.delayedStub(.seconds(2)), stubClock: clock)
        let log = Collector<Int>()
        let task = Task {
            let response = try await provider.request(SampleTarget())
            log.add(response.statusCode)
        }
        for await delay in clock.arrivals {
            #expect(delay == .seconds(2))
            break
        }
        clock.advance(by: .seconds(1))
        #expect(log.all.isEmpty)
        clock.advance(by: .seconds(1))
        try await task.value
        #expect(log.all == [200])
    }

    @Test func `a delayed stub can be cancelled while it waits`() async {
        let clock = ManualClock()
        let provider = Provider<SampleTarget>(
            stubClosure: Provider.delayedStub(.seconds(2)), stubClock: clock)
        let task = Task { try await provider.request(SampleTarget()) }
        for await _ in clock.arrivals { break }
        task.cancel()
        let error = await #expect(throws: ClientError.self) { try await task.value }
        #expect(error?.kind == .explicitlyCancelled)
    }

    @Test func `a stub's sample response may have its own status, reason and header fields`()
        async throws
    {
        var target = SampleTarget()
        target.sample = .response(
            ResponseHead(status: 203, reason: "Maybe", fields: ["X-A": "1", "X-A": "2"]), [1, 2])
        let response = try await provider().request(target)
        #expect(response.statusCode == 203)
        #expect(response.response.reason == "Maybe")
        #expect(response.response.fields.values(named: "X-A") == ["1", "2"])
        #expect(response.data == [1, 2])
    }

    @Test func `a stub may have an error in place of a sample response`() async {
        var target = SampleTarget()
        target.sample = .networkError(ClientError(.network(.connectionRefused)))
        let error = await #expect(throws: ClientError.self) {
            try await self.provider().request(target)
        }
        #expect(error?.kind == .network(.connectionRefused))
        #expect(error?.attempt == 1)
        #expect(error?.response == nil)
    }

    @Test
    func `a stub's redirects and challenges are not followed, and its cookies are not stored`()
        async throws
    {
        let fields: HeaderFields = [
            "Location": "/elsewhere", "Set-Cookie": "a=b", "WWW-Authenticate": "Basic realm=x",
        ]
        let session = Session()
        let stubs = provider(
            [CredentialsPlugin { _ in Credential(user: "u", password: "p") }], session: session)
        for status in [302, 401] {
            var target = SampleTarget()
            target.sample = .response(ResponseHead(status: status, reason: "", fields: fields), [])
            let response = try await stubs.request(target)
            #expect(response.statusCode == status)
            #expect(response.exchanges.count == 1)
            let url: RawURL = "https://api.test/"
            #expect(session.configuration.cookieStorage?.fieldValue(for: url) == nil)
        }
    }

    @Test func `stubbed responses are validated, and a validation error includes the response`()
        async
    {
        let accepted: [(ValidationType, Int, Bool)] = [
            (.none, 500, true), (.successCodes, 299, true), (.successCodes, 302, false),
            (.successAndRedirectCodes, 399, true), (.successAndRedirectCodes, 400, false),
            (.customCodes([404]), 404, true), (.customCodes([404]), 200, false),
        ]
        for (validation, status, isAccepted) in accepted {
            var target = SampleTarget.answered(status, "body")
            target.validationType = validation
            do throws(ClientError) {
                let response = try await provider().request(target)
                #expect(isAccepted && response.statusCode == status, "\(validation) \(status)")
            } catch {
                #expect(!isAccepted, "\(validation) \(status)")
                #expect(
                    error.kind == .responseValidationFailed(.unacceptableStatusCode(code: status)))
                #expect(error.response?.data == Array("body".utf8))
                #expect(error.cause == nil)
            }
        }
    }

    @Test func `a stubbed response can be downloaded to a file`() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let target = SampleTarget(.downloadDestination { _, _ in (url, []) })
        let response = try await provider().request(target)
        #expect(response.fileURL == url)
        #expect(try String(contentsOf: url, encoding: .utf8) == "sample")
        #expect(response.data.isEmpty)
        try FileManager.default.removeItem(at: url)
    }
}
