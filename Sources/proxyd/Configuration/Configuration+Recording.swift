extension Configuration {
    /// What is kept, and how safely.
    struct Recording: Sendable, Equatable {
        /// What happens to traffic that the disk cannot follow.
        enum FullQueuePolicy: String, Sendable, CaseIterable {
            /// Clients and servers are read more slowly.
            case slow
            /// Bodies are not kept, and their rows say so.
            case drop
        }

        /// What a power failure may cost; a crash of the program costs nothing either way.
        enum Durability: String, Sendable, CaseIterable {
            /// At most the last second.
            case normal
            /// Nothing that was committed, at the price of one disk flush a batch.
            case full
        }

        /// The octets kept of one message's body. Longer bodies pass whole.
        var bodyCaptureByteCountMax = 16_777_216
        /// Fields of which the values are never stored.
        var unstoredFields: [String] = []
        /// Parameters of which the values are never stored.
        var unstoredParameters: [String] = []
        /// What may wait for the disk.
        var queueByteCountMax = 16_777_216
        /// What happens when more waits.
        var whenQueueFull = FullQueuePolicy.slow
        /// What a power failure may cost.
        var durability = Durability.normal
        /// Recording stops while less than this is free on the disk.
        var freeSpaceFloorByteCount = 268_435_456
        /// Older exchanges are removed; 0 keeps all.
        var retentionAgeDays = 0
        /// The oldest exchanges beyond this count are removed; 0 keeps all.
        var retentionExchangeCountMax = 0
        /// The oldest exchanges are removed while the store is larger; 0 keeps all.
        var retentionByteCountMax = 0
    }
}
