/// What the central store knows about a shipper: who it is, and how far it has come.
package struct ShipperState: Sendable, Hashable {
    /// The number that its exchanges have in their upper bits.
    package let number: Int64
    /// The name that people see before the numbers of its exchanges.
    package let name: String
    /// The same without the generation of a store that was restored.
    package let baseName: String
    /// Which machine it ran on.
    package let fingerprint: String
    /// The number that the shipper drew when it last started, and the one before.
    package let mark: Int64
    package let previousMark: Int64
    /// How far the shipper had come when it drew that number.
    package let markedThrough: Int64
    /// The number after which this shipper delivers, if its store goes on after a restoration.
    package let forkedAfter: Int64
    /// Everything up to this number was delivered or passed over, `openIDs` excepted.
    package let throughID: Int64
    /// The numbers up to `throughID` that have to be looked at again.
    package let openIDs: [Int64]
    /// Changes up to this one were delivered.
    package let changeSequence: Int64
    /// How many exchanges were delivered, and how many were too old to be.
    package let delivered: Int64
    package let skipped: Int64

    static let columns = """
        no, name, fingerprint, mark, previous_mark, through_id, open_ids, change_sequence, \
        delivered, skipped, marked_through, base_name, forked_after
        """

    init?(_ row: CentralRow) {
        guard let number = row.integer(0), let name = row.text(1) else { return nil }
        self.number = number
        self.name = name
        fingerprint = row.text(2) ?? ""
        mark = row.integer(3) ?? 0
        previousMark = row.integer(4) ?? 0
        throughID = row.integer(5) ?? 0
        openIDs = row.integers(6)
        changeSequence = row.integer(7) ?? 0
        delivered = row.integer(8) ?? 0
        skipped = row.integer(9) ?? 0
        markedThrough = row.integer(10) ?? 0
        baseName = row.text(11) ?? name
        forkedAfter = row.integer(12) ?? 0
    }
}
