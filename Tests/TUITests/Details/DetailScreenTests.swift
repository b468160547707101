import ProxydPresentation
import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydTUI

struct DetailScreenTests {
    private static let sizes = [(80, 24), (120, 40), (160, 50), (240, 60)]

    @Test func `every tab of the exchange view matches its golden file at four terminal sizes`()
        throws
    {
        for (columns, rows) in DetailScreenTests.sizes {
            let player = DetailPlayer([DetailSamples.post], columns: columns, rows: rows)
            for tab in DetailTab.allCases.prefix(7) {
                player.press(Key(tab.digit))
                try Golden.expect(player.text, "Detail\(tab.title)-\(columns)x\(rows)")
            }
        }
    }

    @Test func `the exchange view draws no control or bidirectional characters from an exchange`()
        throws
    {
        let player = DetailPlayer([DetailSamples.hostile])
        player.press(Key("3"))
        try Golden.expect(player.text, "DetailHostile-80x24")
        for tab in "1234567" {
            player.press(Key(tab))
            let isSafe = player.text.unicodeScalars.allSatisfy {
                $0 == "\n"
                    || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
                        && $0.properties.generalCategory != .format
            }
            #expect(isSafe)
        }
    }

    @Test
    func `the Request tab shows the head sent to the server if it differs from the received one`() {
        let player = DetailPlayer([DetailSamples.post])
        player.press(Key("2"))
        #expect(!player.text.contains("sent to the server instead"))
        var exchange = DetailSamples.post
        exchange.request.sentHead = RequestHead(
            method: .post, target: Array("/sent".utf8),
            fields: HeaderFields([(name: "Host", value: "other.test")]))
        let changed = DetailPlayer([exchange])
        changed.press(Key("2"))
        #expect(changed.text.contains("sent to the server instead"))
        #expect(changed.text.contains("POST /sent HTTP/1.1"))
        #expect(changed.text.contains("Host: other.test"))
    }

    @Test func `the head of an HTTP/2 request is shown with its pseudo-header fields`() throws {
        let text =
            ":method: POST\r\n:path: /orders\r\n:scheme: https\r\n:authority: api.test\r\n"
            + "authorization: s\r\n\r\n"
        var exchange = DetailSamples.post
        exchange.request.head = try HeadParser.parseRequestHead(Array(text.utf8)).withCodings(
            Array(repeating: FieldCoding(.indexed).rawValue, count: 4)
                + [FieldCoding(.neverIndexed).rawValue])
        let player = DetailPlayer([exchange])
        player.press(Key("2"))
        #expect(player.text.contains("POST /orders HTTP/2"))
        #expect(player.text.contains("  :scheme: https"))
        #expect(player.text.contains("  :authority: api.test"))
        #expect(player.text.contains("  authorization: s  never indexed"))
    }

    @Test func `the exchange view reports a failure and a truncated body`() throws {
        let player = DetailPlayer([DetailSamples.cut])
        try Golden.expect(player.text, "DetailCut-80x24")
        player.press(Key("3"))
        #expect(player.text.contains("truncated: kept 9 B of 200 MB"))
        #expect(player.text.contains("beginning"))
    }

    @Test func `bytes relayed after an upgrade are not reported as a truncated body`() {
        var exchange = DetailSamples.answer("text/plain", [], state: .complete)
        exchange.upgradedTo = "websocket"
        exchange.response?.body = Body(byteCount: 2_000, kept: [])
        let player = DetailPlayer([exchange])
        player.press(Key("3"))
        #expect(player.text.contains("relayed  2 kB"))
        #expect(!player.text.contains("truncated"))
    }

    @Test func `the Response tab shows the faults and the rejected bytes of a malformed response`()
    {
        var exchange = DetailSamples.answer("text/plain", Array("7 bytes".utf8), state: .failed)
        exchange.response?.head = ResponseHead(
            status: 200, reason: "OK",
            fields: HeaderFields([(name: "Content-Length", value: "1000")]))
        exchange.failure = ExchangeFailure(
            origin: .upstream, kind: .closedEarly, message: "it closed")
        exchange.responseFault = ResponseFault(
            refusal: .init(bytes: Array("zz\r\n\u{1B}[2J".utf8), reason: "a bad chunk"),
            repairs: ["a folded field line was joined"])
        let player = DetailPlayer([exchange], columns: 100, rows: 40)
        for tab in ["1", "3"] {
            player.press(Key(Character(tab)))
            #expect(player.text.contains("7 of 1000 bytes arrived: the server closed"))
            #expect(player.text.contains("a folded field line was joined"))
            #expect(player.text.contains("a bad chunk"))
        }
        #expect(player.text.contains("zz"))
        #expect(!player.text.contains("\u{1B}"))
    }

