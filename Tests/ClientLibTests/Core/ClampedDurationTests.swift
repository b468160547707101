import ClientLib
import Foundation
import ProxydClientTestSupport
import Testing

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
