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

    /// Creates a state.
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

/// How far a store has been delivered to a central store.
public struct DeliveryProgress: Sendable, Hashable {
    /// All exchanges up to this number were delivered; 0 announces that deliveries will follow.
    public var through: Int64
    /// A random number that the central store keeps too.
    public var mark: Int64
    /// All changes up to this sequence number were delivered; they are forgotten.
    public var changesThrough: Int64

    /// Creates a progress report.
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
    /// What was done.
    public var kind: Kind

    /// Creates a change.
    public init(sequence: Int64, ids: ClosedRange<Int64>, kind: Kind) {
        self.sequence = sequence
        self.ids = ids
        self.kind = kind
    }
}
