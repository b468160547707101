extension Configuration {
    /// The numbers of threads.
    package struct Threads: Sendable, Equatable {
        /// The number of event loops; 0 for one fewer than there are processors, because the
        /// recorder uses one.
        package var loopCount = 0
        /// The number of concurrent name lookups.
        package var resolverCountMax = 8

        /// The number of event loops on a machine with this many processors. The recorder runs at
        /// the same time: with a loop for every processor, they would wait for each other and find
        /// less to do each time they wake.
        package func loopCount(processorCount: Int) -> Int {
            loopCount == 0 ? max(1, processorCount - 1) : loopCount
        }
    }
}
