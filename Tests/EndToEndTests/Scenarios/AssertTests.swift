import Foundation
import FoundationXML
import ProxydTestSupport
import Testing

/// `proxyctl assert` through the real programs.
struct AssertTests {
    private let once = """
        [[expect]]
        name = "asks once"
        when = 'path=/a'
        count = 1
        every = 'status<500 method=GET'

        """

    // MARK: A store

    @Test
    func `proxyctl assert checks expectations on the store and exits with 0 only if they hold`()
        throws
    {
        let rig = try LaunchRig()
        let file = try rig.folder.write("a.toml", once)
        #expect(try rig.proxyctl("assert", file).status == 66)
        let daemon = try rig.daemon()
        // What a client has received is checked, though it may not be stored yet.
        try daemon.curl(rig.origin.url("/a"))
        let outcome = try rig.proxyctl("assert", file)
        #expect(outcome.status == 0 && outcome.text == "ok    asks once  1 exchange\nall 1 hold\n")
        try daemon.curl(rig.origin.url("/a"))
        let failed = try rig.proxyctl("assert", "a.toml")
        #expect(failed.status == 1 && failed.text.contains("expected 1 of path=/a, found 2"))
        #expect(try rig.proxyctl("assert", file, "--scope", "id=2").status == 0)
        #expect(try rig.proxyctl("assert", file, "--scope", "hots=2").status == 64)
        #expect(try rig.proxyctl("assert").status == 64)
        #expect(try rig.proxyctl("assert", file, "--tap", "--json").status == 64)
        #expect(try rig.proxyctl("assert", file, "--data-dir", "/x", "--", "true").status == 64)
        let broken = try rig.folder.write("b.toml", "[[expect]]\nname = 1\n")
        let mistakes = try rig.proxyctl("assert", broken)
        #expect(mistakes.status == 65)
        #expect(mistakes.errors.contains("b.toml:2: name: expected a string, found an integer\n"))
        #expect(mistakes.errors.contains("b.toml:1: an [[expect]] needs when or sequence\n"))
        #expect(try rig.proxyctl("assert", "none.toml").status == 65)
    }

    @Test func `proxyctl assert --file fails on a damaged file even if the expectations hold`()
        throws
    {
        let rig = try LaunchRig()
        let daemon = try rig.daemon()
        for path in ["/a", "/b"] { try daemon.curl(rig.origin.url(path)) }
        _ = try daemon.rows(count: 2)
        #expect(try rig.proxyctl("export", "--format", "har", "--output", "whole.har").status == 0)
        try rig.folder.write("a.toml", once)
        #expect(try rig.proxyctl("assert", "a.toml", "--file", "whole.har").status == 0)
        let bytes = try rig.folder.content(of: "whole.har")
        let text = String(decoding: bytes, as: UTF8.self)
        let second = try #require(text.range(of: "/b"))
        try rig.folder.write("cut.har", String(text[..<second.lowerBound]))
        let cut = try rig.proxyctl("assert", "a.toml", "--file", "cut.har")
        #expect(cut.status == 1 && cut.text.contains("cut.har is damaged"), "\(cut.text)")
        let compared = try rig.proxyctl("compare", "--file", "cut.har", "path=/a", "path=/a")
        #expect(compared.errors.contains("the record may be incomplete: cut.har is damaged"))
    }

    @Test func `proxyctl assert --junit replaces an old report even if the checks cannot run`()
        throws
    {
        let rig = try LaunchRig()
        try rig.folder.write("broken.toml", "x")
        try rig.folder.write("a.toml", once)
        for arguments in [
            ["broken.toml"], ["a.toml", "--keep-failed", "/nonexistent/failed.har"], ["none.toml"],
        ] {
            try rig.folder.write("report.xml", "an earlier one")
            let outcome = try Tool.run(
                Tool.built("proxyctl"), ["assert", "--junit", "report.xml"] + arguments,
                environment: rig.environment, directory: rig.folder.path, seconds: 120)
            #expect(outcome.status != 0)
            let report = try rig.folder.content(of: "report.xml")
            #expect(String(decoding: report, as: UTF8.self).contains("<failure"), "\(arguments)")
        }
    }

