internal import ProxydHTTPModel

/// Finds or makes the row of a shipper.
package struct ShipperRegistry {
    /// What a shipper says about itself.
    package struct Claim: Sendable {
        package var name: String
        package var storeID: [UInt8]
        /// The mark that its store has, or nil if it was never delivered.
        package var mark: Int64?
        /// The highest number that its store ever gave to an exchange. A lower one than was
        /// delivered shows that the store was restored from a backup.
        package var lastNumber: Int64
        package var newMark: Int64
        /// Which machine it runs on.
        package var fingerprint: String
        /// How long the team keeps exchanges, according to this shipper's configuration.
        package var retentionAgeDays: Int64?
        /// Whether a copied store is to count as a store of its own.
        package var takesNewIdentity: Bool

        package init(
            name: String, storeID: [UInt8], mark: Int64?, lastNumber: Int64, newMark: Int64,
            fingerprint: String, retentionAgeDays: Int64?, takesNewIdentity: Bool
        ) {
            self.name = name
            self.storeID = storeID
            self.mark = mark
            self.lastNumber = lastNumber
            self.newMark = newMark
            self.fingerprint = fingerprint
            self.retentionAgeDays = retentionAgeDays
            self.takesNewIdentity = takesNewIdentity
        }
    }

    /// The central store's answer to a claim.
    package enum Finding: Sendable {
        /// The shipper continues where it stopped, or is new.
        case known(ShipperState)
        /// The store is an older state of the one that was delivered: it was restored from a
        /// backup, or copied.
        case divergedFrom(ShipperState)
    }

    private let connection: any CentralConnection

    package init(_ connection: any CentralConnection) { self.connection = connection }

    /// Returns the state of a store's latest shipper, or nil if it was never delivered. A copy of
    /// the store that counts as its own has the same identity, but another name.
    package func state(storeID: [UInt8], name: String) throws(CentralError) -> ShipperState? {
        try connection.first(
            """
            SELECT \(ShipperState.columns) FROM shipper WHERE store_id = $1
            ORDER BY base_name = $2 DESC, generation DESC LIMIT 1
            """, [.bytes(storeID), .text(name)], ShipperState.init)
    }

    package func register(_ claim: Claim) throws(CentralError) -> Finding {
        try connection.transaction { () throws(CentralError) in
            try lock()
            guard let known = try state(storeID: claim.storeID, name: claim.name) else {
                return .known(
                    try insert(
                        claim, name: (base: claim.name, whole: claim.name), generation: 1,
                        throughID: 0))
            }
            let isNew = claim.mark == nil && known.throughID == known.forkedAfter
            let isOurs =
                isNew
                || claim.lastNumber >= known.throughID
                    && (claim.mark == known.mark
                        || (claim.mark == known.previousMark
                            && known.throughID == known.markedThrough))
            guard claim.fingerprint == known.fingerprint || claim.takesNewIdentity else {
                throw .location(
                    "the store was delivered from another machine as \(known.name); if this is a "
                        + "copy, give it a name of its own and start proxyship --new-identity once")
            }
            let isCopyWithoutName =
                claim.fingerprint != known.fingerprint && claim.name == known.baseName
            guard !isCopyWithoutName else {
                throw .location("\(known.name) is the original; give the copy another name")
            }
            guard isOurs, !claim.takesNewIdentity else { return .divergedFrom(known) }
            try update(known, claim)
            return .known(known)
        }
    }

    /// Registers a store that is no longer the one that was delivered, as another generation of
    /// it, from an exchange number on.
    package func fork(
        _ claim: Claim, from known: ShipperState, throughID: Int64
    ) throws(CentralError) -> ShipperState {
        try connection.transaction { () throws(CentralError) in
            try lock()
            let generation =
                try connection.first(
                    "SELECT max(generation)::bigint + 1 FROM shipper WHERE store_id = $1",
                    [.bytes(claim.storeID)]
                ) { $0.integer(0) } ?? 2
            // A restored store keeps its name, with the generation; a copy has one of its own.
            let isCopy = claim.takesNewIdentity && claim.name != known.baseName
            let name =
                isCopy
                ? (base: claim.name, whole: claim.name)
                : (base: known.baseName, whole: "\(known.baseName).\(generation)")
            return try insert(
                claim, name: name, generation: generation, throughID: throughID,
                openIDs: isCopy ? [] : known.openIDs.filter { $0 <= throughID })
        }
    }

    /// Who delivered which numbers of a store, the latest first: each all numbers after one.
    package func lineage(of state: ShipperState) throws(CentralError) -> ShipperLineage {
        let generations = try connection.rows(
            """
            SELECT no, forked_after FROM shipper
            WHERE (store_id, base_name) =
              (SELECT store_id, base_name FROM shipper WHERE no = $1::bigint)
            ORDER BY generation DESC
            """, [.integer(state.number)]
        ) { row in
            row.integer(0).map {
                ShipperLineage.Generation(shipper: $0, after: row.integer(1) ?? 0)
            }
        }
        return ShipperLineage(generations)
    }

    private func lock() throws(CentralError) {
        try connection.run("SELECT pg_advisory_xact_lock(hashtext(current_schema() || '.shipper'))")
    }

    private func insert(
        _ claim: Claim, name: (base: String, whole: String), generation: Int64, throughID: Int64,
        openIDs: [Int64] = []
    ) throws(CentralError) -> ShipperState {
        guard try !isTaken(name.whole) else {
            throw .location("the name \(name.whole) belongs to another store; choose another name")
        }
        let state = try connection.first(
            """
            INSERT INTO shipper (no, name, store_id, generation, fingerprint, mark, previous_mark,
              through_id, marked_through, forked_after, open_ids, retention_age_days,
              base_name)
            SELECT coalesce(max(no), 0) + 1, $1, $2, $3::bigint, $4, $5, $5, $6, $6, $6, $8,
              $7::bigint, $9
            FROM shipper RETURNING \(ShipperState.columns)
            """,
            [
                .text(name.whole), .bytes(claim.storeID), .integer(generation),
                .text(claim.fingerprint), .integer(claim.newMark), .integer(throughID),
                CentralValue(claim.retentionAgeDays), .integers(openIDs),
                .text(name.base),
            ], ShipperState.init)
        guard let state else { throw .connection("the server returned no row") }
        return state
    }

    private func isTaken(_ name: String) throws(CentralError) -> Bool {
        try connection.first("SELECT 1::bigint FROM shipper WHERE name = $1", [.text(name)]) {
            $0.integer(0)
        } != nil
    }

    private func update(_ known: ShipperState, _ claim: Claim) throws(CentralError) {
        try connection.run(
            """
            UPDATE shipper SET mark = $2, previous_mark = $3, marked_through = through_id,
              seen_at = now(), retention_age_days = $4::bigint
            WHERE no = $1::bigint
            """,
            [
                .integer(known.number), .integer(claim.newMark),
                CentralValue(claim.mark ?? known.mark), CentralValue(claim.retentionAgeDays),
            ])
    }
}

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

