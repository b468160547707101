import ProxydCentralStore
import ProxydCaptureModel

/// What a batch delivers, by the numbers of exchanges.
struct BatchOutline: Equatable {
    var ids: [Int64] = []
    var later: [Int64] = []
    var through: Int64
    var open: [Int64] = []
    var skipped: Int64 = 0
}

extension DeliveryBatch {
    /// The batch without the contents of its exchanges.
    var outline: BatchOutline {
        BatchOutline(
            ids: exchanges.map { $0.record.id }, later: laterVersions, through: throughID,
            open: openIDs, skipped: skipped)
    }
}
