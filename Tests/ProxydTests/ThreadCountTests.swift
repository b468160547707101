import Testing

@testable import ProxydDaemonConfiguration
@testable import proxyd

@Suite struct `Numbers of threads` {
    @Test(arguments: [(1, 1), (2, 1), (3, 2), (16, 15)])
    func `by default, proxyd runs one event loop fewer than it has CPUs, but at least one`(
        processorCount: Int, loopCount: Int
    ) {
        let threads = Configuration.Threads()
        #expect(threads.loopCount(processorCount: processorCount) == loopCount)
    }

    @Test func `a configured number of event loops overrides the default based on the CPU count`() {
        var threads = Configuration.Threads()
        threads.loopCount = 7
        #expect(threads.loopCount(processorCount: 2) == 7)
    }
}