    @Test(arguments: [false, true])
    func `if checks fail, proxyctl assert writes valid JUnit XML and prints nothing to stderr`(
        runsCommand: Bool
    ) throws {
        let rig = try LaunchRig()
        try rig.folder.write("a.toml", "[[expect]]\nname = 'b'\nwhen = 'path=/b'\n")
        let daemon = runsCommand ? nil : try rig.daemon()
        try daemon?.curl(rig.origin.url("/a"))
        let arguments = ["assert", "a.toml", "--junit", "report.xml"]
        let outcome = try Tool.run(
            Tool.built("proxyctl"),
            arguments + (runsCommand ? ["--", "curl", "-sS", rig.origin.url("/a")] : []),
            environment: rig.environment, directory: rig.folder.path, seconds: 120)
        #expect(outcome.status == 1)
        #expect(outcome.errors == "")
        let report = try rig.folder.content(of: "report.xml")
        let parser = XMLParser(data: Data(report))
        #expect(parser.parse(), "\(String(decoding: report, as: UTF8.self))")
        let xml = String(decoding: report, as: UTF8.self)
        #expect(xml.contains("<testcase") && xml.contains("failures=\"1\""))
        #expect(!xml.contains("the checks run"))
    }

    @Test
    func `proxyctl assert --keep-failed writes the failed exchanges to a HAR without credentials`()
        throws
    {
        let rig = try LaunchRig()
        try rig.folder.write("a.toml", once + "[[expect]]\nname = 'b'\nwhen = 'path=/b'\n")
        let daemon = try rig.daemon()
        for _ in 0..<2 {
            try daemon.curl(
                "-H", "Authorization: Bearer s3cret", rig.origin.url("/a?token=s3cret"))
        }
        try daemon.curl(rig.origin.url("/b"))
        _ = try daemon.rows(count: 3)
        let outcome = try rig.proxyctl(
            "assert", "a.toml", "--keep-failed", "failed.har", "--junit", "report.xml", "--json")
        #expect(outcome.status == 1)
        let har = try rig.folder.content(of: "failed.har")
        #expect(!String(decoding: har, as: UTF8.self).contains("s3cret"))
        let object = try Row(json: String(decoding: har, as: UTF8.self))
        #expect((object.row("log")?.object["entries"] as? [Any])?.count == 2)
        #expect(rig.folder.mode(of: "failed.har") == 0o600)
        let xml = String(decoding: try rig.folder.content(of: "report.xml"), as: UTF8.self)
        #expect(xml.contains("tests=\"2\" failures=\"1\""))
        #expect(try Row(json: outcome.text).int("failures") == 1)
    }

    // MARK: A command

    @Test
    func `proxyctl assert starts a proxyd for its command and leaves no file or process behind`()
        throws
    {
        let rig = try LaunchRig(isTLS: true)
        try rig.folder.write("a.toml", once)
        let curl = ["assert", "a.toml", "--", "curl", "-sS", rig.origin.url("/a")]
        let outcome = try Tool.run(
            try Tool.built("proxyctl"), curl, environment: rig.environment,
            directory: rig.folder.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.hasSuffix("ok    asks once  1 exchange\nall 1 hold\n"))
        try rig.waitUntilNothingIsLeft()
        #expect(rig.folder.names == ["a.toml"])
    }

    @Test(arguments: [
        ("kill -9 $(pgrep -P $PPID -x proxyd)", "proxyd ended before the command did"),
        ("$PROXYCTL --data-dir \"${SSL_CERT_FILE%/*}/data\" record pause", "recording is stopped"),
    ])
    func `proxyctl assert fails if proxyd is killed or recording is paused during the command`(
        harm: String, words: String
    ) throws {
        let rig = try LaunchRig()
        try rig.folder.write("a.toml", once)
        let script = "curl -sS \(rig.origin.url("/a")) && \(harm)"
        var environment = rig.environment
        environment["PROXYCTL"] = try Tool.built("proxyctl")
        let outcome = try Tool.run(
            try Tool.built("proxyctl"), ["assert", "a.toml", "--", "sh", "-c", script],
            environment: environment, directory: rig.folder.path)
        #expect(outcome.status == 1, "\(outcome.text)\(outcome.errors)")
        #expect(outcome.text.contains("FAIL  everything is recorded"), "\(outcome.text)")
        #expect(outcome.text.contains(words), "\(outcome.text)")
    }

    @Test
    func `proxyctl assert --junit replaces an old report even if the command cannot be started`()
        throws
    {
        let rig = try LaunchRig()
        try rig.folder.write("a.toml", once)
        try rig.folder.write("report.xml", "<testsuites/>")
        let outcome = try rig.proxyctl(
            "assert", "a.toml", "--junit", "report.xml", "--", "/nonexistent")
        #expect(outcome.status == 1)
        let xml = String(decoding: try rig.folder.content(of: "report.xml"), as: UTF8.self)
        #expect(xml.contains("failures=\"1\"") && xml.contains("nonexistent"), "\(xml)")
    }

