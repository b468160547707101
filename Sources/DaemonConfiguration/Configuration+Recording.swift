extension Configuration {
    /// What is recorded, and how durably.
    package struct Recording: Sendable, Equatable {
        /// What to do if the disk is too slow for the traffic.
        package enum FullQueuePolicy: String, Sendable, CaseIterable {
            /// Clients and servers are read more slowly.
            case slow
            /// Bodies are not recorded, and their rows say so.
            case drop
        }

        /// What may be lost in a power failure; a crash of the program loses nothing in either
        /// case.
        package enum Durability: String, Sendable, CaseIterable {
            /// At most the last second.
            case normal
            /// Nothing that was committed, at the cost of one disk flush per batch.
            case full
        }

        /// What is recorded of HTTP/2 frames.
        package enum HTTP2Frames: String, Sendable, CaseIterable {
            /// Nothing.
            case none
            /// The time, type, flags and length of each frame.
            case timeline
            /// Also their bytes, up to the same limit per exchange as for a body.
            case bytes
        }

        /// The filter for exchanges to record; empty for all. Other exchanges still pass.
        package var filter = ""
        /// The most bytes recorded of one message's body. Longer bodies still pass completely.
        package var bodyCaptureByteCountMax = 16_777_216
        /// What is recorded of HTTP/2 frames.
        package var http2Frames = HTTP2Frames.timeline
        /// Fields whose values are never stored.
        package var unstoredFields: [String] = []
        /// Parameters whose values are never stored.
        package var unstoredParameters: [String] = []
        /// The most bytes that may wait for the disk.
        package var queueByteCountMax = 16_777_216
        /// What to do when the queue is full.
        package var whenQueueFull = FullQueuePolicy.slow
        /// What may be lost in a power failure.
        package var durability = Durability.normal
        /// Recording stops while the disk has fewer free bytes than this.
        package var freeSpaceFloorByteCount = 268_435_456
        /// Exchanges older than this many days are removed; 0 keeps all.
        package var retentionAgeDays = 0
        /// The oldest exchanges beyond this count are removed; 0 keeps all.
        package var retentionExchangeCountMax = 0
        /// The oldest exchanges are removed while the store is larger than this many bytes; 0 keeps
        /// all.
        package var retentionByteCountMax = 0
        /// Whether retention leaves exchanges that were not delivered to a central store yet, as
        /// long as the disk has room; means nothing for a store that was never delivered.
        package var retentionWaitsForDelivery = true
    }
}
