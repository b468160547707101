import ProxydHTTPModel
import Testing

@testable import ProxydTUI

/// Requests are composed, edited and sent, and the original stays.
struct ComposeScreenTests {
    private static let sizes = [(80, 24), (120, 40), (200, 60)]

    private func json(_ body: String) -> Exchange {
        DetailSamples.exchange(
            1, .post, "/orders", [(name: "Content-Type", value: "application/json")], body, [], [])
    }

    private func player(_ exchange: Exchange = DetailSamples.post) -> ComposePlayer {
        let player = ComposePlayer([exchange])
        player.press(Key("e"))
        return player
    }

    @Test func `the composer matches its golden file at 80, 120 and 200 columns`() throws {
        for (columns, rows) in ComposeScreenTests.sizes {
            let player = ComposePlayer([DetailSamples.post], columns: columns, rows: rows)
            player.press(Key("e"), .tab, Key("j"))
            try Golden.expect(player.text, "Compose-\(columns)x\(rows)")
        }
    }

    @Test func `the composer percent-encodes a typed query value and reports an invalid JSON body`()
        throws
    {
        let player = player(json("{\"a\": 1,\n \"b\": tru}"))
        player.press(.tab, Key("a"))
        player.type("next")
        player.press(.enter)
        player.type("日本")
        try Golden.expect(player.text, "ComposeTyping-80x24")
        player.press(.enter)
        #expect(player.text.contains("JSON, line 2, column"))
        #expect(player.text.contains("https://api.test/orders?next=%E6%97%A5%E6%9C%AC"))
    }

    @Test
    func `an edited copy of a request is sent and shown beside the original, which is unchanged`()
        throws
    {
        let player = player()
        player.press(.tab, .enter)
        player.type("1")
        player.press(.enter, Key("s"))
        let sent = try #require(player.server?.sent.first)
        #expect(sent.original?.rawValue == 1)
        #expect(sent.request.url?.description == "https://api.test/orders?dry=11&q=caf%C3%A9+noir")
        #expect(player.top is ComparisonScreen)
        #expect(player.text.contains("Original #1") && player.text.contains("Replay #101"))
        // Back to the draft, which was sent: it is left without a question.
        player.press(.escape)
        #expect(player.top is ComposeScreen)
        player.press(.escape)
        #expect(player.top is ListScreen)
        let original = try player.exchanges.exchange(
            ExchangeID(rawValue: 1), bodyByteCountMax: .max)
        #expect(original?.request == DetailSamples.post.request)
    }

    @Test func `pressing e in the exchange view opens a copy of the request in the composer`() {
        let player = ComposePlayer([DetailSamples.post])
        player.press(.enter, Key("e"))
        #expect(player.text.contains("Edit a copy of #1"))
    }

    @Test
    func `a new request is sent from the composer, and its response opens in the exchange view`()
        throws
    {
        let player = ComposePlayer([DetailSamples.post])
        player.press(Key("n"), .enter, .control("u"))
        player.type("http://new.test/x?y=1")
        player.press(.enter, Key("k"), .enter, .control("u"))
        player.type("PUT")
        player.press(.enter)
        player.press(Key("G"), Key("a"))
        player.type("hello")
        player.press(.enter, Key("s"))
        let sent = try #require(player.server?.sent.first)
        #expect(sent.original == nil)
        #expect(sent.request.method?.rawValue == "PUT")
        #expect(sent.request.url?.description == "http://new.test/x?y=1")
        #expect(sent.request.body.kept == Array("hello".utf8))
        #expect(player.top is DetailScreen)
    }

    @Test func `header fields are added, renamed, moved and deleted by keys in the composer`()
        throws
    {
        let player = player()
        player.press(.tab, .tab, Key("a"))
        player.type("X-New")
        player.press(.tab)
        player.type("1")
        player.press(.enter, Key("J"), Key("h"), .enter)
        player.type("er")
        player.press(.enter, Key("g"), .tab, .tab, Key("d"), Key("s"))
        let names = try #require(player.server?.sent.first?.request.head).fields.pairs.map(\.name)
        #expect(names == ["Content-Type", "X-Newer", "Cookie"])
    }

    @Test
    func `the composer rejects an invalid header field name, and Escape discards the typed name`() {
        let player = player()
        player.press(.tab, .tab, Key("a"))
        player.type("a b")
        player.press(.enter)
        #expect(player.text.contains("a field name cannot contain spaces"))
        player.press(.escape)
        #expect(!player.text.contains("a b"))
    }

