/// Columns that a central store may have beside those of its version.
///
/// They are added by the store's owner, with `proxyship upgrade`, while older programs go on: those
/// neither read nor write them, so that what they deliver has NULL there. A change that older
/// programs could not live with gets a new version instead, which they refuse.
package struct CentralAdditions: Sendable, Hashable {
    /// How many sets of columns have been added; 0 for a store that 0.2.0 made.
    package let count: Int64

    /// All additions that this program knows.
    package static let all = CentralAdditions(count: Int64(migrations.count))
    /// None, as 0.2.0 made stores.
    package static let none = CentralAdditions(count: 0)

    /// Whether nothing that this program knows is missing.
    var isWhole: Bool { count >= CentralAdditions.all.count }
    /// Whether the store has `received_status`, `received_body_bytes` and the times of holds.
    var hasReceivedStatus: Bool { count >= 1 }

    /// As JSON, because the column itself is missing before the first addition.
    static let question = "SELECT (to_jsonb(v) ->> 'additions')::integer FROM store_version v"

    /// Reads which additions the store has that comes first in the search path.
    package init(of connection: any CentralConnection) throws(CentralError) {
        let found = try connection.first(CentralAdditions.question) { $0.integer(0) }
        self.init(count: found ?? 0)
    }

    private init(count: Int64) { self.count = count }

    /// Brings a store without any addition to the first, then each to the next.
    private static let migrations = [
        """
        ALTER TABLE exchange ADD COLUMN received_status integer;
        ALTER TABLE exchange ADD COLUMN received_body_bytes bigint;
        ALTER TABLE exchange ADD COLUMN held_ns bigint;
        ALTER TABLE applied_rule ADD COLUMN hold_start_ns bigint;
        ALTER TABLE applied_rule ADD COLUMN hold_ns bigint;
        \(CentralViews.exchanges(replacing: true, hasReceivedStatus: true))
        \(CentralSchema.makeDay("CREATE OR REPLACE"))
        """
    ]

    /// The SQL that makes the additions that a store lacks; empty if it has all. New columns are
    /// NULL in the rows that are there, so that it takes no longer for a full store.
    package static func sql(after found: CentralAdditions) -> String {
        let missing = migrations.dropFirst(Int(clamping: max(0, found.count)))
        guard !missing.isEmpty else { return "" }
        return """
            ALTER TABLE store_version
              ADD COLUMN IF NOT EXISTS additions integer NOT NULL DEFAULT 0;
            \(missing.joined(separator: "\n"))
            UPDATE store_version SET additions = \(all.count);

            """
    }

    /// The text of a statement as this store can run it: columns that it lacks are NULL.
    func readable(_ sql: String) -> String {
        guard !hasReceivedStatus else { return sql }
        let lacking = [
            "exchange.received_status": "NULL::integer",
            "exchange.received_body_bytes": "NULL::bigint",
            "exchange.held_ns": "NULL::bigint",
            "applied_rule.hold_start_ns": "NULL::bigint",
            "applied_rule.hold_ns": "NULL::bigint",
        ]
        return lacking.reduce(sql) { $0.replacing($1.key, with: $1.value) }
    }
}