    @Test
    func `Tab and Shift-Tab cycle the tabs, and brackets open the next and previous exchange`() {
        let player = DetailPlayer([DetailSamples.post, DetailSamples.hostile, DetailSamples.cut])
        player.press(.backtab)
        #expect(player.screenModel?.tab == .hex)
        player.press(.tab, .tab, .tab)
        #expect(player.screenModel?.tab == .response)
        player.press(Key("]"))
        #expect(player.screenModel?.row.id.rawValue == 2)
        #expect(player.screenModel?.tab == .response)
        #expect(player.text.contains("日本語"))
        player.press(Key("]"), Key("]"))
        #expect(player.screenModel?.row.id.rawValue == 3)
        #expect(player.text.contains("this is the last one"))
        player.press(Key("["))
        #expect(player.screenModel?.row.id.rawValue == 2)
    }

    @Test func `the keys v and V switch between body viewers; - and + fold and unfold the body`() {
        let player = DetailPlayer([DetailSamples.post])
        player.press(Key("3"))
        #expect(player.text.contains("[json]"))
        #expect(player.text.contains("sku: \"A-1\""))
        player.press(Key("-"))
        #expect(player.text.contains("order: { 2 }"))
        #expect(!player.text.contains("sku"))
        player.press(Key("+"), Key("v"))
        #expect(player.text.contains("[json text]"))
        #expect(player.text.contains("\"sku\": \"A-1\","))
        player.press(Key("V"), Key("V"))
        #expect(player.text.contains("[hex]"))
        #expect(player.text.contains("00000000  7b 22 6f 72 64 65 72"))
    }

    @Test func `the keys Enter and h fold the JSON value at the cursor, and l unfolds it`() throws {
        let player = DetailPlayer([DetailSamples.post], rows: 40)
        player.press(Key("3"))
        let line = try #require(player.content.firstIndex { $0.contains("items:") })
        for _ in 0..<line { player.press(Key("j")) }
        player.press(.enter)
        #expect(player.text.contains("items: [ 2 ]"))
        player.press(Key("l"))
        #expect(player.text.contains("items: […]"))
        player.press(Key("h"))
        #expect(player.text.contains("items: [ 2 ]"))
    }

    @Test func `a search in the exchange view finds text far below the screen and wraps around`() {
        let lines = (1...5_000).map { "line \($0) of many" } + ["the Needle", "end"]
        let player = DetailPlayer([
            DetailSamples.answer(
                "text/plain",
                Array(lines.joined(separator: "\n").utf8))
        ])
        player.press(Key("3"), Key("/"))
        player.type("needle")
        player.press(.enter)
        #expect(player.text.contains("the Needle"))
        #expect(player.text.contains("at byte"))
        player.press(Key("n"))
        #expect(player.text.contains("from the other end"))
        player.press(Key("/"))
        player.type("absent")
        player.press(.enter)
        #expect(player.text.contains("is not in any head or body"))
    }

