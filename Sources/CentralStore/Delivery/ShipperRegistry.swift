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
            name: String, storeID: [UInt8], mark: Int64?, newMark: Int64, fingerprint: String,
            retentionAgeDays: Int64?, takesNewIdentity: Bool
        ) {
            self.name = name
            self.storeID = storeID
            self.mark = mark
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

    /// Returns the state of a store's latest shipper, or nil if it was never delivered.
    package func state(storeID: [UInt8]) throws(CentralError) -> ShipperState? {
        try connection.first(
            """
            SELECT \(ShipperState.columns) FROM shipper WHERE store_id = $1
            ORDER BY generation DESC LIMIT 1
            """, [.octets(storeID)], ShipperState.init)
    }

    /// Registers a shipper that starts.
    package func register(_ claim: Claim) throws(CentralError) -> Finding {
        try connection.transaction { () throws(CentralError) in
            try lock()
            guard let known = try state(storeID: claim.storeID) else {
                return .known(try insert(claim, name: claim.name, generation: 1, throughID: 0))
            }
            let isOurs = claim.mark == known.mark || claim.mark == known.previousMark
            guard claim.fingerprint == known.fingerprint || claim.takesNewIdentity else {
                throw .location(
                    "the store was delivered from another machine as \(known.name); if this is a "
                        + "copy, give it a name of its own and start proxyship --new-identity once")
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
            let generation = try connection.first(
                "SELECT max(generation)::bigint + 1 FROM shipper WHERE store_id = $1",
                [.octets(claim.storeID)]
            ) { $0.integer(0) } ?? 2
            let name = claim.name == known.name ? "\(claim.name).\(generation)" : claim.name
            return try insert(claim, name: name, generation: generation, throughID: throughID)
        }
    }

    private func lock() throws(CentralError) {
        try connection.run(
            "SELECT pg_advisory_xact_lock(hashtext(current_schema() || '.shipper'))")
    }

    private func insert(
        _ claim: Claim, name: String, generation: Int64, throughID: Int64
    ) throws(CentralError) -> ShipperState {
        guard try !isTaken(name) else {
            throw .location("the name \(name) belongs to another store; choose another name")
        }
        let state = try connection.first(
            """
            INSERT INTO shipper (no, name, store_id, generation, fingerprint, mark, previous_mark,
              through_id, retention_age_days)
            SELECT coalesce(max(no), 0) + 1, $1, $2, $3::bigint, $4, $5, $5, $6, $7::bigint
            FROM shipper RETURNING \(ShipperState.columns)
            """,
            [
                .text(name), .octets(claim.storeID), .integer(generation),
                .text(claim.fingerprint), .integer(claim.newMark), .integer(throughID),
                CentralValue(claim.retentionAgeDays),
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
            UPDATE shipper SET mark = $2, previous_mark = $3, seen_at = now(),
              retention_age_days = $4::bigint
            WHERE no = $1::bigint
            """,
            [
                .integer(known.number), .integer(claim.newMark),
                CentralValue(claim.mark ?? known.mark), CentralValue(claim.retentionAgeDays),
            ])
    }
}
