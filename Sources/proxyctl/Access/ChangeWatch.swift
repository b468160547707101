internal import Capture
internal import ProxydControl
internal import Glibc

/// Waits for changes of a store: by the daemon's subscription, or by polling while none is running.
final class ChangeWatch: StoreWatching {
    private let directory: DataDirectory
    private var client: ControlClient?
    private var waitsUntilRetry = 0

    /// The maximum duration of one wait in nanoseconds: changes must be seen within 200 ms.
    static let waitNs: Int64 = 100_000_000
    /// The number of waits between two attempts to find a daemon.
    private static let retryWaitCount = 10

    init(_ directory: DataDirectory) { self.directory = directory }

    /// Whether changes are reported by subscription.
    var isSubscribed: Bool { client != nil }

    /// Returns after a change or after `waitNs`; the result says whether there may be changes,
    /// which only a subscription can rule out.
    @discardableResult
    func wait() -> Bool {
        if client == nil { subscribe() }
        guard let client else {
            usleep(UInt32(ChangeWatch.waitNs / 1_000))
            return true
        }
        do throws(ControlError) {
            guard try client.nextEvent(timeoutNs: ChangeWatch.waitNs) != nil else { return false }
            // A single read of the store covers all changes up to now.
            while try client.nextEvent(timeoutNs: 0) != nil {}
        } catch {
            // The daemon ended, or dropped this client because its output was read too slowly.
            // Changes made in the meantime are found in the store.
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
