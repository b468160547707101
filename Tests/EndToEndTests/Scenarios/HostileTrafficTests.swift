import Foundation
import ProxydTestSupport
import Testing

/// Traffic that wants to do something to the terminal, in every place that shows it: no byte of
/// it gets there.
@Suite(.timeLimit(.minutes(10)))
struct HostileTrafficTests {
    /// Where the texts are from.
    enum Source: CaseIterable {
        case ourselves, bigList

        var strings: [String] {
            self == .ourselves ? HostileStrings.own : HostileStrings.bigList
        }

        /// Those that are here.
        static var present: [Source] { allCases.filter { !$0.strings.isEmpty } }
    }

    /// A store with the traffic.
    private func store(_ strings: [String]) throws -> ScratchFolder {
        let directory = try ScratchFolder()
        let traffic = HostileTraffic(strings: strings)
        let file = directory.path + "/traffic.jsonl"
        try traffic.file.write(to: URL(fileURLWithPath: file))
        let outcome = try Tool.run(
            try Tool.built("proxyctl"), ["--data-dir", directory.path + "/data", "import", file])
        try #require(outcome.status == 0, "\(outcome.errors.prefix(2_000))")
        try #require(
            outcome.text.contains("imported \(traffic.lines.count) exchanges"),
            "\(outcome.text)\(outcome.errors.prefix(2_000))")
        return directory
    }

    @Test(arguments: Source.present)
    func `the exchange list never prints escape sequences from captured traffic, on any page`(
        _ source: Source
    )
        throws
    {
        let directory = try store(source.strings)
        let walk = try InterfaceWalk(store: directory.path + "/data")
        try walk.terminal.wait(for: "/everything")
        var top = Int.max
        while top > 1 {
            top = try walk.rowsBefore(top)
            walk.terminal.type("\u{1B}[5~")
        }
        try walk.leave()
    }

    @Test func `the exchange view never prints escape sequences from captured traffic, in any tab`()
        throws
    {
        let directory = try store(HostileStrings.own)
        let walk = try InterfaceWalk(store: directory.path + "/data")
        try walk.filter("path=/everything")
        try walk.go("\r", to: "1 Overview")
        for tab in ["2", "3", "4", "6"] {
            try walk.go(tab)
            let last = try walk.follow(" ")
            #expect(last.contains(HostileTraffic.end), "tab \(tab)")
        }
        try walk.go("1", to: "everything")
        #expect(try walk.follow(" ").contains("total"))
        try walk.go("5")
        try walk.follow(" ")
        try walk.go("7")
        try walk.go(" ")
        try walk.go("G")
        try walk.leave()
    }

    @Test
    func `no body viewer in the terminal interface prints escape sequences from captured traffic`()
        throws
    {
        let directory = try store(HostileStrings.own)
        let walk = try InterfaceWalk(store: directory.path + "/data")
        var seen: Set<String> = []
        for body in HostileBody.all([]) {
            try walk.filter("path=/body/\(body.name)")
            try walk.go("\r", to: "1 Overview")
            try walk.go("3", to: "[")
            seen.formUnion(try walk.viewers(of: body.name, but: seen))
            try walk.close()
        }
        #expect(seen.count == 12, "\(seen)")
        try walk.leave()
    }

    @Test(arguments: Source.present)
    func `screens, prompts and clipboard copies emit no escape sequences from captured traffic`(
        _ source: Source
    ) throws {
        let directory = try store(source.strings)
        let walk = try InterfaceWalk(store: directory.path + "/data")
        try walk.go("T", to: "evil.test")
        try walk.go("l")
        try walk.follow(" ")
        try walk.close()
        try walk.go("W", to: "receive")
        try walk.go("gg")
        try walk.go("W")
        try walk.go("S", to: "slowest")
        try walk.follow(" ")
        try walk.close()
        try walk.go("ggmm", to: "2 marked")
        try walk.go("D", to: "Request")
        for _ in 1...3 {
            try walk.follow(" ")
            try walk.go("\t")
        }
        try walk.close()
        let pasted = String(source.strings.joined(separator: " ").prefix(2_000))
        for (key, title) in [("/", "C-u clears"), (";", "Note"), ("t", "Tag"), (":", "Actions")] {
            try walk.question(key, showing: title, pasting: pasted)
        }
        for key in ["y", "Y", "\u{1B}y", "\u{1B}h", "\u{1B}b", "\u{1B}H"] {
            #expect(try walk.copy(key) != nil)
        }
        try walk.filter("path=/everything")
        try walk.go("e", to: "Edit a copy of")
        try walk.follow("\u{1B}[6~")
        try walk.leave()
    }

    @Test(arguments: Source.present)
    func `on a terminal, proxyctl commands print no escape sequences from captured traffic`(
        _ source: Source
    )
        throws
    {
        let directory = try store(source.strings)
        let data = directory.path + "/data"
        let last = HostileTraffic(strings: source.strings).lines.count
        let bodies = last - HostileBody.all([]).count
        var commands = [
            ["list"], ["list", "--limit", "9999", "--json"],
            ["sql", "SELECT * FROM exchanges"], ["sql", "SELECT * FROM exchanges", "--json"],
            ["check"], ["status"], ["list", source.strings[source.strings.count / 2]],
        ]
        commands += [1, 2, 3, 4, bodies, last - 1, last].map { ["show", "\($0)"] }
        commands += (bodies - 1...last).flatMap {
            [["show", "\($0)", "--raw"], ["show", "\($0)", "--body"]]
        }
        for command in commands {
            let terminal = try PseudoTerminal(
                try Tool.built("proxyctl"), ["--data-dir", data] + command, dialect: .lines)
            _ = try terminal.finish()
            #expect(terminal.stream.refused == [], "\(command)")
        }
    }

    @Test func `on a terminal, proxyctl tail prints no escape sequences from live traffic`() throws
    {
        let directory = try store(HostileStrings.own)
        let command = ["--data-dir", directory.path + "/data"]
        let program = try Tool.built("proxyctl")
        let terminal = try PseudoTerminal(program, command + ["tail"], dialect: .lines)
        // It follows from when it is ready, which nothing tells: the same comes until it is seen.
        for _ in 1...60 where !terminal.stream.grid.text.contains("/everything") {
            try Tool.run(program, command + ["import", directory.path + "/traffic.jsonl"])
            terminal.drain(quiet: 500)
        }
        try terminal.wait(for: "/everything")
        terminal.signal(SIGTERM)
        _ = try terminal.finish()
        #expect(terminal.stream.refused == [])
    }

    @Test func `on a terminal, proxyd's log output contains no escape sequences from traffic`()
        throws
    {
        let directory = try ScratchFolder()
        let configuration = directory.path + "/proxyd.toml"
        try "log_level = \"debug\"\n".write(
            toFile: configuration, atomically: true, encoding: .utf8)
        let terminal = try PseudoTerminal(
            try Tool.built("proxyd"),
            [
                "--listen", "127.0.0.1:0", "--data-dir", directory.path + "/data", "--config",
                configuration,
            ], dialect: .lines)
        let screen = try terminal.wait { $0.text.contains(/listening on 127.0.0.1:[0-9]+,/) }
        let match = try #require(screen.firstMatch(of: /listening on 127.0.0.1:([0-9]+),/))
        let port = try #require(Int(match.1))
        let echo = try EchoServer()
        for text in HostileStrings.own {
            for request in [
                "GET http://evil\(text)/ HTTP/1.1\r\n\r\n", "\(text)\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: \(text)\r\n\r\n",
                "CONNECT \(text):443 HTTP/1.1\r\nHost: \(text)\r\n\r\n",
                "GET http://127.0.0.1:\(echo.port)/ HTTP/1.1\r\nHost: x\r\nX: \(text)\r\n"
                    + "Connection: close\r\n\r\n",
            ] {
                let client = try RawClient(port: port)
                client.send(request)
                client.endSending()
                _ = client.readToEnd()
                terminal.drain(quiet: 0)
            }
        }
        terminal.signal(SIGTERM)
        #expect(try terminal.finish() == 0)
        #expect(terminal.stream.refused == [])
    }

    /// Keys at random; `TERMINAL_FUZZ_KEYS` says how many and `TERMINAL_FUZZ_SEED` which.
    @Test
    func `random keys never make the terminal interface print escape sequences from traffic`()
        throws
    {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["TERMINAL_FUZZ_KEYS"].flatMap(Int.init) ?? 150
        let seed = environment["TERMINAL_FUZZ_SEED"].flatMap(UInt64.init) ?? 2_718
        let directory = try store(HostileStrings.own)
        let walk = try InterfaceWalk(store: directory.path + "/data")
        var keys = RandomKeys(seed: seed)
        for _ in 0..<count {
            walk.terminal.type(keys.next())
            walk.terminal.drain(quiet: 5)
            if !walk.terminal.stream.refused.isEmpty { break }
        }
        // Leaves whatever dialogue it is in, then the program.
        #expect(try walk.terminal.finish(pressing: "\u{3}") == 0, "TERMINAL_FUZZ_SEED=\(seed)")
        #expect(walk.terminal.stream.refused == [], "TERMINAL_FUZZ_SEED=\(seed)")
    }
}

