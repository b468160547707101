@testable import ProxydFilter
import ProxydFilterTestSupport
import ProxydHTTPModel
import Testing

/// Filters over the messages of one exchange.
@Suite struct MessageFilterTests {
    private static let messages = [
        FilterMessage(.text, #"{"Price": 12}"#),
        FilterMessage(.text, "bye", .toClient),
        FilterMessage(.binary, "\u{1}\u{2}price", .toClient, byteCount: 20_000),
        FilterMessage(.close, "\u{3}\u{68}going away"),
        FilterMessage(.close, "", .toClient),
        FilterMessage(.event, "event: tick\nid: 7\ndata: one\r\ndata:two\r", .toClient),
        FilterMessage(.event, ": x\ndata\nid: a\u{0}b\nevent:\n", .toClient),
        FilterMessage(.invalid, "??", problem: "reserved opcode 3"),
        FilterMessage(.ping, ""),
    ]

    private static func found(_ text: String) throws -> [Int] {
        let filter = try MessageFilter.parse(text)
        return messages.indices.filter { filter.matches(messages[$0]) }
    }

    @Test(arguments: [
        ("", Array(0...8)), ("price", [0, 2]), ("text:PRICE", [0, 2]), ("text=bye", [1]),
        ("text=\"going away\"", [3]), ("text~\"^.price\"", []), ("text~\"^..price\"", [2]),
        ("kind=text", [0, 1]), ("KIND:in", [2, 7, 8]), ("kind!=text dir=to_server", [3, 7, 8]),
        ("direction=to_client", [1, 2, 4, 5, 6]), ("dir:server", [0, 3, 7, 8]),
        ("bytes>10k", [2]), ("bytes=0", [4, 8]), ("bytes<=3 kind=text", [1]),
        ("event=tick", [5]), ("event=message", [6]), ("event:\"\"", [5, 6]),
        ("id=7", [5]), ("id:\"\"", [5]), ("data=\"one\ntwo\"", [5]), ("data~one.two", [5]),
        ("data=\"\"", [6]), ("code=872", [3]), ("code=1005", [4]), ("code>0", [3, 4]),
        ("code>=1000", [4]), ("problem:opcode", [7]), ("problem:\"\"", [7]),
        ("price or bye", [0, 1, 2]), ("price and not kind=binary", [0]),
        ("(bye | price) !dir=to_server", [1, 2]),
        ("\"one\"", [5]), ("code", []), ("http://x", []),
    ])
    func `a message filter tests the text, kind, direction, size and other fields of messages`(
        text: String, wanted: [Int]
    ) throws {
        #expect(try Self.found(text) == wanted, "\(text)")
    }

    @Test(arguments: [
        ("kinds=text", 1, "kind?"), ("kind=tex", 6, "one of text, binary"),
        ("dir=out", 5, "to_server, to_client"),
        ("bytes=x", 7, "10k"), ("bytes:3", 7, "= <"), ("code=abc", 6, "a whole number"),
        ("text>3", 6, ": = or ~"),
        ("a ~u x", 3, "text~"), ("text~(", 6, "("), ("text", 0, ""), ("kind =text", 6, "kind=…"),
        ("(a", 1, "closed"),
        ("text.a=1", 5, "takes no name"), ("ws.out:a", 1, "quote it"), ("a\0", 2, "NUL"),
    ])
    func `a mistake in a message filter is reported at its column`(
        text: String, column: Int, hint: String
    ) throws {
        var found: FilterError?
        do { _ = try MessageFilter.parse(text) } catch { found = error }
        #expect((found?.column ?? 0) == column, "\(text)")
        #expect(found?.message.contains(hint) ?? hint.isEmpty, "\(found?.message ?? "")")
    }

    @Test func `every message filter in the manual matches the messages that it describes`() throws
    {
        let messages = [
            FilterMessage(.text, "{\"apples\": 3}"),
            FilterMessage(.binary, "apples", .toClient, byteCount: 10_001),
            FilterMessage(.event, "event: price\nid: 7\ndata: apples\n", .toClient),
            FilterMessage(.close, [3, 0xF3]), FilterMessage(.ping, "x"),
            FilterMessage(.invalid, "?", problem: "reserved opcode 3"),
        ]
        let wanted = [
            "apples": [0, 1, 2], "text~\"^\\{\"": [0], "kind=text": [0],
            "not (kind=ping or kind=pong)": [0, 1, 2, 3, 5], "dir=to_client": [1, 2],
            "bytes>10k": [1], "event=price": [2], "id=7": [2], "data:apples": [2],
            "code>1000": [3], "problem:\"\"": [5],
        ]
        for example in FilterManual.messageFilters.entries.flatMap(\.examples) {
            let filter = try MessageFilter.parse(example.filter)
            let found = messages.indices.filter { filter.matches(messages[$0]) }
            #expect(found == wanted[example.filter], "\(example.filter)")
        }
        let forms = Set(FilterManual.messageFilters.entries.map(\.form))
        #expect(forms.union(["dir"]) == Set(MessageField.allCases.map(\.rawValue)))
    }

    @Test func `the empty message filter matches everything`() throws {
        #expect(try MessageFilter.parse("  ").matchesEverything)
        #expect(MessageFilter.everything.matchesEverything)
        #expect(try !MessageFilter.parse("a").matchesEverything)
    }
}
