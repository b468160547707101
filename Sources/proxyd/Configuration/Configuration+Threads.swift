extension Configuration {
    /// How many threads.
    struct Threads: Sendable, Equatable {
        /// Event loops; 0 for one per processor.
        var loopCount = 0
        /// Name look-ups at the same time.
        var resolverCountMax = 8
    }
}