    @Test
    func `the composer does not send invalid JSON and shows the line and column of the error`() {
        let player = player(json("{\"a\": 1,\n \"b\": tru}"))
        player.press(Key("s"))
        #expect(player.server?.sent.isEmpty == true)
        #expect(player.text.contains("JSON, line 2, column"))
        player.press(Key("n"), .enter, Key(.end), Key(.backspace), Key(.backspace))
        player.type("ue}")
        player.press(.enter, Key("s"))
        #expect(
            player.server?.sent.first?.request.body.kept
                == Array("{\"a\": 1,\n \"b\": true}".utf8))
    }

    @Test func `the composer sends an invalid JSON body when s is pressed a second time`() {
        let player = player(json("{"))
        player.press(Key("s"), Key("s"))
        #expect(player.server?.sent.first?.request.body.kept == Array("{".utf8))
    }

    @Test func `leaving the composer with changes asks for confirmation`() {
        let player = player()
        player.press(Key("l"), .escape)
        #expect(player.text.contains("Discard the changes?"))
        player.press(.enter)
        #expect(player.top is ComposeScreen)
        player.press(.escape, Key("y"))
        #expect(player.top is ListScreen)
    }

    @Test func `pressing V in the composer discards all changes`() {
        let player = player()
        player.press(Key("l"), .tab, Key("d"))
        #expect(player.text.contains("changed"))
        player.press(Key("V"), .escape)
        #expect(player.top is ListScreen)
    }

    @Test
    func `a body edited in the external editor loses the final line break that the editor added`() {
        let player = player(json("{}"))
        player.press(Key("b"))
        #expect(player.edited.first == EditRequest(fileExtension: "json", bytes: [0x7B, 0x7D]))
        player.saveInEditor("[1,\n]\n")
        #expect(player.text.contains("JSON, line 2, column 1"))
        player.press(Key("b"))
        #expect(player.edited.last?.bytes == Array("[1,\n]".utf8))
        player.saveInEditor(nil)
        #expect(player.text.contains("[1,"))
    }

    @Test
    func `a request head from the external editor is used, or kept for correction if malformed`() {
        let player = player()
        player.press(Key("e"))
        player.saveInEditor("PATCH https://api.test/other HTTP/1.1\nA b: c\n")
        #expect(player.text.contains("e opens it again"))
        player.press(Key("e"))
        #expect(player.edited.last?.bytes.starts(with: "PATCH".utf8) == true)
        player.saveInEditor("PATCH https://api.test/other HTTP/1.1\nA-b: c\n")
        player.press(Key("s"))
        let sent = player.server?.sent.first?.request
        #expect(sent?.method == .patch)
        #expect(sent?.head?.fields.pairs.map(\.value) == ["c"])
    }

    @Test
    func `keys h and l switch between common methods if the composer's cursor is on the method`() {
        let player = player()
        player.press(Key("l"))
        #expect(player.text.contains("PUT"))
        player.press(Key("h"), Key("h"))
        #expect(player.text.contains("GET"))
    }

    @Test func `a second click on a value in the composer edits it`() {
        let player = player()
        player.click(column: 40, row: 4)
        player.click(column: 40, row: 4)
        player.type("2")
        player.press(.enter)
        #expect(player.text.contains("dry=12"))
    }

    @Test func `a request that could not be parsed cannot be edited in the composer`() {
        var exchange = DetailSamples.post
        exchange.request = Request(url: nil, head: nil)
        let player = player(exchange)
        #expect(player.text.contains("cannot be edited"))
        player.press(Key("s"), Key("d"), .enter, .escape)
        #expect(player.top is ListScreen)
    }

    @Test func `the composer can copy the URL and a curl command with credentials`() {
        let player = player()
        player.press(Key("y"), Key("Y"))
        #expect(player.copied.map(\.name) == ["URL", "curl command"])
        let command = String(decoding: player.copied.last?.bytes ?? [], as: UTF8.self)
        #expect(command.contains("sid=abc"))
    }

    @Test func `the composer draws no control characters from a request`() {
        let player = player(DetailSamples.hostile)
        let isSafe = player.text.unicodeScalars.allSatisfy {
            $0 == "\n" || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
        }
        #expect(isSafe && player.text.contains("Edit a copy of #2"))
    }
}
