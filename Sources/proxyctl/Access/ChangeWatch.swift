internal import Capture
internal import ProxydControl
internal import Glibc

/// Waits for news of a store: from the daemon's subscription, or by the clock while none runs.
final class ChangeWatch {
    private let directory: DataDirectory
    private var client: ControlClient?
    private var waitsUntilRetry = 0

    /// How long one wait lasts at most, in nanoseconds: news must be seen within 200 ms.
    static let waitNs: Int64 = 100_000_000
    /// Waits between two tries to find a daemon.
    private static let retryWaitCount = 10

    init(_ directory: DataDirectory) { self.directory = directory }

    /// Whether news comes by subscription.
    var isSubscribed: Bool { client != nil }

    /// Returns when there is news, or after `waitNs`; says whether there may be news, which only a
    /// subscription can deny.
    @discardableResult
    func wait() -> Bool {
        if client == nil { subscribe() }
        guard let client else {
            usleep(UInt32(ChangeWatch.waitNs / 1_000))
            return true
        }
        do throws(ControlError) {
            guard try client.nextEvent(timeoutNs: ChangeWatch.waitNs) != nil else { return false }
            // One look at the store answers all that came meanwhile.
            while try client.nextEvent(timeoutNs: 0) != nil {}
        } catch {
            // The daemon ended, or dropped us because the reader of our output was slow. What
            // happened meanwhile is found in the store.
            self.client = nil
        }
        return true
    }

    private func subscribe() {
        guard waitsUntilRetry == 0 else {
            waitsUntilRetry -= 1
            return
        }
        waitsUntilRetry = ChangeWatch.retryWaitCount
        guard let candidate = try? ControlClient(dataDirectory: directory.path),
            (try? candidate.subscribe()) != nil
        else { return }
        client = candidate
    }
}