/// Keys at random, the same for the same seed; none of them leaves or suspends.
struct RandomKeys {
    private var numbers: SplitMix

    private static let special = [
        "\r", "\r", "\t", "\u{1B}[A", "\u{1B}[B", "\u{1B}[C", "\u{1B}[D", "\u{1B}[5~", "\u{1B}[6~",
        "\u{1B}[H", "\u{1B}[F", "\u{1B}[Z", "\u{1B}OP", "\u{1B}[15~", "\u{4}", "\u{15}", "\u{6}",
        "\u{2}", "\u{7F}", "\u{C}", "\u{13}", "\u{1B}y", "\u{1B}h", "\u{1B}b", "\u{1B}m",
        "\u{1B}[<0;20;9M\u{1B}[<0;20;9m", "\u{1B}[<64;20;9M", "\u{1B}[<65;20;9M",
        "\u{1B}[200~\u{202E}\u{9B}2J\u{1B}]0;x\u{7}\u{1B}[201~",
    ]
    // Neither q nor Q, and no second Escape, which would make what follows another key.
    private static let plain = "gGhjkl/fFovmU;tpyRTWSDnerXb123457JK[]xwcCNVaAsd+-=_0?:* ".map(
        String.init)

    init(seed: UInt64) { numbers = SplitMix(seed: seed) }

    mutating func next() -> String {
        let all = RandomKeys.plain + RandomKeys.special
        return all[Int.random(in: 0..<all.count, using: &numbers)]
    }
}
