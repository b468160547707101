@testable import Capture
import Testing

/// What power failure can undo is made safe within a second, the commit that does so included.
struct FullSyncIntervalTests {
    @Test(
        arguments: [
            (0, 800), (100, 800), (150, 700), (250, 500), (4_000, 500), (-1, 800),
        ] as [(Int64, Int64)])
    func `full syncs to disk are more frequent if commits are slow`(
        commitMs: Int64, intervalMs: Int64
    ) {
        var interval = FullSyncInterval()
        #expect(interval.ns == 800_000_000)
        interval.note(commitNs: commitMs &* 1_000_000)
        #expect(interval.ns == intervalMs * 1_000_000)
        interval.note(commitNs: 1_000_000)
        #expect(interval.ns == 800_000_000)
    }
}