    @Test func `proxyctl assert reports a failed command and its exit status before the checks`()
        throws
    {
        let rig = try LaunchRig()
        try rig.folder.write("a.toml", once)
        let script = "curl -s -o /dev/null \(rig.origin.url("/a")); exit 3"
        let outcome = try rig.proxyctl("assert", "a.toml", "--tap", "--", "sh", "-c", script)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("proxyctl: sh ended with status 3"))
        #expect(outcome.text.contains("1..2\nnot ok 1 - the command sh succeeds"))
        #expect(outcome.text.contains("ok 2 - asks once"))
        #expect(try rig.proxyctl("assert", "a.toml", "--", "no-such-program").status == 1)
        try rig.waitUntilNothingIsLeft()
    }

    @Test func `proxyctl assert fails if its command did not use the proxy`() throws {
        let rig = try LaunchRig()
        try rig.folder.write("a.toml", "[[expect]]\nname = 'n'\nwhen = 'path=/b'\ncount = 0\n")
        let outcome = try rig.proxyctl(
            "assert", "a.toml", "--", "curl", "-s", "--noproxy", "*", rig.origin.url("/a"))
        #expect(outcome.status == 1)
        #expect(outcome.text.contains("the store has no exchanges: did the client use the proxy?"))
    }

    @Test func `with --json, proxyctl assert writes the stdout of its command to stderr`()
        throws
    {
        let rig = try LaunchRig()
        try rig.folder.write("a.toml", once)
        let script = "echo spoken; curl -s -o /dev/null \(rig.origin.url("/a"))"
        let outcome = try rig.proxyctl("assert", "a.toml", "--json", "--", "sh", "-c", script)
        #expect(outcome.errors.contains("spoken"))
        #expect(try Row(json: outcome.text).int("failures") == 0)
    }

    // MARK: Golden files

    @Test
    func `proxyctl assert --update writes a golden file; later runs report differences from it`()
        throws
    {
        let rig = try LaunchRig()
        try rig.folder.write(
            "checks/a.toml",
            """
            [[golden]]
            name = "pages"
            file = "golden/pages.jsonl"
            when = 'path:/golden'
            match = "key"
            mask = ["port", "json:headers"]
            """)
        func run(_ paths: String..., update: Bool = false) throws -> Tool.Outcome {
            let urls = paths.map(rig.origin.url)
            return try Tool.run(
                try Tool.built("proxyctl"),
                ["assert", "checks/a.toml"] + (update ? ["--update"] : [])
                    + ["--", "curl", "-sS"] + urls, environment: rig.environment,
                directory: rig.folder.path)
        }
        let missing = try run("/golden/1")
        #expect(missing.status == 1 && missing.text.contains("make it with --update"))
        #expect(try run("/golden/1", "/golden/2", update: true).status == 0)
        let golden = try rig.folder.content(of: "checks/golden/pages.jsonl")
        #expect(golden.split(separator: 0x0A).count == 2)
        #expect(try run("/golden/2", "/golden/1").status == 0)
        #expect(try run("/golden/2", "/golden/1", update: true).status == 0)
        #expect(try rig.folder.content(of: "checks/golden/pages.jsonl") == golden)
        let other = try run("/golden/2", "/golden/3")
        #expect(other.status == 1)
        #expect(other.text.contains("GET http://127.0.0.1/golden/1 is missing"))
        #expect(other.text.contains("GET http://127.0.0.1/golden/3 is not in the file"))
        try rig.folder.write("checks/golden/pages.jsonl", "{]")
        #expect(try run("/golden/1").status == 65)
    }

    // MARK: Ends

    @Test(arguments: [SIGTERM, SIGKILL])
    func `when proxyctl assert is killed, the proxyd and the command that it started exit too`(
        signal: Int32
    )
        throws
    {
        let rig = try LaunchRig()
        try rig.folder.write("a.toml", once)
        let service = try Service(
            try Tool.built("proxyctl"),
            [
                "assert", rig.folder.path + "/a.toml", "--", "sh", "-c",
                "echo $http_proxy; exec sleep 600",
            ],
            environment: rig.environment)
        let proxy = try service.readLine()
        let port = try #require(Int(proxy.split(separator: ":").last ?? ""))
        service.signal(signal)
        _ = service.waitForExit()
        try rig.waitUntilNothingIsLeft()
        #expect(throws: (any Error).self) { try RawClient(port: port) }
    }
}
