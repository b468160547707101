import Testing

@testable import ProxydCentralStore

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

    @Test func `a row of the table shipper is rejected if its number or its name is NULL`() {
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
