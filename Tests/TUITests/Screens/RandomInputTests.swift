import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

@testable import ProxydTUI

/// A user whose keys, clicks and pastes make no sense.
struct RandomInputTests {
    private static let keys: [Key] =
        ActionTable.all.flatMap(\.keys).filter { $0 != Key("q") && $0 != .control("c") }
        + "abcxyz0159 /?:;\"\\()[]~=<>é日🎉".map { Key($0) }
        + [
            .enter, .escape, .tab, Key(.up), Key(.down), Key(.left), Key(.right), Key(.home),
            Key(.end), Key(.pageUp), Key(.pageDown), Key(.backspace), Key(.delete),
        ]
    /// Work that would write files with random names.
    private static let writingSlots: Set = ["write"]
    private static let pastes = [
        "", "status:404", "a\nb\r\nc", "\u{1B}[2J", String(repeating: "x", count: 5_000),
        "curl -X POST http://a.test/ -d 'a=b'", "(((((", "e\u{301}\u{301}", "👩‍💻",
    ]

    private func event(_ random: inout SplitMix) -> InputEvent {
        func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        switch number(20) {
        case 0:
            let isWide = number(4) == 0
            let columns = isWide ? Halves.columnCountMin + number(20) : number(140)
            return .resize(Size(columns: columns, rows: number(40)))
        case 1: return .paste(Self.pastes.pick(&random))
        case 2...4:
            let kinds: [MouseEvent.Kind] = [.press, .release, .drag, .scrollUp, .scrollDown]
            return .mouse(
                MouseEvent(
                    kind: kinds.pick(&random), button: .left,
                    position: Position(column: number(180), row: number(50))))
        default: return .key(Self.keys.pick(&random))
        }
    }

    /// Whether each wide character has both of its halves, and no half is alone.
    private func isWhole(_ screen: Screen) -> Bool {
        (0..<screen.size.rows).allSatisfy { row in
            screen.row(row).first?.isContinuation != true
        }
    }

    private func check(_ screen: Screen, _ size: Size) {
        #expect(screen.size == size)
        #expect(isWhole(screen))
        #expect(!screen.text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        if let cursor = screen.cursor {
            #expect(cursor.column < size.columns && cursor.row < size.rows)
        }
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `the list and the screens opened from it survive random keys, clicks, pastes and resizes`(
        seed: UInt64
    ) {
        var random = SplitMix(seed: seed)
        let player = Player(Rows.varied + (20..<60).map { Rows.row($0) })
        player.heldSlots = Self.writingSlots
        var size = Size(columns: 80, rows: 24)
        for _ in 0..<400 where !player.hasQuit {
            let event = event(&random)
            if case .resize(let new) = event { size = new }
            player.update(.input(event))
            check(player.screen, size)
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `the exchange view and its screens survive random keys, clicks, pastes and resizes`(
        seed: UInt64
    ) {
        var random = SplitMix(seed: 100 + seed)
        let bodies: [(String, [UInt8])] = [
            ("application/json", Array(#"{"a":[1,{"b":null}],"c":"é"}"#.utf8)),
            ("text/html", Array("<p>a<b>c</b>\n<script>x()</script>".utf8)),
            ("application/octet-stream", (0...255).map { UInt8($0) }),
            ("multipart/form-data; boundary=B", InterchangeSamples.upload),
        ]
        let (type, body) = bodies[Int(seed) % bodies.count]
        let player = DetailPlayer([DetailSamples.answer(type, body), DetailSamples.post])
        player.heldSlots = Self.writingSlots
        var size = Size(columns: 80, rows: 24)
        for _ in 0..<400 {
            let event = event(&random)
            if case .resize(let new) = event { size = new }
            player.update(.input(event))
            check(player.screen, size)
        }
    }
}
