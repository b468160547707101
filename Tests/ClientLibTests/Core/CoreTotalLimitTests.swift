import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydTestSupport
import Testing

/// The limit for the whole of a request.
struct CoreTotalLimitTests {
    private static func request(
        _ url: String, total: Duration
    ) throws -> HTTPRequest {
        var request = HTTPRequest(url: try RawURL(url))
        request.timeouts = Timeouts(total: total)
        return request
    }

    @Test(.timeLimit(.minutes(1)))
    func `a request fails without waiting when its retry delay exceeds the total timeout`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(503, "no") }
        let request = try Self.request(server.url, total: .seconds(1_800))
        let response = await Session.default.request(request).validate().retry { _, _, _ in
            .retryWithDelay(.seconds(3_600))
        }.serializingData().response
        #expect(response.error?.kind == .timedOut(.total))
        #expect(server.received.count == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a request whose adapter never returns ends at the total timeout`() async throws {
        let gate = Gate()
        let request = try Self.request("http://127.0.0.1:1/", total: .milliseconds(30))
        let response = await Session.default.request(request).adapt { request, _ in
            // Deaf to being cancelled.
            await gate.wait()
            return request
        }.serializingData().response
        #expect(response.error?.kind == .timedOut(.total))
        gate.open()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a request whose retrier never returns ends at the total timeout`() async throws {
        let gate = Gate()
        let server = try ScriptedServer { _ in ScriptedServer.response(503, "no") }
        let request = try Self.request(server.url, total: .seconds(1))
        let response = await Session.default.request(request).validate().retry { _, _, _ in
            await gate.wait()
            return .doNotRetry
        }.serializingData().response
        #expect(response.error?.kind == .timedOut(.total))
        gate.open()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a request whose redirect handler never returns ends at the total timeout`() async throws {
        let gate = Gate()
        let server = try ScriptedServer { _ in
            ScriptedServer.response(302, "", headers: [("Location", "/b")])
        }
        let request = try Self.request(server.url, total: .seconds(1))
        let response = await Session.default.request(request).redirect(
            using: .modify { proposed, _ in
                await gate.wait()
                return proposed
            }
        ).serializingData().response
        #expect(response.error?.kind == .timedOut(.total))
        gate.open()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a request with a total timeout can be cancelled while its adapter runs`() async throws {
        let request = try Self.request("http://127.0.0.1:1/", total: .seconds(1_800))
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        let sent = Session.default.request(request).adapt { request, _ in
            continuation.yield()
            try await Task.sleep(for: .seconds(3_600))
            return request
        }
        let task = sent.serializingData()
        for await _ in begun { break }
        sent.cancel()
        #expect(await task.response.error?.kind == .explicitlyCancelled)
    }
}

/// Seconds that no duration holds.
struct ClampedDurationTests {
    private static let far = 86_400.0 * 365

    @Test(arguments: [.infinity, .greatestFiniteMagnitude, 1e30, -1, -.infinity, .nan])
    func `any number of seconds, even infinite or NaN, is clamped to a valid timeout`(
        _ seconds: Double
    ) async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        var request = HTTPRequest(url: try #require(URL(string: server.url)))
        request.timeoutInterval = seconds
        if seconds > 0 {
            #expect(request.timeoutInterval > Self.far)
            #expect(try await Session.default.request(request).serializingString().value == "ok")
        } else {
            #expect(request.timeoutInterval == 0)
        }
    }

    @Test func `any number of seconds, even infinite or NaN, is clamped to a valid retry delay`() {
        func pause(_ seconds: Double) -> Duration? {
            guard case .retryWithDelay(let delay) = RetryResult.retryWithDelay(seconds) else {
                return nil
            }
            return delay
        }
        #expect(pause(0.5) == .milliseconds(500))
        #expect(pause(.nan) == .zero)
        #expect(pause(-.infinity) == .zero)
        #expect(pause(.infinity).map { $0 > .seconds(Self.far) } == true)
    }

    @Test func `a retry policy whose backoff scale is NaN still retries`() async throws {
        let server = try ScriptedServer { _ in ScriptedServer.response(503, "busy") }
        var policy = RetryPolicy(retryLimit: 1)
        policy.exponentialBackoffScale = .nan
        _ = await Session.default.request(server.url, interceptor: policy).validate()
            .serializingData().response
        #expect(server.received.count == 2)
    }
}
