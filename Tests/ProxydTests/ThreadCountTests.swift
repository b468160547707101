import Testing

@testable import ProxydDaemonConfiguration
@testable import proxyd

@Suite struct `Numbers of threads` {
    @Test(arguments: [(1, 1), (2, 1), (3, 2), (16, 15)])
    func `the recorder has a processor, the event loops the others`(
        processorCount: Int, loopCount: Int
    ) {
        let threads = Configuration.Threads()
        #expect(threads.loopCount(processorCount: processorCount) == loopCount)
    }

    @Test func `a number that is configured is taken as it is`() {
        var threads = Configuration.Threads()
        threads.loopCount = 7
        #expect(threads.loopCount(processorCount: 2) == 7)
    }
}