    @Test func `the exchange view loads only as much of a large body as the user scrolls to`()
        throws
    {
        let element = Array(#"{"id":1,"name":"somebody"},"#.utf8)
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        while bytes.count < 6 << 20 { bytes += element }
        bytes += Array("0]".utf8)
        let player = DetailPlayer([
            DetailSamples.answer("application/json", bytes)
        ])
        player.press(Key("3"))
        let source = try #require(player.screenModel?.page.shown?.source)
        #expect(source.extent.byteCount <= 512 << 10)
        #expect(player.text.contains("name: \"somebody\""))
        player.press(Key("G"))
        #expect(source.extent.byteCount == bytes.count)
        #expect(player.content.last { !$0.isEmpty }?.hasSuffix(": 0") == true)
        player.press(Key("g"))
        #expect(player.text.contains("HTTP/1.1 200 Fine"))
    }

    @Test
    func `the exchange view updates while the exchange is active, and says if it was deleted`() {
        var active = DetailSamples.answer(
            "text/event-stream",
            Array("data: one\n\n".utf8), state: .active)
        let player = DetailPlayer([active])
        player.press(Key("3"))
        #expect(player.text.contains("data: one"))
        #expect(player.text.contains("still arriving"))
        active.response?.body = Body(Array("data: one\n\ndata: two\n\n".utf8))
        active.state = .complete
        let finished = active
        player.exchanges.change { $0 = [finished] }
        player.update(.storeChanged)
        #expect(player.text.contains("data: two"))
        #expect(!player.text.contains("still arriving"))
        player.exchanges.change { $0 = [] }
        player.update(.storeChanged)
        #expect(player.text.contains("no longer in the store"))
        #expect(!player.text.contains(/[0-9]\/[0-9]+ *\n/))
    }

    @Test func `a body that is complete is not read again when the store changes`() {
        let player = DetailPlayer([DetailSamples.post])
        player.press(Key("3"))
        let count = player.exchanges.bodyReadCount
        #expect(count > 0)
        player.update(.storeChanged)
        #expect(player.exchanges.bodyReadCount == count)
    }

    @Test func `the exchange view copies lines and decoded bodies, and opens bodies in the editor`()
    {
        let player = DetailPlayer([DetailSamples.post])
        player.press(Key("3"), Key("C"))
        #expect(
            player.copied.last.map { String(decoding: $0.bytes, as: UTF8.self) }?.hasPrefix(
                "{\"order\"") == true)
        player.press(Key("c"))
        #expect(player.copied.last?.bytes == Array("HTTP/1.1 201 Fine".utf8))
        player.press(Key("E"))
        #expect(player.edited.last?.fileExtension == "json")
        player.press(Key("1"), Key("C"))
        #expect(player.text.contains("there is no body here"))
    }

    @Test func `Enter opens a part of a multipart body, and Escape returns to the whole body`() {
        let body = [
            "--B", "Content-Disposition: form-data; name=\"doc\"",
            "Content-Type: application/json", "", #"{"inside":[1,2]}"#, "--B--", "",
        ].joined(separator: "\r\n")
        let player = DetailPlayer([
            DetailSamples.exchange(
                1, .post, "/",
                [(name: "Content-Type", value: "multipart/form-data; boundary=B")], body, [], [])
        ])
        player.press(Key("2"))
        #expect(player.text.contains("[parts]"))
        player.press(Key("G"), .enter)
        #expect(player.text.contains("part 1: doc"))
        #expect(player.text.contains("[json]"))
        player.press(.escape)
        #expect(player.text.contains("[parts]"))
    }

    @Test func `pressing w switches between wrapping long lines and scrolling them sideways`() {
        let text = (0..<40).map { "word\($0)" }.joined(separator: " ")
        let player = DetailPlayer([
            DetailSamples.answer("text/plain", Array(text.utf8))
        ])
        player.press(Key("3"))
        #expect(player.text.contains("word39"))
        player.press(Key("w"))
        #expect(!player.text.contains("word39"))
        #expect(player.text.contains("unwrapped"))
        for _ in 0..<40 { player.press(Key("l")) }
        #expect(!player.text.contains("word0 "))
    }

    @Test func `no key on any tab crashes the exchange view, even in a tiny terminal`() {
        // A switch of protocols, changes and a token have tabs of their own.
        var exchange = DetailSamples.ruled
        exchange.upgradedTo = "websocket"
        exchange.request.head = RequestHead(
            method: .post, target: Array("/orders?dry=1".utf8),
            fields: HeaderFields([
                (name: "Content-Type", value: "application/x-www-form-urlencoded"),
                (name: "Cookie", value: "sid=abc; theme=dark"),
                (name: "Authorization", value: "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ."),
            ]))
        let player = DetailPlayer(
            [exchange, DetailSamples.cut], columns: 30, rows: 8, messages: MessageSamples.varied)
        let keys: [Key] = [
            Key("j"), Key("k"), Key("G"), Key("g"), Key(" "), .control("b"), .control("d"),
            Key("v"), Key("x"), Key("w"), Key("l"), Key("h"), Key("-"), Key("+"), .enter, Key("n"),
            Key("N"), Key("]"), Key("["),
        ]
        for tab in DetailTab.allCases {
            player.press(Key(tab.digit))
            #expect(player.screenModel?.tab == tab)
            for key in keys {
                player.press(key)
                #expect(player.text.contains("#"))
            }
            for side in [1, 0] {
                player.update(.input(.resize(Size(columns: side, rows: side))))
                _ = player.text
            }
            player.update(.input(.resize(Size(columns: 30, rows: 8))))
        }
    }
}
