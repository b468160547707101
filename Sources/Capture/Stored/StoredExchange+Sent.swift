internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// What was forwarded if it differs from what was received, and what rules did.
extension StoredExchange {
    /// The response, if there is one. If a rule answered instead of a server, it is the response
    /// that the client received.
    static func response(
        of id: Int64, _ heads: Heads, byteCount: Int64, _ byteCountMax: Int,
        _ database: SQLiteConnection
    ) throws(StoreError) -> Response? {
        let sentHead = heads.sentResponseHead
        guard let head = heads.responseHead ?? sentHead else { return nil }
        let octets = try StoredBody.octets(
            of: id, .response, database, byteCountMax: byteCountMax)
        var response = Response(
            head: head, body: Body(byteCount: byteCount, kept: octets),
            trailers: heads.responseTrailers)
        let sent = try sentBody(
            of: id, .responseSent, sentHead?.fields, byteCountMax, database)
        guard heads.responseHead != nil else {
            response.body = sent ?? response.body
            return response
        }
        response.sentHead = sentHead
        response.sentBody = sent
        return response
    }

    /// A body as forwarded, or nil if it is the one received. No column stores its length: if only
    /// the start was stored, its head gives the length.
    static func sentBody(
        of id: Int64, _ part: BodyPart, _ fields: HeaderFields?, _ byteCountMax: Int,
        _ database: SQLiteConnection
    ) throws(StoreError) -> Body? {
        guard try !StoredBody.pieces(id, part, from: 0, count: 1, database).isEmpty else {
            return nil
        }
        let kept = try StoredBody.octets(of: id, part, database, byteCountMax: byteCountMax)
        let told = fields?.value(.contentLength).flatMap { Int64($0) } ?? 0
        let byteCount = max(Int64(kept.count), told <= Body.byteCountMax ? told : 0)
        return Body(byteCount: byteCount, kept: kept)
    }

    static func appliedRules(
        of id: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> [AppliedRule] {
        try database.rows(
            """
            SELECT rule, phase, outcome, detail FROM applied_rule WHERE exchange_id = ?
            ORDER BY position
            """, [.integer(id)], appliedRule
        ).compactMap { $0 }
    }

    private static func appliedRule(_ row: SQLiteRow) -> AppliedRule? {
        guard let rule = row.text(0),
            let phase = row.text(1).flatMap(AppliedRule.Phase.init(rawValue:))
        else { return nil }
        return AppliedRule(
            rule: rule, phase: phase, outcome: row.text(2) ?? "", detail: row.text(3))
    }
}