/// Which shipper delivered which numbers of a store. A store that was restored from a backup
/// continues as another shipper, because it uses numbers again.
package struct ShipperLineage: Sendable, Hashable {
    /// A shipper, and the number after which numbers are its own.
    package struct Generation: Sendable, Hashable {
        package let shipper: Int64
        /// The last number that an earlier shipper delivered.
        package let after: Int64

        package init(shipper: Int64, after: Int64) {
            self.shipper = shipper
            self.after = after
        }
    }

    private let generations: [Generation]

    /// The latest generation comes first.
    package init(_ generations: [Generation]) { self.generations = generations }

    var current: Int64 { generations.first?.shipper ?? 0 }

    func shipper(of number: Int64) -> Int64 {
        generations.first { number > $0.after }?.shipper ?? generations.last?.shipper ?? 0
    }

    package func id(of number: Int64) -> Int64 {
        CentralID.id(shipper: shipper(of: number), number: number)
    }

    /// The ranges in the central store of a range of numbers.
    func ids(of numbers: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        var last = numbers.upperBound
        for generation in generations where last >= numbers.lowerBound {
            let isOldest = generation == generations.last
            let first =
                isOldest ? numbers.lowerBound : max(numbers.lowerBound, generation.after + 1)
            guard first <= last else { continue }
            ranges.append(
                CentralID.id(
                    shipper: generation.shipper, number: first)...CentralID.id(
                        shipper: generation.shipper, number: last))
            last = first - 1
        }
        return ranges
    }
}

/// How one number names an exchange among all stores: the shipper's number, then the number in its
/// store. The latter stay below 2^34, which leaves 29 bits for shippers.
package enum CentralID {
    /// The bits of the number in the shipper's own store.
    package static let numberBits = ExchangeName.numberBits
    package static let numberMask: Int64 = 1 << numberBits - 1
    package static let shipperNumbers: Range<Int64> = 1..<(1 << 29)

    package static func id(shipper: Int64, number: Int64) -> Int64 {
        shipper << numberBits | (number & numberMask)
    }

    package static func shipper(of id: Int64) -> Int64 { id >> numberBits }

    package static func number(of id: Int64) -> Int64 { id & numberMask }
}
