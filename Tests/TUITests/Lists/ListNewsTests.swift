import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydOperations
import Testing

@testable import Capture
@testable import ProxydTUI

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

    @Test func `going to the newest row of the list clears the count of new exchanges`() {
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

    @Test func `a row can show the symbols for mark, pin, note, replay and rule side by side`() {
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

    @Test(arguments: [160, 200])
    func `the list shows each host with its scheme, and with its port unless it is the default`(
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

    @Test(arguments: [80, 120])
    func `on narrow screens, no row of the list shows its scheme, and plain HTTP has its port`(
        _ columns: Int
    ) {
        let player = Player(
            [
                Rows.row(1) {
                    $0.scheme = "http"
                    $0.host = "a.test"
                    $0.port = 80
                }, Rows.row(2) { $0.host = "b.test" },
            ], size: Size(columns: columns, rows: 24))
        for _ in 0..<2 {
            #expect(player.text.contains("a.test:80"))
            #expect(player.text.contains("b.test"))
            #expect(!player.text.contains("://"))
            player.type("W")
        }
    }

    @Test(arguments: [80, 120, 160])
    func `the list and the waterfall never cut long methods or the name of a gRPC method`(
        _ columns: Int
    ) {
        let player = Player(
            [
                Rows.row(1) { $0.method = "OPTIONS" },
                Rows.row(2) {
                    $0.method = "POST"
                    $0.path = "/shop.catalog.v1.ProductService/GetProduct"
                    $0.requestContentType = "application/grpc"
                    $0.messageCount = 2
                    $0.grpcStatus = 5
                },
            ], size: Size(columns: columns, rows: 24))
        for _ in 0..<2 {
            #expect(player.text.contains("OPTIONS"))
            #expect(player.text.contains("/GetProduct"))
            player.type("W")
        }
    }

    @Test(arguments: [(80, 23), (120, 40), (160, 57), (240, 121)])
    func `the path gets what the longest host leaves of its column`(
        _ columns: Int, _ pathWidth: Int
    ) {
        let path = "/" + String(repeating: "p", count: 300)
        let player = Player(
            [
                Rows.row(1) {
                    $0.path = path
                    $0.host = "api.test"
                }
            ], size: Size(columns: columns, rows: 24))
        #expect(player.lines[1].count { $0 == "p" } == pathWidth)
        player.rows.change {
            $0[0].host = "one.of.the.longest.hosts.example.com"
        }
        player.update(.storeChanged)
        #expect(player.lines[1].count { $0 == "p" } < pathWidth)
        #expect(player.lines[1].contains("example.com /p"))
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

/// Commands that are shown to be copied.
struct ShellLinesTests {
    private static let command: ShellLines = [
        "curl -x http://127.0.0.1:8080", "--cacert '/home/ann lee/ca file.pem'",
        "-H \"a: b \\\" c\"", "https://example.com/",
    ]
    private static let words = [
        "curl", "-x", "http://127.0.0.1:8080", "--cacert", "/home/ann lee/ca file.pem", "-H",
        "a: b \" c", "https://example.com/",
    ]

    /// The words that a shell makes of a command.
    private func shellWords(_ command: String) throws -> [String] {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "printf '%s\\n' \(command)"]
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test(arguments: [1, 10, 25, 30, 45, 60, 80, 200])
    func `a shell parses a wrapped command into the same words at any width`(width: Int) throws {
        let lines = Self.command.lines(width: width)
        #expect(try shellWords(lines.joined(separator: "\n")) == Self.words)
    }

    @Test
    func `a shell command is shown on one line if it fits, otherwise on several lines that fit`() {
        #expect(Self.command.lines(width: 200).count == 1)
        #expect(Self.command.lines(width: 50).count > 1)
        #expect(Self.command.lines(width: 50).allSatisfy { $0.count <= 50 })
    }
}
