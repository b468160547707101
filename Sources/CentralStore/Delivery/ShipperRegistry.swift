/// Finds or makes the row of a shipper.
package struct ShipperRegistry {
    /// What a shipper says about itself.
    package struct Claim: Sendable {
        /// The configured name.
        package var name: String
        /// The identity of its store.
        package var storeID: [UInt8]
        /// The mark that its store has, or nil if it was never delivered.
        package var mark: Int64?
        /// The highest number that its store ever gave to an exchange. A lower one than was
        /// delivered shows that the store was restored from a backup.
        package var lastNumber: Int64
        /// The mark it draws now.
        package var newMark: Int64
        /// Which machine it runs on.
        package var fingerprint: String
        /// How long the team keeps exchanges, as far as this shipper is concerned.
        package var retentionAgeDays: Int64?
        /// Whether a copied store is to count as a store of its own.
        package var takesNewIdentity: Bool

        /// Creates a claim.
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

    /// What the central store makes of a claim.
    package enum Finding: Sendable {
        /// The shipper goes on where it was, or starts.
        case known(ShipperState)
        /// The store is an older state of the one that was delivered: it was restored from a
        /// backup, or copied.
        case divergedFrom(ShipperState)
    }

    private let connection: any CentralConnection

    /// Creates a registry.
    package init(_ connection: any CentralConnection) { self.connection = connection }

    /// Returns the state of a store's latest shipper, or nil if it was never delivered. A copy of
    /// the store that counts as its own has the same identity, but another name.
    package func state(
        storeID: [UInt8], name: String
    ) throws(CentralError) -> ShipperState? {
        try connection.first(
            """
            SELECT \(ShipperState.columns) FROM shipper WHERE store_id = $1
            ORDER BY base_name = $2 DESC, generation DESC LIMIT 1
            """, [.bytes(storeID), .text(name)], ShipperState.init)
    }

    /// Registers a shipper that starts.
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
        try connection.run(
            "SELECT pg_advisory_xact_lock(hashtext(current_schema() || '.shipper'))")
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
