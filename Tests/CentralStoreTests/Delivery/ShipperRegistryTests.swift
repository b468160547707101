import Testing

@testable import ProxydCentralStore

/// Who a store is delivered as.
@Suite struct ShipperRegistryTests {
    private let connection = ScriptedConnection()
    private var registry: ShipperRegistry { ShipperRegistry(connection) }

    private func claim(
        name: String = "ci-1", mark: Int64? = 7, lastNumber: Int64 = 10,
        fingerprint: String = "machine:a", takesNewIdentity: Bool = false
    ) -> ShipperRegistry.Claim {
        ShipperRegistry.Claim(
            name: name, storeID: [1, 2], mark: mark, lastNumber: lastNumber, newMark: 8,
            fingerprint: fingerprint, retentionAgeDays: 30, takesNewIdentity: takesNewIdentity)
    }

    /// The central store knows the shipper, and makes rows of others.
    private func know(_ known: KnownShipper) {
        connection.answer("WHERE store_id = $1\nORDER BY", .rows(known.row))
        connection.answer("INSERT INTO shipper", .rows(KnownShipper(number: 2).row))
    }

    /// The state of a shipper that goes on; nil if its store diverged.
    private func register(_ claim: ShipperRegistry.Claim) throws -> ShipperState? {
        switch try registry.register(claim) {
        case .known(let state): state
        case .divergedFrom: nil
        }
    }

    private func location(_ claim: ShipperRegistry.Claim) throws -> String {
        let error = #expect(throws: CentralError.self) { try registry.register(claim) }
        #expect(connection.outline.last == "ROLLBACK")
        #expect(connection.requests.allSatisfy { $0.outline != "UPDATE shipper" })
        guard case .location(let message)? = error else {
            Issue.record("\(String(describing: error))")
            return ""
        }
        return message
    }

    // MARK: The first time

