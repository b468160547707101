package import ProxydHTTPModel

/// What one transaction delivers.
package struct DeliveryBatch {
    /// The exchanges to write.
    package var exchanges: [DeliveredExchange] = []
    /// The numbers among them of which an earlier version may have been delivered.
    package var laterVersions: [Int64] = []
    /// The number up to which nothing is left to deliver afterwards, and the exceptions.
    package var throughID: Int64
    package var openIDs: [Int64]
    /// How many exchanges were passed over because they are too old.
    package var skipped: Int64 = 0
    /// The changes to exchanges that were delivered before.
    package var annotations: [(number: Int64, annotations: Exchange.Annotations)] = []
    /// The exchanges that users removed.
    package var removals: [ClosedRange<Int64>] = []
    /// The change up to which nothing is left to deliver afterwards.
    package var changeSequence: Int64

    /// Creates a batch that delivers nothing.
    package init(after state: ShipperState) {
        throughID = state.throughID
        openIDs = state.openIDs
        changeSequence = state.changeSequence
    }
}
