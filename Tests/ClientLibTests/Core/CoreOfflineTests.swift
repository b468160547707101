import Foundation
import ProxydTestSupport
import Synchronization
import Testing

@testable import ClientLib

/// Requests of a machine that is offline.
struct CoreOfflineTests {
    /// A path that is there from the n-th look on.
    private final class LatePath: NetworkPath {
        private let looks = Atomic<Int>(0)
        private let firstGood: Int

        init(reachableFrom look: Int) { firstGood = look }

        var lookCount: Int { looks.load(ordering: .relaxed) }
        var reachability: NetworkReachability {
            looks.add(1, ordering: .relaxed).newValue < firstGood ? .notReachable : .reachable
        }
    }

    /// A clock on which no time passes.
    private struct StillClock: Clock {
        let slept: Collector<Duration>
        var now: ManualClock.Instant { ManualClock.Instant(offset: .zero) }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
            slept.add(deadline.offset)
        }
    }

    private func result(
        _ path: any NetworkPath, _ slept: Collector<Duration>,
        after kind: ClientError.Kind = .network(.connectFailed)
    ) async -> RetryResult {
        let retrier = OfflineRetrier(
            maximumWait: .seconds(5), path: path, clock: StillClock(slept: slept))
        let request = Session.default.request("http://a.test/")
        return await retrier.retry(request, for: .default, dueTo: ClientError(kind))
    }

    @Test func `OfflineRetrier waits for the network and then retries`() async {
        let slept = Collector<Duration>()
        let result = await result(LatePath(reachableFrom: 4), slept)
        guard case .retry = result else {
            Issue.record("\(result)")
            return
        }
        #expect(slept.all == Array(repeating: .milliseconds(250), count: 3))
    }

    @Test func `OfflineRetrier gives up after its maximum wait`() async {
        let slept = Collector<Duration>()
        let result = await result(LatePath(reachableFrom: .max), slept)
        guard case .doNotRetry = result else {
            Issue.record("\(result)")
            return
        }
        #expect(slept.count == 20)
    }

    @Test func `OfflineRetrier does not retry while the machine is online, or after other errors`()
        async
    {
        let slept = Collector<Duration>()
        for (look, kind) in [
            (0, ClientError.Kind.network(.connectFailed)), (9, .network(.connectionRefused)),
            (9, .timedOut(.idle)),
        ] {
            let result = await result(LatePath(reachableFrom: look), slept, after: kind)
            guard case .doNotRetry = result else {
                Issue.record("\(result)")
                return
            }
        }
        #expect(slept.count == 0)
    }

    @Test func `the network is considered reachable when a default route is up`() throws {
        let scratch = try ScratchFolder()
        let head = "Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT\n"
        func path(_ routes: String, _ routes6: String) throws -> SystemNetworkPath {
            SystemNetworkPath(
                routes: try scratch.file("4", Array((head + routes).utf8)).path,
                routes6: try scratch.file("6", Array(routes6.utf8)).path)
        }
        let zero = String(repeating: "0", count: 32)
        let v4 = "eth0\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
        let local = "eth0\t0001A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
        let v6 = "\(zero) 00 \(zero) 00 \(zero) 00000400 00000001 00000000 00000003     eth0\n"
        let refusing =
            "\(zero) 00 \(zero) 00 \(zero) ffffffff 00000001 00000000 00200200       lo\n"
        #expect(try path(v4, "").reachability == .reachable)
        #expect(try path(local, v6).reachability == .reachable)
        #expect(try path(local, refusing).reachability == .notReachable)
        #expect(try path("", "").reachability == .notReachable)
        #expect(
            try path(v4.replacing("0003", with: "0002"), "").reachability == .notReachable)
        let none = scratch.url.appending(path: "none").path
        #expect(SystemNetworkPath(routes: none, routes6: none).reachability == .unknown)
        _ = SystemNetworkPath().reachability
    }
}
