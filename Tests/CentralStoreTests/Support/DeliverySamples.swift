import ProxydHTTPModel
import ProxydCaptureModel
import Testing

@testable import ProxydCentralStore

/// 2025-11-21T08:00:00.123456789Z, in the units that are used.
enum SampleTime {
    /// Since 1970.
    static let startedNs: Int64 = 1_763_712_000_123_456_789
    /// In microseconds since 2000.
    static let startedAt: Int64 = 817_027_200_123_456
    /// The day since 2000, and its midnight.
    static let day: Int64 = 9_456
    static let midnight: Int64 = 816_998_400_000_000
    static let dayNs: Int64 = 86_400_000_000_000
}

/// A number in the central store: that of the shipper times 2^34, plus that in its store.
func centralNumber(_ shipper: Int64, _ number: Int64) -> Int64 {
    shipper * 17_179_869_184 + number
}

/// A shipper as the central store knows it.
struct KnownShipper {
    var number: Int64 = 1
    var name = "ci-1"
    var baseName = "ci-1"
    var fingerprint = "machine:a"
    var mark: Int64 = 7
    var previousMark: Int64 = 6
    var markedThrough: Int64 = 0
    var forkedAfter: Int64 = 0
    var throughID: Int64 = 0
    var openIDs: [Int64] = []
    var changeSequence: Int64 = 0

    /// Its row in the order of `ShipperState.columns`, with the types of the table.
    var row: [CentralValue] {
        [
            .encoded(type: 23, [0, 0, 0, UInt8(number)]), .text(name), .text(fingerprint),
            .integer(mark), .integer(previousMark), .integer(throughID), .integers(openIDs),
            .integer(changeSequence), .integer(100), .integer(200), .integer(markedThrough),
            .text(baseName), .integer(forkedAfter),
        ]
    }

    func state() throws -> ShipperState {
        try #require(ShipperState(ScriptedConnection.row(row)))
    }
}

extension StoredRecord {
    /// An exchange that has ended, with the values that every one has.
    static func sample(
        _ number: Int64, startedNs: Int64 = SampleTime.startedNs
    ) -> StoredRecord {
        var record = StoredRecord(
            values: Array(repeating: SQLValue.null, count: StoredRecord.Column.allCases.count),
            heads: Array(repeating: SQLValue.null, count: StoredHeads.columns.count))
        record[.id] = .integer(number)
        record[.startedNs] = .integer(startedNs)
        record[.state] = .integer(1)
        record[.flags] = .integer(6)
        record[.headFormat] = .integer(0)
        return record
    }
}

extension DeliveredExchange {
    /// An exchange some days after the others, over a connection to a server.
    static func sample(
        _ number: Int64, daysLater: Int64 = 0, server: ConnectionRecord? = nil
    ) -> DeliveredExchange {
        let startedNs = SampleTime.startedNs + daysLater * SampleTime.dayNs
        var exchange = DeliveredExchange(StoredRecord.sample(number, startedNs: startedNs))
        exchange.server = server
        return exchange
    }
}

extension ConnectionRecord {
    /// A connection to a server, by TLS if the server has certificates.
    static func sample(_ number: Int64, chain: [[UInt8]] = []) -> ConnectionRecord {
        var record = ConnectionRecord(
            id: ConnectionID(rawValue: number), side: .server, openedAt: 5,
            peerAddress: "10.0.0.1:443", localAddress: "10.0.0.2:50000")
        if !chain.isEmpty {
            record.security = Security(
                version: "TLSv1.3", cipher: "AES", alpn: nil, serverName: nil,
                peerCertificates: chain)
        }
        return record
    }
}
