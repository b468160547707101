extension Configuration {
    /// What is kept, and how safely.
    package struct Recording: Sendable, Equatable {
        /// What happens to traffic that the disk cannot follow.
        package enum FullQueuePolicy: String, Sendable, CaseIterable {
            /// Clients and servers are read more slowly.
            case slow
            /// Bodies are not kept, and their rows say so.
            case drop
        }

        /// What a power failure may cost; a crash of the program costs nothing either way.
        package enum Durability: String, Sendable, CaseIterable {
            /// At most the last second.
            case normal
            /// Nothing that was committed, at the price of one disk flush a batch.
            case full
        }

        /// What is kept of the frames of HTTP/2.
        package enum HTTP2Frames: String, Sendable, CaseIterable {
            /// Nothing.
            case none
            /// When each passed, its type, flags and length.
            case timeline
            /// Their bytes too, as many of an exchange's as of a body.
            case bytes
        }

        /// Which exchanges are recorded, as a filter; empty for all. The others pass all the same.
        package var filter = ""
        /// The octets kept of one message's body. Longer bodies pass whole.
        package var bodyCaptureByteCountMax = 16_777_216
        /// What is kept of the frames of HTTP/2.
        package var http2Frames = HTTP2Frames.timeline
        /// Fields of which the values are never stored.
        package var unstoredFields: [String] = []
        /// Parameters of which the values are never stored.
        package var unstoredParameters: [String] = []
        /// What may wait for the disk.
        package var queueByteCountMax = 16_777_216
        /// What happens when more waits.
        package var whenQueueFull = FullQueuePolicy.slow
        /// What a power failure may cost.
        package var durability = Durability.normal
        /// Recording stops while less than this is free on the disk.
        package var freeSpaceFloorByteCount = 268_435_456
        /// Older exchanges are removed; 0 keeps all.
        package var retentionAgeDays = 0
        /// The oldest exchanges beyond this count are removed; 0 keeps all.
        package var retentionExchangeCountMax = 0
        /// The oldest exchanges are removed while the store is larger; 0 keeps all.
        package var retentionByteCountMax = 0
    }
}
