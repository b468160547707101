import Foundation

/// The messages of one exchange as the store has them: where they are in its bodies.
struct StoredMessageRanges {
    struct Message {
        let isToServer: Bool
        let kind: Int
        let flags: Int
        let problem: String?
        let bytes: Data
    }

    let messages: [Message]

    init(_ proxy: Daemon, _ row: Row) throws {
        let id = String(row.int("id") ?? 0)
        let bodies = try ["request", "response"].map {
            try proxy.proxyctl(["show", id, "--body", "--part", $0]).output
        }
        let rows = try proxy.proxyctl([
            "sql", "--json",
            """
            SELECT direction, kind, flags, problem, bytes, body_offset FROM message \
            WHERE key >> 28 = \(id) ORDER BY key
            """,
        ])
        messages = try rows.text.split(separator: "\n").map { line in
            let row = try Row(json: String(line))
            let isToServer = row.int("direction") == 0
            let body = bodies[isToServer ? 0 : 1]
            let start = row.int("body_offset") ?? 0
            return Message(
                isToServer: isToServer, kind: row.int("kind") ?? 0, flags: row.int("flags") ?? 0,
                problem: row.text("problem"),
                bytes: Data(body.dropFirst(start).prefix(row.int("bytes") ?? 0)))
        }
    }

    var sent: [Data] { messages.filter(\.isToServer).map(\.bytes) }
    var got: [Data] { messages.filter { !$0.isToServer }.map(\.bytes) }
}
