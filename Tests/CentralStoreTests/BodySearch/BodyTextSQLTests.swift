import ProxydCaptureModel
import Testing

@testable import ProxydCentralStore

/// Searches in bodies, with the index of their texts.
@Suite struct BodyTextSQLTests {
    private static let covered =
        "EXISTS (SELECT 1 FROM body_index WHERE body_index.shipper_no = exchange.shipper_no "
        + "AND body_index.day = (exchange.started_at AT TIME ZONE 'UTC')::date "
        + "AND exchange.id <= body_index.through_id "
        + "AND exchange.id <> ALL (body_index.open_ids))"

    private static func prefilter(sides: String) -> String {
        let head =
            "EXISTS (SELECT 1 FROM body_text WHERE body_text.started_at = exchange.started_at "
            + "AND body_text.exchange_id = exchange.id AND side IN (\(sides)) AND text "
        return "(\(head)LIKE $1) OR \(head)IS NULL) OR NOT \(covered))"
    }

    @Test
    func `the body index covers exchanges up to its last ID except those open when it was built`() {
        #expect(BodyTextSQL.isCovered == Self.covered)
    }

    @Test(arguments: [
        ("reqbody:Apple", "exchange.request_kept_bytes > 0", "0"),
        ("resbody:Apple", "exchange.response_kept_bytes > 0", "1"),
        (
            "body:Apple",
            "(exchange.request_kept_bytes > 0 OR exchange.response_kept_bytes > 0)", "0, 1"
        ),
        ("resbody=aPPle", "exchange.response_kept_bytes > 0", "1"),
        ("resbody~^Apple", "exchange.response_kept_bytes > 0", "1"),
    ])
    func `a body filter's SQL finds matches in the index and selects all bodies not in the index`(
        filter: String, kept: String, sides: String
    ) throws {
        let written = try WrittenFilter(filter)
        #expect(written.sql == "(\(kept) AND \(Self.prefilter(sides: sides)))")
        #expect(written.arguments == [.text("%apple%")])
        #expect(!written.isExact && written.hasResidual)
        let negated = try WrittenFilter("not \(filter)")
        #expect(negated.sql == "true" && negated.arguments == [])
    }

    /// Each byte is a character in the index, and ASCII letters are small.
    @Test(arguments: [
        ("100%", "%100\\%%"), ("a_b\\c", "%a\\_b\\\\c%"), ("%%%", "%\\%\\%\\%%"),
        ("É1", "%\u{C3}\u{89}1%"), ("€", "%\u{E2}\u{82}\u{AC}%"),
        ("\u{1}\u{1}\u{1}", "%\u{1}\u{1}\u{1}%"),
        ("\u{2400}", "%\u{E2}\u{90}\u{80}%"), ("'; DROP", "%'; drop%"), ("A\nB", "%a\nb%"),
    ])
    func `a body search's LIKE pattern has one character per byte, and wildcards are escaped`(
        needle: String, pattern: String
    ) throws {
        let written = try WrittenFilter("resbody:\(WrittenFilter.quoted(needle))")
        guard case .text(let text)? = written.arguments.first else {
            Issue.record("\(needle) is not asked of the index")
            return
        }
        #expect(text.utf8.elementsEqual(pattern.utf8))
        #expect(written.arguments.count == 1 && written.placeholders == [1])
    }

    @Test(arguments: ["ab", "", "é", "\u{FFFD}", "a\u{FFFD}b"])
    func `the body index is not searched for very short texts or texts with U+FFFD`(
        needle: String
    ) throws {
        let written = try WrittenFilter("reqbody:\(WrittenFilter.quoted(needle))")
        #expect(written.sql == "(exchange.request_kept_bytes > 0 AND true)")
        #expect(written.arguments == [] && written.hasResidual)
    }

    @Test func `the body index is not searched for a regular expression without a literal start`()
        throws
    {
        for filter in ["reqbody~apple", "reqbody~(?i)^apple", "reqbody~^[ab]pple", "~bq ^apple"] {
            let written = try WrittenFilter(filter)
            #expect(written.sql == "(exchange.request_kept_bytes > 0 AND true)", "\(filter)")
            #expect(written.arguments == [], "\(filter)")
        }
    }
}
