import ProxydCaptureModel
import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI

@Suite struct `The waterfall` {
    /// Rows that begin one after the other within a second.
    private static let rows: [ExchangeRow] =
        (0..<14).map { index in
            Rows.row(Int64(index) + 1) {
                $0.startedAtNs = Rows.start + Int64(index) * 70_000_000
                $0.durationNs = [40, 120, 800, 5][index % 4] * 1_000_000
                if index == 6 {
                    $0.state = .failed
                    $0.status = nil
                    $0.error = "upstream reset: closed"
                }
                if index == 9 { $0.path = "/日本語/👩‍💻\u{202E}\u{1B}[2J" }
                if index == 13 {
                    $0.state = .active
                    $0.durationNs = nil
                }
            }
        }

    private func opened(size: Size = Size(columns: 80, rows: 24)) -> Player {
        let player = Player(ScriptedRows(Self.rows), size: size)
        player.now = Rows.start + 1_500_000_000
        player.type("W")
        return player
    }

    @Test(arguments: [
        Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60),
    ])
    func `the waterfall matches its golden file at 80, 120 and 200 columns`(_ size: Size) throws {
        let player = opened(size: size)
        try Golden.expect(player.text, "waterfall-\(size.columns)x\(size.rows)")
    }

    @Test func `zooming the waterfall keeps the start of the selected exchange in place`() throws {
        let player = opened()
        player.type("gjj")
        let line = player.lines[3]
        let column = try #require(line.firstIndex(of: "░"))
        player.type("+")
        let zoomed = player.lines[3]
        let after = try #require(zoomed.firstIndex(where: { "─░".contains($0) }))
        let distance =
            line.distance(from: line.startIndex, to: column)
            - zoomed.distance(from: zoomed.startIndex, to: after)
        #expect(abs(distance) <= 1)
        #expect(player.lines[0] != opened().lines[0])
        player.type("0")
        #expect(player.lines[3] == line)
    }

    @Test
    func `pressing h moves the waterfall's time span, and selecting an exchange shows its bar`() {
        let player = opened()
        player.type("g+++++l")
        let before = player.lines[0]
        player.type("h")
        #expect(player.lines[0] != before)
        player.type("GG")
        // The last row's bar is seen.
        #expect(player.lines[14].contains { "─░▒▓▌━█".contains($0) })
    }

    @Test func `the keys of the list work in the waterfall, and pressing W returns to the list`() {
        let player = opened()
        player.type("gm")
        #expect(player.text.contains("1 marked"))
        player.press(.enter)
        #expect(player.app.entries.count == 2)
        player.press(.escape)
        player.type("W")
        #expect(player.lines[0].contains("host"))
    }

    /// Rows of 40 ms, one of which is another.
    private func squeezed(_ change: (inout ExchangeRow) -> Void) -> Player {
        let rows = (1...14).map { index in
            Rows.row(Int64(index)) {
                $0.startedAtNs = Rows.start + Int64(index) * 70_000_000
                $0.durationNs = 40_000_000
                if index == 5 { change(&$0) }
            }
        }
        let player = Player(ScriptedRows(rows), size: Size(columns: 160, rows: 24))
        player.now = Rows.start + 600_000_000_000
        player.type("W")
        return player
    }

    private func width(_ line: String) -> Int { line.count { "─░▒▓▌━█".contains($0) } }

    @Test
    func `one long exchange does not squeeze the others in the waterfall and is marked as clipped`()
    {
        let player = squeezed { $0.durationNs = 300_000_000_000 }
        #expect(width(player.lines[6]) >= 2)
        #expect(player.lines[5].contains("▸"))
        #expect(player.lines[5].contains("5 m"))
        #expect(player.text.contains("▸ goes on"))
        player.type("0")
        #expect(!player.lines[5].contains("▸"))
        #expect(width(player.lines[6]) == 1)
        player.type("0")
        #expect(player.lines[5].contains("▸"))
    }

    @Test func `one much earlier exchange does not squeeze the others in the waterfall`() {
        let player = squeezed { $0.startedAtNs -= 300_000_000_000 }
        #expect(width(player.lines[6]) >= 2)
        #expect(player.lines[5].contains("◂"))
    }

    @Test func `the waterfall shows and zooms exchanges with extreme timestamps`() {
        let times: [Int64] = [.min, -1, 0, 1, .max]
        let rows = times.flatMap { start in
            times.map { duration in (start, duration) }
        }.enumerated().map { index, pair in
            Rows.row(Int64(index) + 1) {
                $0.startedAtNs = pair.0
                $0.durationNs = pair.1
            }
        }
        let player = Player(rows, size: Size(columns: 80, rows: 40))
        player.type("W")
        for _ in 0..<70 { player.type("-hk") }
        for _ in 0..<140 { player.type("+lj") }
        #expect(player.text.contains("took"))
    }

    @Test func `the waterfall does not retry a failed query until the store changes`() {
        let player = opened()
        player.heldSlots = ["timelines"]
        player.rows.change { $0.append(Rows.row(99)) }
        player.update(.storeChanged)
        let ticket = player.app.running.first { $0.key.slot == "timelines" }?.value
        if let ticket {
            player.update(.news(ticket, .failure("gone")))
            player.update(.ended(ticket))
        }
        #expect(!player.app.running.keys.contains { $0.slot == "timelines" })
        player.update(.storeChanged)
        #expect(player.app.running.keys.contains { $0.slot == "timelines" })
    }
}
