import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import Testing

@testable import ProxydTUI
import ProxydOperations

/// Requests are sent again as they are, once and many times.
struct ReplayScreenTests {
    private static let sizes = [(80, 24), (120, 40), (200, 60)]

    @Test func `the replay comparison matches its golden file at 80, 120 and 200 columns`() throws {
        for (columns, rows) in ReplayScreenTests.sizes {
            let player = ComposePlayer(
                [DetailSamples.post], columns: columns, rows: rows,
                server: { ScriptedServer($0, answer: Array(#"{"order":{"id":8}}"#.utf8)) })
            player.press(Key("r"))
            try Golden.expect(player.text, "Comparison-\(columns)x\(rows)")
        }
    }

    @Test func `a replay sends a request again byte for byte and compares the responses`() throws {
        let player = ComposePlayer([DetailSamples.post])
        player.press(Key("r"))
        #expect(player.server?.sent.first?.isExact == true)
        #expect(player.text.contains("status 201") && player.text.contains("body same"))
        #expect(player.text.contains("#101  POST"))
        player.press(Key("o"))
        #expect(player.text.contains("#1  POST"))
        player.press(.escape)
        #expect(player.top is ListScreen)
    }

    @Test
    func `both sides of a replay comparison switch tabs together, and other keys act on one side`()
        throws
    {
        let player = ComposePlayer([DetailSamples.post], columns: 120, rows: 40)
        player.press(Key("r"), Key("2"), Key("j"))
        let comparison = try #require(player.top as? ComparisonScreen)
        #expect(comparison.panes.map(\.tab) == [.request, .request])
        #expect(comparison.panes.map(\.page.pager.cursor) == [0, 1])
        player.click(column: 3, row: 5)
        #expect((player.top as? ComparisonScreen)?.side == .original)
        player.press(Key("]"))
        #expect((player.top as? ComparisonScreen)?.row(.original).id.rawValue == 1)
    }

    @Test(arguments: ["1", "5"], [120, 160, 240])
    func `bars and their labels do not wrap in a replay comparison or beside a list`(
        _ tab: Character, _ columns: Int
    ) {
        let exchanges = [DetailSamples.post, DetailSamples.hostile]
        let comparison = DetailPlayer(
            exchanges, columns: columns, rows: 50,
            first: ComparisonScreen(
                Rows.row(1), Rows.row(2) { $0.replayOf = ExchangeID(rawValue: 1) }))
        let list = DetailPlayer(exchanges, columns: columns, rows: 50, first: ListScreen())
        list.press(.enter)
        for player in [comparison, list] {
            player.press(Key(tab))
            let parts = player.text.split(separator: "\n").flatMap { $0.split(separator: "│") }
            let bars = parts.filter { $0.contains("█") }
            #expect(!bars.isEmpty)
            // A line begins with its label, behind two columns for marks of folding.
            for bar in bars { #expect(bar.dropFirst(2).first?.isLetter == true, "\(bar)") }
        }
    }

    @Test func `pressing D in a replay comparison shows the differences line by line`() {
        let player = ComposePlayer([DetailSamples.post])
        player.press(Key("r"), Key("D"))
        #expect(player.top is DiffScreen)
        #expect(player.text.contains("#1 ") && player.text.contains("#101 "))
        player.press(.escape)
        #expect(player.top is ComparisonScreen)
    }

    @Test func `a search can be entered in a replay comparison`() {
        let player = ComposePlayer([DetailSamples.post])
        player.press(Key("r"), Key("/"))
        player.type("sku")
        player.press(.enter)
        #expect(player.text.contains("/sku"))
    }

    @Test func `Escape cancels a replay that waits for its response`() {
        let player = ComposePlayer([DetailSamples.post])
        player.heldSlots = ["send"]
        player.press(Key("r"))
        #expect(player.text.contains("waiting for the response… 0 s"))
        player.now += 3_000_000_000
        #expect(player.text.contains("waiting for the response… 3 s"))
        player.press(.escape)
        #expect(player.cancelledSlots.contains("send"))
        #expect(player.top is ListScreen)
        player.runHeld(isCancelled: true)
        #expect(player.top is ListScreen)
    }

    @Test func `the reason why a request cannot be replayed is shown`() {
        let player = ComposePlayer(
            [DetailSamples.post], server: { ScriptedServer($0, refusal: "it is a tunnel") })
        player.press(Key("r"))
        #expect(player.text.contains("it is a tunnel"))
        player.press(.escape)
        #expect(player.top is ListScreen)
    }

    @Test func `a replay reports that nothing can be sent when replaying is unavailable`() {
        let player = ComposePlayer([DetailSamples.post])
        player.hostActions = HostActions()
        player.press(Key("r"))
        #expect(player.text.contains("nothing can be sent here"))
    }

    // MARK: Many times

    @Test
    func `the dialog for sending a request many times and its summary match their golden files`()
        throws
    {
        for (columns, rows) in ReplayScreenTests.sizes {
            let player = ComposePlayer([DetailSamples.post], columns: columns, rows: rows)
            player.press(Key("*"))
            if columns == 80 { try Golden.expect(player.text, "RepeatDialog-80x24") }
            player.press(.enter)
            try Golden.expect(player.text, "RepeatSummary-\(columns)x\(rows)")
        }
    }

    @Test func `every marked exchange is sent as many times as entered`() {
        var second = DetailSamples.answer("text/plain", [1])
        second = Exchange(
            id: ExchangeID(rawValue: 2), state: .complete, request: second.request,
            response: second.response, timeline: second.timeline)
        let player = ComposePlayer([DetailSamples.post, second])
        player.press(Key("g"), Key("m"), Key("m"), Key("*"), .control("u"))
        player.type("3")
        player.press(.enter)
        #expect(player.server?.sent.map(\.original?.rawValue) == [1, 1, 1, 2, 2, 2])
    }

    @Test(arguments: [(true, ""), (false, "a.test:443:127.0.0.1")])
    func `requests that are sent many times use the chosen TLS verification, route and address`(
        _ isThroughDaemon: Bool, _ resolutions: String
    ) {
        let player = ComposePlayer([DetailSamples.post])
        player.press(Key("*"), .control("u"))
        player.type("1")
        player.press(.tab, .tab, .tab, .tab, Key(.right), .tab)
        if isThroughDaemon { player.press(Key(.right)) }
        player.press(.tab)
        player.type(resolutions)
        player.press(.enter)
        #expect(
            player.server?.sent.map(\.route) == [
                ReplayRoute(
                    isVerified: false, isThroughDaemon: isThroughDaemon, resolutions: resolutions)
            ])
    }

    @Test(arguments: [[Key("*"), .tab, .tab, .tab, .tab], [Key("e"), Key("S")]])
    func `the Resolve option is rejected for requests that are sent through proxyd`(_ keys: [Key]) {
        let player = ComposePlayer([DetailSamples.post])
        for key in keys { player.press(key) }
        player.press(.tab, Key(.right), .tab)
        player.type("a.test:443:127.0.0.1")
        player.press(.enter)
        #expect(
            player.text.contains(
                "Resolve works only if Way is “directly”: proxyd resolves names itself"))
        #expect(player.server?.sent.isEmpty == true)
    }

    @Test
    func `send options chosen in the composer apply to one request; the next uses the defaults`() {
        let player = ComposePlayer([DetailSamples.post])
        player.press(Key("e"), Key("S"), Key(.right), .enter)
        player.press(.escape, Key("s"))
        #expect(
            player.server?.sent.map(\.route) == [ReplayRoute(isVerified: false), ReplayRoute()])
    }

    @Test(arguments: [(1, ReplayRoute.Version.http11), (2, .http2)])
    func `a composed request is sent with the chosen version of HTTP`(
        _ count: Int, _ version: ReplayRoute.Version
    ) {
        let player = ComposePlayer([DetailSamples.post])
        player.press(Key("e"), Key("S"), .tab, .tab, .tab)
        for _ in 0..<count { player.press(Key(.right)) }
        player.press(.enter)
        #expect(player.server?.sent.map(\.route) == [ReplayRoute(version: version)])
    }

    @Test(arguments: ["0", "x", "-1", "99999999999999999999"])
    func `the dialog for sending a request many times rejects a count outside 1 to 1,000,000`(
        _ text: String
    ) {
        let player = ComposePlayer([DetailSamples.post])
        player.press(Key("*"), .control("u"))
        player.type(text)
        player.press(.enter)
        #expect(player.text.contains("Times: a number from 1 to 1,000,000"))
        #expect(player.server?.sent.isEmpty == true)
    }

    @Test func `sending a request many times can be stopped early, and the summary says so`() {
        let player = ComposePlayer([DetailSamples.post])
        player.heldSlots = ["repeat"]
        player.press(Key("*"), .enter)
        #expect(player.text.contains("Sending many times"))
        player.press(.escape)
        #expect(player.cancelledSlots.contains("repeat"))
        #expect(player.text.contains("stopped early"))
        player.press(.escape)
        #expect(player.top is ListScreen)
    }

    @Test
    func `durations of repeated requests are given as min, median, 95th percentile and max`() {
        var tally = RepeatTally()
        for number in (1...100).reversed() {
            tally.add(
                ReplayOutcome(
                    originalID: ExchangeID(rawValue: 1), id: nil, status: nil, isStatusSame: false,
                    bodyByteCount: 0, body: .unknown, durationNs: Int64(number)))
        }
        let times = tally.times
        #expect(times?.least == 1 && times?.median == 51)
        #expect(times?.most95 == 96 && times?.most == 100)
    }

    @Test func `the comparison for a failed replay shows the error and compares no body sizes`() {
        let replay = Rows.row(2) {
            $0.status = nil
            $0.state = .failed
            $0.error = "upstream connectRefused: nobody listens"
            $0.responseBodyByteCount = 0
        }
        let player = Player(
            ScriptedRows([Rows.row(1), replay]), size: Size(columns: 100, rows: 24),
            first: ComparisonScreen(Rows.row(1), replay))
        #expect(player.text.contains("status 200 → failed   upstream connectRefused"))
        #expect(!player.text.contains("octet") && !player.text.contains("size"))
    }

    @Test func `replaying an exchange that was deleted reports that it no longer exists`() {
        let player = ComposePlayer([DetailSamples.post])
        player.exchanges.change { $0 = [] }
        player.press(Key("r"))
        #expect(player.text.contains("exchange 1 no longer exists"))
    }
}
