import Testing

@testable import Capture

/// The compiled form and the predicate must mean the same, whatever the filter and the rows.
@Suite struct FilterAgreementTests {
    @Test(arguments: 0..<8)
    func `SQL with its predicate finds what the predicate alone finds`(seed: Int) throws {
        var generator = SplitMix(seed: UInt64(seed))
        let rows = (1...80).map { RandomFilters.row(id: Int64($0), &generator) }
        let store = try FilterStore(rows)
        var foundCount = 0
        for _ in 0..<150 {
            let text = RandomFilters.filter(depth: 3, &generator)
            let filter = try Filter.parse(text, now: 50_000_000_000)
            let expected = store.idsByPredicate(matching: filter)
            let found = try store.ids(matching: filter)
            #expect(found == expected, "\(text)")
            if !expected.isEmpty, expected.count < rows.count { foundCount += 1 }
        }
        // Filters that tell rows apart must not be the exception, or nothing is proved.
        #expect(foundCount > 50)
    }

    @Test func `a filter that SQL can decide leaves nothing to the predicate`() throws {
        let texts = [
            "word", "host:a", "host=a", "not host:a", "status=404", "status>=400 or duration>1s",
            "param.user=alice", "tag:x", "note:y", "state=failed", "~s", "~q", "~marked", "~c 200",
            "pinned:yes",
            "process:curl", "client:127", "time>-5m", "size<10k (type:json or not url:z)", "~a",
        ]
        for text in texts { #expect(try Filter.parse(text).compile().residual == nil, "\(text)") }
    }

    @Test func `only what SQL cannot decide goes to the predicate`() throws {
        for text in ["path~x", "header.A:b", "body:x", "~u x", "not reqbody=1"] {
            #expect(try Filter.parse("host=a \(text)").compile().residual != nil, "\(text)")
        }
        let compiled = try Filter.parse("host=a body:x").compile()
        #expect(compiled.sqlCondition.contains("exchange.host = ?"))
    }
}

/// Random rows and filters out of few words, so that they meet.
enum RandomFilters {
    static let words = ["a", "B", "ab", "c%", "d_e", "é", "'x", "10", "4", "A.b", "\\", "?"]

    static func row(id: Int64, _ generator: inout SplitMix) -> FilterRow {
        var row = FilterRow()
        row.id = id
        row.texts = [.state: ["active", "complete", "failed", "tunnel"].pick(&generator)]
        if chance(5, &generator) {
            row.texts[.method] = ["GET", "POST", "get"].pick(&generator)
            row.texts[.scheme] = ["http", "https", "tunnel"].pick(&generator)
            row.texts[.host] = ["a.b", "A.B", "::1", "ab", "é.x"].pick(&generator)
            row.texts[.path] = "/" + words.pick(&generator)
            row.numbers[.port] = [80, 443, 8080].pick(&generator)
            if chance(1, &generator) { row.texts[.query] = words.pick(&generator) }
        } else {
            row.numbers[.port] = nil
        }
        for column in [
            FilterTextColumn.requestType, .responseType, .client, .server, .note, .upgradedTo,
            .refused, .repaired,
        ] where chance(1, &generator) {
            row.texts[column] = words.pick(&generator)
        }
        if row.texts[.client] != nil { row.texts[.process] = words.pick(&generator) }
        if chance(1, &generator) { row.texts[.error] = "upstream loop: " + words.pick(&generator) }
        row.numbers[.status] = [nil, 200, 204, 404, 410, 502].pick(&generator)
        row.numbers[.started] = Int64.random(in: 0...100, using: &generator) * 1_000_000_000
        row.numbers[.responseSize] = [0, 10, 1_000, 10_240].pick(&generator)
        row.numbers[.requestSize] = [0, 10, 1_000].pick(&generator)
        row.numbers[.duration] = [nil, 0, 250_000_000, 250_500_000, 1_500_000_000].pick(&generator)
        row.numbers[.replayOf] = [nil, nil, 1].pick(&generator)
        row.numbers[.pinned] = [nil, 0, 1].pick(&generator)
        fillLists(of: &row, &generator)
        return row
    }

    private static func fillLists(of row: inout FilterRow, _ generator: inout SplitMix) {
        while chance(1, &generator) { row.tags.append(words.pick(&generator)) }
        while chance(2, &generator) {
            let value: String? = chance(3, &generator) ? words.pick(&generator) : nil
            row.parameters.append((name: ["a", "b.c[1]", "A"].pick(&generator), value: value))
        }
        for side in FilterSide.allCases {
            while chance(1, &generator) {
                let name = ["A", "a", "X-b"].pick(&generator)
                row.headers[side, default: []].append((name, words.pick(&generator)))
            }
            if chance(1, &generator) {
                row.bodies[side] = Array(words.pick(&generator).utf8) + [0xFF, 0x0A]
            }
        }
    }

    /// `weight` times as likely as not.
    private static func chance(_ weight: Int, _ generator: inout SplitMix) -> Bool {
        Int.random(in: 0...weight, using: &generator) > 0
    }

    static func filter(depth: Int, _ generator: inout SplitMix) -> String {
        guard depth > 0, chance(2, &generator) else { return test(&generator) }
        let left = filter(depth: depth - 1, &generator)
        let right = filter(depth: depth - 1, &generator)
        return switch Int.random(in: 0..<6, using: &generator) {
        case 0: "(\(left)) or (\(right))"
        case 1: "(\(left)) | \(right)"
        case 2: "\(left) (\(right))"
        case 3: "not (\(left) & \(right))"
        case 4: "!(\(left)) \(right)"
        default: "not (\(left) or not (\(right)))"
        }
    }

    private static func test(_ generator: inout SplitMix) -> String {
        let word = quoted(words.pick(&generator))
        let regex = ["a", "\"^(a|B)$\"", "\"(?i)B\"", "\"\\.\"", "^.$", "[^a]", "x*"]
            .pick(&generator)
        let text = [
            "method", "host", "path", "url", "query", "scheme", "type", "client", "process",
            "error", "state", "note", "tag", "param.a", "param.b.c[1]", "header.a", "reqheader.X-B",
            "resheader.A", "body", "reqbody", "resbody",
        ].pick(&generator)
        let comparison = ["=", "<", "<=", ">", ">="].pick(&generator)
        return [
            word, "\(text):\(word)", "\(text)=\(word)", "\(text)~\(regex)", "\(text)!=\(word)",
            "status\(comparison)404", "status:4", "status=4xx", "size\(comparison)1k",
            "reqsize\(comparison)10", "duration\(comparison)250ms", "id\(comparison)7", "id~1",
            "time\(comparison)1970-01-01T00:00:40Z", "time>-20s", "port:80", "port=8080",
            "state=failed", "state!:t", "pinned=yes", "pinned!:yes", "pinned:no", "~all", "~q",
            "~s", "~e", "~a", "~marked", "~replay",
            "~u \(regex)", "~m \(regex)", "~c 200", "~d \(regex)", "~h \(regex)", "~bs \(regex)",
            "~t \(regex)", "~src \(regex)", "~dst \(regex)", "~comment \(regex)", "~tcp",
        ].pick(&generator)
    }

    private static func quoted(_ word: String) -> String {
        let escaped = word.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : "\($0)" }.joined()
        return "\"\(escaped)\""
    }
}
