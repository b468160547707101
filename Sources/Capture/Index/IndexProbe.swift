internal import ProxydFilter
internal import ProxydCaptureModel

/// A query that the index file can answer: which exchanges may pass one test.
struct IndexProbe: Sendable, Hashable {
    /// A `SELECT exchange_id …` on the attached file; it may return too many rows, but never too
    /// few.
    let sql: String
    let arguments: [SQLValue]

    /// The probes for tests that every matching exchange must pass.
    static func probes(for tests: [FilterTest]) -> [IndexProbe] { tests.compactMap(probe) }

    private static func probe(for test: FilterTest) -> IndexProbe? {
        switch test {
        case .number(.status, let range):
            number("SELECT exchange_id FROM side.status WHERE status BETWEEN ? AND ?", range)
        case .number(.duration, let range):
            number(
                """
                SELECT exchange_id FROM side.duration
                WHERE \(IndexSchema.anyEra) AND duration_ns BETWEEN ? AND ?
                """, range)
        case .text(.columns([.host]), let match): host(match)
        case .text(.parameter(let name), let match): parameter(name, match)
        default: nil
        }
    }

    private static func number(_ sql: String, _ range: FilterNumberRange) -> IndexProbe {
        IndexProbe(
            sql: sql, arguments: [.integer(range.lower), .integer(range.upper)])
    }

    private static func host(_ match: FilterTextMatch) -> IndexProbe? {
        switch match {
        case .equals(let host):
            IndexProbe(
                sql: "SELECT exchange_id FROM side.host WHERE host = ?",
                arguments: [.text(host)])
        case .isHost(let name):
            IndexProbe(
                sql: """
                    SELECT exchange_id FROM side.host WHERE host IN (
                      \(IndexSchema.hostHops)
                      SELECT host FROM hop WHERE lower(host) IN (?, ?))
                    """,
                arguments: [.text(name), .text(name + ".")])
        case .contains(let search):
            IndexProbe(
                sql: """
                    SELECT exchange_id FROM side.host WHERE host IN (
                      \(IndexSchema.hostHops)
                      SELECT host FROM hop WHERE instr(lower(host), ?) > 0)
                    """,
                arguments: [.text(search.needleText)])
        case .regex(let regex):
            regex.literalPrefix.map { prefix in
                IndexProbe(
                    sql: "SELECT exchange_id FROM side.host WHERE host >= ? AND host < ?",
                    arguments: [.text(prefix), .text(upperBound(of: prefix))])
            }
        }
    }

    private static func parameter(_ name: String, _ match: FilterTextMatch) -> IndexProbe? {
        let head =
            "SELECT exchange_id FROM side.parameter WHERE \(IndexSchema.anyEra) AND name = ? AND "
        let name = cut(name)
        let longest = IndexSchema.textCharacterCountMax
        switch match {
        case .isHost: return nil
        case .equals(let value):
            return IndexProbe(
                sql: head + "value = ?",
                arguments: [.text(name), .text(cut(value))])
        case .contains(let search):
            return IndexProbe(
                sql: head + """
                    (instr(lower(value), ?) > 0 OR length(value) >= \(longest)
                      OR instr(value, char(0)))
                    """,
                arguments: [.text(name), .text(search.needleText)])
        case .regex(let regex):
            guard let prefix = regex.literalPrefix.map(cut), !prefix.isEmpty else { return nil }
            return IndexProbe(
                sql: head + "value >= ? AND value < ?",
                arguments: [
                    .text(name), .text(prefix), .text(upperBound(of: prefix)),
                ])
        }
    }

    /// Truncates the text as the index does; SQLite counts Unicode scalars and stops at a NUL.
    private static func cut(_ text: String) -> String {
        let kept = text.unicodeScalars.prefix(IndexSchema.textCharacterCountMax)
        return String(String.UnicodeScalarView(kept.prefix { $0 != "\0" }))
    }

    /// The smallest text greater than all texts with the prefix, in byte order.
    static func upperBound(of prefix: String) -> String {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            let next: UInt32 = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            return String(String.UnicodeScalarView(scalars))
        }
        return String(repeating: "\u{10FFFF}", count: IndexSchema.textCharacterCountMax)
    }
}
