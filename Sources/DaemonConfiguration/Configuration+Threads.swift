extension Configuration {
    /// How many threads.
    package struct Threads: Sendable, Equatable {
        /// Event loops; 0 for one per processor but one, which the recorder has.
        package var loopCount = 0
        /// Name look-ups at the same time.
        package var resolverCountMax = 8

        /// The event loops on a machine of so many processors. The recorder works while they do:
        /// with a loop for each processor they would wait for each other, and find less to do
        /// whenever they wake.
        package func loopCount(processorCount: Int) -> Int {
            loopCount == 0 ? max(1, processorCount - 1) : loopCount
        }
    }
}