    @Test func `a store that was never delivered is registered as a new shipper`() throws {
        connection.answer("INSERT INTO shipper", .rows(KnownShipper(number: 2).row))
        #expect(try register(claim(mark: nil))?.number == 2)
        #expect(
            connection.outline == [
                "BEGIN", "SELECT pg_advisory_xact_lock", "SELECT no", "SELECT 1::bigint",
                "INSERT INTO shipper", "COMMIT",
            ])
        #expect(connection.arguments(of: "SELECT no") == [[.bytes([1, 2]), .text("ci-1")]])
        let inserted: [CentralValue] = [
            .text("ci-1"), .bytes([1, 2]), .integer(1), .text("machine:a"), .integer(8),
            .integer(0), .integer(30), .integers([]), .text("ci-1"),
        ]
        #expect(connection.arguments(of: "INSERT INTO shipper") == [inserted])
    }

    @Test func `registering a store under the name of another store is rejected`() throws {
        connection.answer("SELECT 1::bigint FROM shipper", .rows([.integer(1)]))
        #expect(
            try location(claim(mark: nil))
                == "the name ci-1 belongs to another store; choose another name")
        #expect(connection.arguments(of: "SELECT 1::bigint") == [[.text("ci-1")]])
        #expect(connection.arguments(of: "INSERT INTO shipper") == [])
    }

    @Test func `registering a shipper fails if the insertion returns no row`() {
        let error = #expect(throws: CentralError.self) { try registry.register(claim()) }
        #expect(error?.remedy == .wait)
        #expect(connection.outline.last == "ROLLBACK")
    }

    // MARK: The next time

    @Test(
        arguments: [
            // The mark that was drawn last, and numbers that were not used again.
            (7, 10, 4, true), (7, 11, 4, true), (7, 9, 4, false),
            // The one before: nothing was delivered since the last was drawn.
            (6, 10, 10, true), (6, 10, 9, false), (6, 9, 10, false),
            // Another, or none.
            (5, 10, 10, false), (nil, 10, 10, false),
        ] as [(Int64?, Int64, Int64, Bool)])
    func `delivery resumes if the store's delivery mark and last number match what was delivered`(
        mark: Int64?, lastNumber: Int64, markedThrough: Int64, goesOn: Bool
    ) throws {
        let known = KnownShipper(markedThrough: markedThrough, throughID: 10)
        know(known)
        let state = try register(claim(mark: mark, lastNumber: lastNumber))
        let unchanged = try known.state()
        #expect(state == (goesOn ? unchanged : nil))
        let drawn: [CentralValue] = [
            .integer(1), .integer(8), CentralValue(mark), .integer(30),
        ]
        #expect(connection.arguments(of: "UPDATE shipper") == (goesOn ? [drawn] : []))
        #expect(connection.outline.last == "COMMIT")
        #expect(connection.arguments(of: "INSERT INTO shipper") == [])
    }

    @Test(arguments: [(10, 10, true), (10, 11, false), (0, 0, true)] as [(Int64, Int64, Bool)])
    func `delivery of a store without a delivery mark resumes if nothing was delivered from it`(
        forkedAfter: Int64, throughID: Int64, goesOn: Bool
    ) throws {
        know(KnownShipper(forkedAfter: forkedAfter, throughID: throughID))
        // Its numbers may be fewer than those it shares with the original.
        let state = try register(claim(mark: nil, lastNumber: 3))
        #expect((state != nil) == goesOn)
        // The mark before is that of the registration.
        let drawn: [CentralValue] = [.integer(1), .integer(8), .integer(7), .integer(30)]
        #expect(connection.arguments(of: "UPDATE shipper") == (goesOn ? [drawn] : []))
    }

    // MARK: Copies

    @Test
    func `a store that was delivered from another machine is rejected even if its mark matches`()
        throws
    {
        know(KnownShipper(name: "ci-1.2"))
        #expect(
            try location(claim(name: "ci-2", fingerprint: "machine:b"))
                == "the store was delivered from another machine as ci-1.2; if this is a copy, "
                + "give it a name of its own and start proxyship --new-identity once")
    }

    @Test func `a copied store with the name of the original is rejected`() throws {
        know(KnownShipper(name: "ci-1.2"))
        let copy = claim(fingerprint: "machine:b", takesNewIdentity: true)
        #expect(
            try location(copy) == "ci-1.2 is the original; give the copy another name")
    }

    @Test(arguments: ["machine:a", "machine:b"])
    func `a copied store that has a name of its own is treated as a separate store`(
        fingerprint: String
    ) throws {
        know(KnownShipper(throughID: 10))
        let copy = claim(name: "ci-2", fingerprint: fingerprint, takesNewIdentity: true)
        #expect(try register(copy) == nil)
        #expect(connection.arguments(of: "UPDATE shipper") == [])
        #expect(connection.outline.last == "COMMIT")
    }

    // MARK: Another generation

    @Test
    func `a restored store is registered under the same name with the next generation number`()
        throws
    {
        know(KnownShipper())
        connection.answer("max(generation)", .rows([.integer(3)]))
        let known = try KnownShipper(
            name: "ci-1.2", throughID: 40, openIDs: [3, 20, 21]
        ).state()
        #expect(try registry.fork(claim(), from: known, throughID: 20).number == 2)
        let inserted: [CentralValue] = [
            .text("ci-1.3"), .bytes([1, 2]), .integer(3), .text("machine:a"), .integer(8),
            .integer(20), .integer(30), .integers([3, 20]), .text("ci-1"),
        ]
        #expect(connection.arguments(of: "INSERT INTO shipper") == [inserted])
        #expect(
            connection.outline.prefix(2) == ["BEGIN", "SELECT pg_advisory_xact_lock"])
        #expect(connection.outline.last == "COMMIT")
    }

    @Test func `a copied store is registered under its new name and starts without open exchanges`()
        throws
    {
        know(KnownShipper())
        connection.answer("max(generation)", .rows([.integer(2)]))
        let known = try KnownShipper(throughID: 40, openIDs: [3]).state()
        let copy = claim(name: "ci-2", fingerprint: "machine:b", takesNewIdentity: true)
        _ = try registry.fork(copy, from: known, throughID: 40)
        let inserted: [CentralValue] = [
            .text("ci-2"), .bytes([1, 2]), .integer(2), .text("machine:b"), .integer(8),
            .integer(40), .integer(30), .integers([]), .text("ci-2"),
        ]
        #expect(connection.arguments(of: "INSERT INTO shipper") == [inserted])
    }

    @Test
    func `a store cannot start a new generation under a name that belongs to another store`()
        throws
    {
        connection.answer("max(generation)", .rows([.integer(2)]))
        connection.answer("SELECT 1::bigint FROM shipper", .rows([.integer(1)]))
        let known = try KnownShipper().state()
        let error = #expect(throws: CentralError.self) {
            try registry.fork(claim(), from: known, throughID: 0)
        }
        let message = "the name ci-1.2 belongs to another store; choose another name"
        #expect(error == .location(message))
        #expect(connection.outline.last == "ROLLBACK")
    }

    @Test func `a shipper's lineage lists the generations of its name, latest first`() throws {
        connection.answer(
            "forked_after FROM shipper", .rows([.integer(6), .integer(20)], [.integer(1), .null]))
        let lineage = try registry.lineage(of: KnownShipper(number: 6).state())
        #expect(connection.requests.last?.arguments == [.integer(6)])
        #expect(connection.requests.last?.sql.hasSuffix("ORDER BY generation DESC") == true)
        #expect(lineage.id(of: 21) == centralNumber(6, 21))
        #expect(lineage.id(of: 20) == centralNumber(1, 20))
    }
}

