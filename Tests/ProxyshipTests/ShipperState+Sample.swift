@testable import ProxydCentralStore
import Testing

extension CentralRow {
    /// A row as the server returns it for some values.
    init(_ values: [CentralValue]) {
        self.init(
            columns: values.map { CentralRow.Column(name: "", type: $0.typeNumber) },
            values: values.map(\.encoded))
    }
}

extension ShipperState {
    /// A shipper that has come this far.
    static func sample(
        through: Int64 = 0, open: [Int64] = [], changes: Int64 = 0
    ) throws -> ShipperState {
        let row = CentralRow([
            .integer(1), .text("ci-1"), .text("machine:x"), .integer(7), .integer(6),
            .integer(through), .integers(open), .integer(changes), .integer(0), .integer(0),
            .integer(through), .text("ci-1"), .integer(0),
        ])
        return try #require(ShipperState(row))
    }
}
