import ProxydHTTPModel
import ProxydPresentation
import Testing

@testable import ProxydTUI

/// The tab Changes: what rules did, and what went on in place of what came.
@Suite struct ChangeTabTests {
    private func opened(_ exchange: Exchange, columns: Int = 80, rows: Int = 24) -> DetailPlayer {
        let player = DetailPlayer([exchange], columns: columns, rows: rows)
        player.press(Key("9"))
        return player
    }

    @Test(arguments: [(80, 24), (120, 40), (200, 60)])
    func `the Changes tab matches its golden file at 80, 120 and 200 columns`(
        columns: Int, rows: Int
    ) throws {
        let player = opened(DetailSamples.ruled, columns: columns, rows: rows)
        try Golden.expect(player.text, "DetailChanges-\(columns)x\(rows)")
    }

    @Test
    func `the Changes tab shows line by line how rules changed both heads and the response body`() {
        let player = opened(DetailSamples.ruled, columns: 120, rows: 60)
        let lines = player.content.map { $0.drop { $0 == " " } }
        for line in [
            "- Host: api.test", "+ Host: staging.test", "+ X-Debug: 1",
            "- HTTP/1.1 201 Fine", "+ HTTP/1.1 503 Service Unavailable",
        ] {
            #expect(lines.contains { $0.hasPrefix(line) }, "\(line)")
        }
        #expect(lines.contains { $0.hasPrefix("-") && $0.contains("true") })
        #expect(lines.contains { $0.hasPrefix("+") && $0.contains("false") })
        #expect(!lines.contains { $0.hasPrefix("+") && $0.contains("B-2") })
    }

    @Test func `an exchange that was forwarded unchanged has no Changes tab`() {
        let player = DetailPlayer([DetailSamples.post])
        #expect(!player.text.contains("Changes"))
        player.press(Key("9"))
        #expect(player.text.contains("nothing was changed in transit"))
        #expect(player.screenModel?.tab == .overview)
        player.press(.backtab)
        #expect(player.screenModel?.tab == .hex)
    }

    @Test
    func `if the applied rules changed nothing, the Changes tab lists them without a comparison`() {
        var exchange = DetailSamples.post
        exchange.appliedRules = [
            AppliedRule(
                rule: "ads", phase: .request, outcome: "not JSON", detail: "it is a form")
        ]
        let player = opened(exchange)
        #expect(player.text.contains("ads"))
        #expect(player.text.contains("not JSON    it is a form"))
        #expect(!player.startedSlots.contains("changes"))
        #expect(!player.text.contains("comparing"))
    }

    @Test func `the Changes tab appears for a changed head even if no rule applied`() {
        var exchange = DetailSamples.post
        exchange.request.sentHead = RequestHead(
            method: .post, target: Array("/sent".utf8),
            fields: HeaderFields([(name: "Host", value: "other.test")]))
        let text = opened(exchange, rows: 40).text
        #expect(text.contains("+ POST /sent HTTP/1.1"))
        #expect(!text.contains("rules"))
    }

    @Test
    func `the Changes tab lists the applied rules while the messages are still being compared`() {
        let player = DetailPlayer([DetailSamples.ruled])
        player.heldSlots = ["changes"]
        player.press(Key("9"))
        #expect(player.text.contains("staging") && player.text.contains("comparing…"))
        player.runHeld()
        #expect(!player.text.contains("comparing…"))
        #expect(player.text.contains("+ Host: staging.test"))
        player.press(Key("1"), Key("9"))
        #expect(player.startedSlots.count { $0 == "changes" } == 1)
    }

    @Test func `the Changes tab compares an active exchange again when it has completed`() {
        var exchange = DetailSamples.ruled
        exchange.state = .active
        let player = opened(exchange, rows: 60)
        #expect(!player.text.contains("X-Late"))
        player.exchanges.change {
            $0[0].state = .complete
            $0[0].response?.sentHead = ResponseHead(
                status: 503, reason: "Late", fields: HeaderFields([(name: "X-Late", value: "1")]))
        }
        player.update(.storeChanged)
        player.press(Key("G"))
        #expect(player.text.contains("+ X-Late: 1"))
        #expect(player.startedSlots.count { $0 == "changes" } == 2)
        player.update(.storeChanged)
        #expect(player.startedSlots.count { $0 == "changes" } == 2)
    }

