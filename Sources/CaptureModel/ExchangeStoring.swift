public import ProxydHTTPModel

/// What one commit changed, for subscribers that follow the store live.
public struct StoreChange: Sendable, Hashable {
    public var inserted: [ExchangeID] = []
    /// Exchanges with new data or changed annotations.
    public var updated: [ExchangeID] = []
    public var removed: [ExchangeID] = []

    public init(
        inserted: [ExchangeID] = [], updated: [ExchangeID] = [], removed: [ExchangeID] = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.removed = removed
    }

    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && removed.isEmpty }
}

/// A change to the annotations of an exchange; properties that are nil or empty change nothing.
public struct AnnotationChange: Sendable, Hashable, Codable {
    public var id: ExchangeID
    /// The new note; an empty one removes it, and nil leaves it as it is.
    public var note: String?
    /// Tags to add after the existing ones; tags it already has stay where they are.
    public var addedTags: [String]
    public var removedTags: [String]
    /// Whether the exchange is pinned, so that retention keeps it; nil leaves it as it is.
    public var isPinned: Bool?

    /// The names in the protocol of the control socket.
    private enum CodingKeys: String, CodingKey {
        case id = "exchangeID"
        case note, addedTags, removedTags, isPinned
    }

    public init(
        id: ExchangeID, note: String? = nil, addedTags: [String] = [], removedTags: [String] = [],
        isPinned: Bool? = nil
    ) {
        self.id = id
        self.note = note
        self.addedTags = addedTags
        self.removedTags = removedTags
        self.isPinned = isPinned
    }
}

/// Which exchanges `clear` removes.
public enum ClearSelection: Sendable, Hashable {
    /// All exchanges that are not pinned.
    case unpinned
    case all
    /// The exchanges with these numbers, pinned or not.
    case exchanges([ExchangeID])
}

/// The status of a recorder, for `status` and for monitoring.
public struct RecorderStatus: Sendable, Hashable {
    /// Why nothing is being written.
    public enum PauseReason: String, Sendable, Hashable, CaseIterable {
        /// The file system is full or has less free space than the floor.
        case diskFull
        /// Another process holds a lock on the database.
        case locked
        /// A read, write or sync failed; the store is reopened and verified.
        case ioError
    }

    public enum State: Sendable, Hashable {
        case recording
        /// Writing has stopped for now and is retried automatically.
        case paused(PauseReason)
        case stopped
    }

    public var state = State.recording
    public var exchangeCount: Int64 = 0
    /// The number of exchanges that have not ended.
    public var activeCount = 0
    /// The size of the database file in bytes.
    public var storeByteCount: Int64 = 0
    public var walByteCount: Int64 = 0
    /// Whether the index files still lack exchanges that are old enough for them.
    public var isIndexing = false
    public var queueByteCount = 0
    /// The number of exchanges since startup that were not recorded at all.
    public var droppedExchangeCount: Int64 = 0
    /// The number of body bytes dropped since startup because the queue was full.
    public var droppedBodyByteCount: Int64 = 0
    /// How many times since startup the facts about a connection were not recorded: the rows of its
    /// exchanges lack the client's address, or TLS.
    public var droppedConnectionCount: Int64 = 0
    /// The number of exchanges found at startup that a crash had left open.
    public var interruptedCount = 0
    /// The path to which a damaged store was renamed, or nil if there was none.
    public var damagedStorePath: String?
    /// The most recent error as a message for users, or nil if there was none.
    public var lastError: String?

    public init() {}
}

/// What a store knows of its delivery to a central store.
public struct DeliveryState: Sendable, Hashable {
    /// 16 random bytes that tell the store apart from all others; nil in a store that an older
    /// version made and no recorder of this version has opened since.
    public var storeID: [UInt8]?
    /// All exchanges up to this number were delivered; nil if the store was never delivered.
    public var deliveredThrough: Int64?
    /// The random number that the last delivery left here. If it is not the one that the central
    /// store knows, this store was restored from a backup.
    public var mark: Int64?
    /// The number of exchanges that retention removed before they were delivered.
    public var undeliveredLost: Int64
    /// The highest number ever given to an exchange, whether or not that still exists.
    public var lastExchangeID: Int64
    /// The sequence number of the last change ever noted, delivered or not; 0 if there was none.
    public var lastChangeSequence: Int64

    public init(
        storeID: [UInt8]? = nil, deliveredThrough: Int64? = nil, mark: Int64? = nil,
        undeliveredLost: Int64 = 0, lastExchangeID: Int64 = 0, lastChangeSequence: Int64 = 0
    ) {
        self.storeID = storeID
        self.deliveredThrough = deliveredThrough
        self.mark = mark
        self.undeliveredLost = undeliveredLost
        self.lastExchangeID = lastExchangeID
        self.lastChangeSequence = lastChangeSequence
    }
}

/// How far a store has been delivered to a central store; the names of its members are those in the
/// protocol of the control socket.
public struct DeliveryProgress: Sendable, Hashable, Codable {
    /// All exchanges up to this number were delivered; 0 announces that deliveries will follow.
    public var through: Int64
    /// A random number that the central store keeps too.
    public var mark: Int64
    /// All changes up to this sequence number were delivered; they are forgotten.
    public var changesThrough: Int64

    public init(through: Int64, mark: Int64, changesThrough: Int64) {
        self.through = through
        self.mark = mark
        self.changesThrough = changesThrough
    }
}

/// A change that a user made to recorded exchanges. It says which exchanges to look at again, not
/// what they are like now.
public struct ExchangeChange: Sendable, Hashable {
    /// What a user did; the raw value is stored.
    public enum Kind: Int64, Sendable, Hashable, CaseIterable {
        /// The note, the tags or the pin was changed.
        case annotated = 1
        /// The exchanges were removed. What retention removes is not noted.
        case removed = 2
    }

    /// Ascending, never reused.
    public var sequence: Int64
    /// The numbers of the exchanges; numbers that never existed may be among them.
    public var ids: ClosedRange<Int64>
    public var kind: Kind

    public init(sequence: Int64, ids: ClosedRange<Int64>, kind: Kind) {
        self.sequence = sequence
        self.ids = ids
        self.kind = kind
    }
}

/// A stored file that describes protocol buffer messages.
public struct ProtoFile: Sendable, Hashable {
    /// Where a file comes from.
    public enum Source: String, Sendable, Hashable, CaseIterable {
        /// A user added it.
        case given
        /// It was found in an answer of gRPC server reflection.
        case reflection
    }

    /// The name by which other files import it, such as `google/rpc/status.proto`.
    public var name: String
    public var source: Source
    /// The time when the file was added, in nanoseconds since 1970.
    public var addedNs: Int64
    /// The description, an encoded `google.protobuf.FileDescriptorProto`.
    public var bytes: [UInt8]

    public init(name: String, source: Source, addedNs: Int64 = 0, bytes: [UInt8]) {
        self.name = name
        self.source = source
        self.addedNs = addedNs
        self.bytes = bytes
    }
}

/// Identifies the set of description files in a store: it changes when a file is added or removed.
public struct ProtoFileVersion: Sendable, Hashable {
    public var count: Int64
    /// The highest row number.
    public var lastID: Int64
    /// The time when the latest file was added, in nanoseconds since 1970.
    public var lastAddedNs: Int64

    public init(count: Int64 = 0, lastID: Int64 = 0, lastAddedNs: Int64 = 0) {
        self.count = count
        self.lastID = lastID
        self.lastAddedNs = lastAddedNs
    }
}
