import Foundation
import GRDB
import ProxydFilter
import ProxydTestSupport

@testable import Capture

extension FilterRow {
    /// Writes the row into a database of the store's schema.
    func insert(into database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO exchange (id, started_ns, state, method, scheme, host, port, path,
                  query, status, request_type, response_type, request_body_bytes,
                  request_kept_bytes, response_body_bytes, response_kept_bytes, duration_ns,
                  timeline, client_connection_id, server_connection_id, error_origin, error_kind,
                  error, upgraded_to, replay_of, head_format, flags)
                VALUES (\(Array(repeating: "?", count: 27).joined(separator: ",")))
                """,
            arguments: exchangeArguments)
        try insertConnections(into: database)
        for (index, tag) in tags.enumerated() {
            try database.execute(
                sql: "INSERT INTO tag VALUES (?, ?, ?)", arguments: [id, index, tag])
        }
        for (index, parameter) in parameters.enumerated() {
            try database.execute(
                sql: "INSERT INTO parameter VALUES (?, 'query', ?, ?, ?)",
                arguments: [id, index, parameter.name, parameter.value])
        }
        if texts[.refused] != nil || texts[.repaired] != nil {
            try database.execute(
                sql: "INSERT INTO response_fault VALUES (?, NULL, ?, ?)",
                arguments: [id, texts[.refused], texts[.repaired]])
        }
        if texts[.note] != nil || numbers[.pinned] != nil {
            try database.execute(
                sql: "INSERT INTO annotation VALUES (?, ?, ?)",
                arguments: [id, texts[.note], numbers[.pinned] ?? 0])
        }
    }

    private var exchangeArguments: StatementArguments {
        // "upstream certificate: …", as ExchangeFailure writes it.
        let error = texts[.error].map { text in
            text.unicodeScalars.split(
                separator: " ", maxSplits: 2, omittingEmptySubsequences: false
            )
            .map { String($0) }
        }
        let states = ["active", "complete", "failed", "tunnel"]
        return [
            id, numbers[.started], texts[.state].flatMap { states.firstIndex(of: $0) },
            texts[.method], texts[.scheme], texts[.host], numbers[.port], texts[.path],
            texts[.query], numbers[.status], texts[.requestType], texts[.responseType],
            numbers[.requestSize], bodies[.request]?.count ?? 0, numbers[.responseSize],
            bodies[.response]?.count ?? 0, numbers[.duration], [UInt8]().databaseValue,
            texts[.client].map { _ in id * 2 }, texts[.server].map { _ in id * 2 + 1 },
            error?[0], error.map { String($0[1].dropLast()) }, error?[2], texts[.upgradedTo],
            numbers[.replayOf], 0, 0,
        ]
    }

    private func insertConnections(into database: Database) throws {
        for (column, number) in [(FilterTextColumn.client, id * 2), (.server, id * 2 + 1)] {
            guard let address = texts[column] else { continue }
            try database.execute(
                sql: """
                    INSERT INTO connection
                      (id, side, opened_ns, peer_address, local_address, process)
                    VALUES (?, ?, 0, ?, '', ?)
                    """,
                arguments: [
                    number, column == .client ? "client" : "server", address,
                    column == .client ? texts[.process] : nil,
                ])
        }
    }
}

extension [UInt8] {
    /// As a BLOB.
    fileprivate var databaseValue: DatabaseValue { Data(self).databaseValue }
}