    @Test func `the Changes tab draws no control characters from rules or bodies`() {
        var exchange = DetailSamples.ruled
        exchange.appliedRules = [
            AppliedRule(
                rule: "a\u{1B}[2J", phase: .request, outcome: "\u{7}", detail: "x\ny\u{202E}")
        ]
        exchange.response?.sentBody = Body(Array("\u{1B}]0;x\u{7}".utf8))
        let player = opened(exchange, rows: 60)
        let isSafe = player.text.unicodeScalars.allSatisfy {
            $0 == "\n" || $0.value >= 0x20 && $0.value != 0x7F && $0.value != 0x202E
        }
        #expect(isSafe)
    }

    @Test
    func `the Overview lists the applied rules; the Response tab also shows the changed response`()
    {
        let player = DetailPlayer([DetailSamples.ruled], columns: 100, rows: 60)
        #expect(player.text.contains("staging, break the shop, slow"))
        player.press(Key("3"))
        #expect(player.text.contains("sent to the client instead"))
        #expect(player.text.contains("HTTP/1.1 503 Service Unavailable"))
        #expect(player.text.contains("a different body was sent"))
        player.press(Key("2"))
        #expect(!player.text.contains("a different body was sent"))
    }

    @Test func `the labels of all tabs fit into 80 columns in shortened form`() {
        let bar = TabBar(DetailTab.allCases, columns: 80)
        #expect(bar.entries.count == 10)
        #expect(bar.entries.allSatisfy { $0.column + $0.label.count <= 80 })
        #expect(bar.entries.last?.label == "0 Sec")
        #expect(bar.tab(at: bar.entries[8].column) == .changes)
        #expect(bar.tab(at: bar.entries[9].column) == .security)
        let wide = TabBar(DetailTab.allCases, columns: 120)
        #expect(wide.entries.map(\.label).contains(" 2 Request "))
    }
}

/// The tab Security: certificates and tokens.
@Suite struct SecurityTabTests {
    private static let token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ."

    @Test func `an exchange with a JSON Web Token has a Security tab`() {
        var exchange = DetailSamples.post
        exchange.request.head = RequestHead(
            method: .get, target: Array("/".utf8),
            fields: HeaderFields([(name: "Authorization", value: "Bearer \(Self.token)")]))
        let player = DetailPlayer([exchange], columns: 120, rows: 40)
        #expect(player.text.contains("0 Security"))
        player.press(Key("0"))
        #expect(player.screenModel?.tab == .security)
        #expect(player.text.contains("request authorization  not verified"))
        #expect(player.text.contains("\"sub\": \"ada\""))
        #expect(player.text.contains("none were shown"))
    }

    @Test func `an exchange without certificates or tokens has no Security tab`() {
        let player = DetailPlayer([DetailSamples.post])
        #expect(!player.text.contains("Security"))
        player.press(Key("0"))
        #expect(player.text.contains("no certificates or tokens"))
    }
}

/// Cookies and faults as lines of their tabs.
struct FieldLinesTests {
    private func exchange(
        _ sent: [(name: String, value: String)], _ set: [(name: String, value: String)]
    ) -> Exchange {
        DetailSamples.exchange(1, .get, "/", sent, "", set, [])
    }

    private func text(_ exchange: Exchange) -> [String] {
        CookieLines(exchange: exchange).lines().map(\.text)
    }

    @Test func `the Cookies tab lists each cookie on a line with its attributes below`() {
        let lines = text(
            exchange(
                [("Cookie", "a=1; b = x=y ;c"), ("cookie", "d=")],
                [("Set-Cookie", "a=2; Path=/; HttpOnly;Max-Age = 5"), ("set-cookie", "e")]))
        #expect(
            lines == [
                "request", "  a = 1", "  b = x=y", "  c", "  d = ", "", "response", "  a = 2",
                "      Path /", "      HttpOnly", "      Max-Age 5", "  e",
            ])
    }

    @Test func `the Cookies tab says if no cookies were sent or set`() {
        #expect(
            text(exchange([], [])) == [
                "request", "  no cookies were sent", "", "response", "  no cookies were set",
            ])
    }

    @Test func `a rejected response is shown with the reason and the bytes received`() {
        let fault = ResponseFault(
            refusal: .init(bytes: Array("SSH-2.0\r\n\u{1B}".utf8), reason: "it is no HTTP"),
            repairs: ["a folded field line was joined"])
        #expect(
            FaultLines(fault: fault).lines().map(\.text) == [
                "", "repaired: a folded field line was joined", "", "refused: it is no HTTP",
                "what came from the server:", "  SSH-2.0", "  \u{1B}",
            ])
        #expect(FaultLines(fault: nil).lines().isEmpty)
    }
}
