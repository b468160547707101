import ProxydCaptureModel
import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI
import ProxydOperations

/// What the list tells beside its rows.
@Suite struct `Around the rows` {
    @Test func `the list counts new exchanges while it is not following them`() {
        let player = Player(Rows.plain(30))
        #expect(!player.text.contains(" new"))
        player.type("kk")
        player.rows.change { $0 += (31...118).map { Rows.row($0) } }
        player.update(.storeChanged)
        #expect(player.text.contains("+88 new"))
        player.type("F")
        #expect(!player.text.contains(" new"))
        player.rows.change { $0.append(Rows.row(119)) }
        player.update(.storeChanged)
        #expect(!player.text.contains(" new"))
    }

    @Test func `the count of new exchanges includes only those that match the list's filter`() {
        let player = Player(Rows.plain(30))
        player.type("/status=200")
        player.press(.enter)
        player.type("gk")
        player.rows.change {
            $0.append(Rows.row(31))
            $0.append(Rows.row(32) { $0.status = 500 })
        }
        player.now += 10_000_000_000
        player.update(.storeChanged)
        #expect(player.text.contains("+1 new"))
    }

    @Test func `going to the newest row resets the number of new exchanges`() {
        let player = Player(Rows.plain(30))
        player.type("k")
        player.rows.change { $0.append(Rows.row(31)) }
        player.update(.storeChanged)
        #expect(player.text.contains("+1 new"))
        player.type("G")
        #expect(!player.text.contains(" new"))
    }

    @Test func `an empty list shows a curl command with the daemon's address`() {
        let player = Player([])
        var facts = StatusFacts()
        facts.isDaemonRunning = true
        facts.listenAddresses = ["0.0.0.0:3128"]
        player.update(.status(facts))
        #expect(player.text.contains("curl -x http://127.0.0.1:3128 http://"))
        #expect(player.text.contains("proxyctl ca"))
        #expect(player.text.contains("--cacert"))
        facts.listenAddresses = ["[::1]:9999"]
        player.update(.status(facts))
        #expect(player.text.contains("curl -x 'http://[::1]:9999' http://"))
    }

    @Test(arguments: [
        "/home/someone/.local/share/proxyd/authority/certificate.pem",
        "/home/someone/a/directory/with/a/long/name/proxyd/ca/cert.pem",
    ])
    func `the curl command shown in an empty list wraps only between words`(_ path: String) {
        let player = Player([], size: Size(columns: 80, rows: 24))
        var facts = StatusFacts()
        facts.isDaemonRunning = true
        facts.listenAddresses = ["127.0.0.1:8080"]
        facts.certificatePath = path
        player.update(.status(facts))
        let lines = player.text.split(separator: "\n").map {
            String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        let curl = "curl -x http://127.0.0.1:8080"
        #expect(lines.contains("\(curl) http://example.com/"))
        let first = lines.firstIndex(of: curl + " \\") ?? 0
        #expect(
            lines.dropFirst(first).prefix(3) == [
                curl + " \\", "--cacert \(path) \\", "https://example.com/",
            ], "\(player.text)")
    }

    @Test func `a certificate path that is too long gets its own line in the curl command`() {
        let player = Player([], size: Size(columns: 80, rows: 24))
        var facts = StatusFacts()
        facts.certificatePath = "/" + String(repeating: "p", count: 64) + ".pem"
        player.update(.status(facts))
        #expect(player.text.contains("--cacert \\"))
        #expect(player.text.contains("\(facts.certificatePath ?? "") \\"), "\(player.text)")
    }

    @Test func `without a daemon, an empty list says how to start proxyd`() {
        let player = Player(ScriptedRows([], failure: "nothing was captured yet"))
        var facts = StatusFacts()
        facts.isDaemonRunning = false
        player.update(.status(facts))
        #expect(player.text.contains("proxyd"))
        #expect(player.text.contains("curl -x http://127.0.0.1:8080 http://"))
    }

    @Test func `a row shows the symbols for marked, pinned, note, replay and rule together`() {
        let player = Player([
            Rows.row(1) {
                $0.isPinned = true
                $0.note = "look"
                $0.replayOf = ExchangeID(rawValue: 1)
                $0.rules = ["staging"]
            }, Rows.row(2),
        ])
        player.type("gm")
        #expect(player.lines[1].hasPrefix("●!+↺≠"))
        player.type("W")
        #expect(player.lines[1].hasPrefix("●!+↺≠"))
    }

    @Test(arguments: [80, 120])
    func `the list shows each host with its scheme, and with a port that is not the default`(
        _ columns: Int
    ) {
        let player = Player(
            [
                Rows.row(1) {
                    $0.scheme = "http"
                    $0.host = "a.test"
                    $0.port = 8081
                }, Rows.row(2) { $0.host = "b.test" },
                Rows.row(3) {
                    $0.host = "much.too.long.for.any.column.of.this.list.example.org"
                    $0.port = 8443
                },
            ], size: Size(columns: columns, rows: 24))
        for _ in 0..<2 {
            #expect(player.text.contains("http://a.test:8081"))
            #expect(player.text.contains("https://b.test"))
            #expect(!player.text.contains("b.test:443"))
            #expect(player.text.contains("org:8443"))
            #expect(player.text.contains("/items/3"))
            player.type("W")
        }
    }

    @Test
    func `the export dialog offers the marked exchanges, those that match the filter, or all`() {
        let player = Player(Rows.varied)
        player.type("X")
        #expect(player.text.contains("[everything]"))
        player.press(.escape)
        player.type("/status=200")
        player.press(.enter)
        player.type("X")
        #expect(player.text.contains("[what the filter shows]"))
        player.press(.escape)
        player.type("mX")
        #expect(player.text.contains("[1 marked]"))
        #expect(player.text.contains("Enter exports"))
        player.press(.escape)
        player.type("*")
        #expect(player.text.contains("Enter sends"))
    }
}
