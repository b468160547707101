@testable import ProxydCentralStore

/// Rows in the columns that the reader selects.
enum SelectedRow {
    /// The shippers 1 and 2.
    static let names = ScriptedConnection.Reply.rows(
        [.integer(1), .text("ci-1")], [.integer(2), .text("ci-2")])

    /// A row of lists that started some microseconds after 2000.
    static func list(
        _ id: Int64, at startedAt: Int64 = 0, state: UInt8 = 1, durationNs: Int64? = nil
    ) -> [CentralValue] {
        var values = [CentralValue](repeating: .null, count: 43)
        values[0] = .integer(id)
        values[1] = .text("GET")
        values[3] = .text("a.test")
        values[10] = .integer(7)
        values[11] = CentralValue(durationNs)
        values[12] = .integer(0)
        values[13] = .integer(0)
        values[14] = .integer(0)
        values[15] = .integer(0)
        values[24] = .encoded(type: 21, [0, state])
        values[27] = .text("[]")
        values[29] = .boolean(false)
        values[42] = .timestamp(startedAt)
        return values
    }
}

extension ScriptedConnection {
    /// The statements that read rows of lists, from WHERE on.
    var rowConditions: [String] {
        requests.filter { $0.sql.hasPrefix(CentralReader.rowSQL) }.map { request in
            let rest = request.sql.dropFirst(CentralReader.rowSQL.count)
            return String(rest.hasPrefix(" WHERE ") ? rest.dropFirst(7) : rest)
        }
    }
}