/// What the central store knows of a shipper.
@Suite struct ShipperStateTests {
    @Test func `each value of a shipper's row is decoded from the right column`() throws {
        let known = KnownShipper(
            number: 3, name: "ci-1.2", baseName: "ci-1", fingerprint: "machine:b", mark: 1,
            previousMark: 2, markedThrough: 4, forkedAfter: 5, throughID: 9, openIDs: [6, 8],
            changeSequence: 11)
        let state = try known.state()
        #expect(state.number == 3 && state.name == "ci-1.2" && state.baseName == "ci-1")
        #expect(state.fingerprint == "machine:b")
        #expect(state.mark == 1 && state.previousMark == 2)
        #expect(state.markedThrough == 4 && state.forkedAfter == 5)
        #expect(state.throughID == 9 && state.openIDs == [6, 8])
        #expect(state.changeSequence == 11)
        #expect(state.delivered == 100 && state.skipped == 200)
        let columns = ShipperState.columns.split(separator: ", ").map { String($0) }
        let expected = [
            "no", "name", "fingerprint", "mark", "previous_mark", "through_id", "open_ids",
            "change_sequence", "delivered", "skipped", "marked_through", "base_name",
            "forked_after",
        ]
        #expect(columns == expected)
        let table = try TableDefinition("shipper")
        #expect(Set(expected).subtracting(table.types.keys) == [])
    }

    @Test func `a row of the shipper table is rejected if its number or name is NULL`() {
        let row = KnownShipper().row
        for index in 0...1 {
            var values = row
            values[index] = .null
            #expect(ShipperState(ScriptedConnection.row(values)) == nil)
        }
    }

    @Test func `an empty delivery batch leaves the shipper's cursor unchanged`() throws {
        let state = try KnownShipper(throughID: 9, openIDs: [6, 8], changeSequence: 11).state()
        let batch = DeliveryBatch(after: state)
        #expect(batch.throughID == 9 && batch.openIDs == [6, 8] && batch.changeSequence == 11)
        #expect(batch.exchanges.isEmpty && batch.removals.isEmpty && batch.skipped == 0)
    }
}

/// One number for the number of a store and that of an exchange in it.
@Suite struct CentralIDTests {
    @Test(
        arguments: [
            (1, 0, 17_179_869_184), (1, 1, 17_179_869_185), (2, 4_711, 34_359_743_079),
            (0, 7, 7), (1, 17_179_869_183, 34_359_738_367),
            (536_870_911, 17_179_869_183, .max),
        ] as [(Int64, Int64, Int64)])
    func `a central exchange ID has the shipper's number above the lowest 34 bits`(
        shipper: Int64, number: Int64, id: Int64
    ) {
        #expect(CentralID.id(shipper: shipper, number: number) == id)
        #expect(CentralID.shipper(of: id) == shipper)
        #expect(CentralID.number(of: id) == number)
    }

    @Test func `an out-of-range exchange number never changes the shipper in a central ID`() {
        for number in [Int64.max, 17_179_869_184, 1_099_511_627_781, -1, .min] {
            let id = CentralID.id(shipper: 3, number: number)
            #expect(CentralID.shipper(of: id) == 3, "\(number)")
            #expect(id > 0, "\(number)")
        }
    }

    /// The table `shipper` has the same bounds.
    @Test func `valid shipper numbers are 1 to 536,870,911`() {
        #expect(CentralID.shipperNumbers == 1..<536_870_912)
        #expect(CentralID.numberMask == 17_179_869_183)
    }
}
