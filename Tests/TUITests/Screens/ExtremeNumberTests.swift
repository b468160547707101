import ProxydCaptureModel
import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI
import ProxydOperations

/// A damaged store, or an imported file, may say any number anywhere: the interface shows
/// something, and goes on.
@Suite struct `Numbers at the end of all numbers` {
    private static let ends: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]

    /// A row all of whose numbers are the same one, but for those that have another sort.
    private static func row(_ id: Int64, _ number: Int64, _ state: ExchangeState) -> ExchangeRow {
        Rows.row(id) {
            $0.port = Int(number)
            $0.status = Int(number)
            $0.startedAtNs = number
            $0.durationNs = state == .active ? nil : number
            $0.requestBodyByteCount = number
            $0.requestKeptByteCount = number
            $0.responseBodyByteCount = number
            $0.responseKeptByteCount = number
            $0.pid = Int(number)
            $0.state = state
            $0.replayOf = ExchangeID(rawValue: number)
        }
    }

    private static func exchange(
        _ row: ExchangeRow, _ number: Int64, _ moments: (Int) -> Int64
    ) -> Exchange {
        var timeline = Timeline(wallStart: number, start: number)
        for moment in Moment.allCases { timeline[moment] = moments(moment.rawValue) }
        var exchange = DetailSamples.exchange(
            row.id.rawValue, .get, "/", [], "ask", [(name: "Content-Type", value: "text/plain")],
            Array("answer".utf8), state: row.state)
        exchange.timeline = timeline
        exchange.request.body.byteCount = number
        exchange.response?.body.byteCount = number
        exchange.client?.openedAt = number
        exchange.server?.openedAt = number
        exchange.client?.process?.pid = Int32(clamping: number)
        exchange.replayOf = ExchangeID(rawValue: number)
        return exchange
    }

    /// Rows of each number and state with moments that stand still, grow, fall or jump, under
    /// numbers from one end to the other.
    private static func source() -> ScriptedRows {
        let jumps: [(Int) -> Int64] = [
            { _ in .max }, { $0 % 2 == 0 ? .min + 1 : .max }, { $0 % 2 == 0 ? .max : .min + 1 },
            { Int64($0 / 3 + 1) * (.max / 7) }, { $0 == 0 ? 1 : 0 },
        ]
        var (rows, exchanges): ([ExchangeRow], [Exchange]) = ([], [])
        let states: [ExchangeState] = [.complete, .failed, .active, .tunnel]
        for number in ends {
            for (index, moments) in jumps.enumerated() {
                let place = Int64(rows.count)
                let id = place < 4 ? .min + place : place > 30 ? .max - place : place
                let row = row(id, number, states[index % states.count])
                rows.append(row)
                exchanges.append(exchange(row, number, moments))
            }
        }
        return ScriptedRows(rows, exchanges: exchanges)
    }

    private static func player(_ columns: Int = 120) -> Player {
        let player = Player(source(), size: Size(columns: columns, rows: 40))
        // The clock is anywhere.
        player.now = .max
        return player
    }

    @Test(arguments: [Int64.min, 0, Rows.start, .max])
    func `the list shows exchanges with extreme numbers in every sort order`(now: Int64) {
        let player = Self.player()
        player.now = now
        for key in "tmhpsyzdr" {
            for order in ["o\(key)", "o\(key)"] {
                player.type(order)
                player.type("gGk")
                #expect(player.text.contains("/items/"))
                player.update(.storeChanged)
                player.rows.change { $0.append(Rows.row(Int64($0.count) + 1_000)) }
                player.update(.storeChanged)
                #expect(player.text.contains("/items/"))
            }
        }
    }

    @Test func `a list of one exchange with extreme numbers can be filtered and updated`() {
        for number in Self.ends {
            let player = Player([Self.row(number, number, .active)])
            #expect(player.text.contains("/items/"))
            player.type("/host:example")
            player.press(.enter)
            player.press(.escape)
            player.update(.storeChanged)
            player.rows.change { $0.append(Rows.row(5)) }
            player.update(.storeChanged)
            #expect(player.text.contains("/items/"))
        }
    }

    @Test func `every tab of the exchange view shows exchanges with extreme numbers`() {
        let player = Self.player()
        player.type("g")
        for _ in player.rows.all {
            player.press(.enter)
            #expect(player.app.entries.last?.model is DetailScreen)
            #expect(player.text.contains("sizes") || player.text.contains("times"))
            for tab in "12345678" {
                player.type("\(tab)")
                #expect(!player.text.isEmpty)
                player.update(.storeChanged)
            }
            player.press(.escape)
            player.type("j")
        }
    }

    @Test(arguments: [Int64.min, 0, Rows.start, .max])
    func `the waterfall shows exchanges with extreme numbers at every zoom level`(now: Int64) {
        let player = Self.player()
        player.now = now
        player.type("Wg")
        for _ in player.rows.all {
            player.type("++++++++hhhllll--------0j")
            #expect(player.text.contains("took"))
        }
        player.type("g----------------------------------------")
        #expect(player.text.contains("took"))
        player.type("++++++++++++++++++++++++++++++++++++++++++++++")
        #expect(player.text.contains("took"))
    }

    @Test func `the summary and the tree show exchanges with extreme numbers`() {
        let player = Self.player()
        player.type("S")
        #expect(player.text.contains("slowest"))
        player.press(.escape)
        player.type("T")
        for _ in TreeOrder.allCases {
            player.type("o")
            #expect(player.text.contains("host and path"))
        }
    }

    @Test func `the status line shows extreme numbers from the daemon`() {
        for number in Self.ends {
            let player = Player(Rows.plain(1))
            var facts = StatusFacts()
            facts.isDaemonRunning = true
            facts.exchangeCount = number
            facts.storeByteCount = number
            facts.droppedExchangeCount = number
            facts.droppedBodyByteCount = number
            player.update(.status(facts))
            #expect(player.text.contains("proxyd"))
        }
    }
}
