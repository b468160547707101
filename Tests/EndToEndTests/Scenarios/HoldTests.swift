import Foundation
import ProxydTestSupport
import Testing

/// Breakpoints: what rules hold, and what people and scripts make of it.
@Suite(.timeLimit(.minutes(10)))
struct HoldTests {
    private let data: ScratchFolder
    private let origin: ReplayOrigin

    init() throws {
        data = try ScratchFolder()
        origin = try ReplayOrigin()
    }

    private func daemon(
        _ rules: String, trusting certificate: TestCertificate? = nil
    ) throws -> Daemon {
        try write(rules)
        return try Daemon(trusting: certificate, data: data)
    }

    private func write(_ rules: String) throws {
        try rules.write(toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
    }

    private static let posts = """
        [[rule]]
        name = "posts"
        when = 'method=POST'
        request = [{ hold = true }]

        """

    private func url(_ path: String) -> String { "http://\(origin.authority)\(path)" }

    private func hold(_ daemon: Daemon, _ arguments: String...) throws -> Tool.Outcome {
        try daemon.proxyctl(["hold"] + arguments)
    }

    /// What the record says of the holds of an exchange.
    private func outcomes(_ daemon: Daemon, _ row: Row) throws -> [String] {
        let applied = try daemon.show(row).object["applied_rules"] as? [[String: Any]] ?? []
        return applied.map { rule in
            [rule["outcome"], rule["detail"]].compactMap { $0 as? String }.joined(separator: ", ")
        }
    }

    @Test func `a hold rule does not hold a request if no user is connected to decide about it`()
        throws
    {
        let daemon = try daemon(HoldTests.posts)
        #expect(try daemon.curl("-d", "a=1", url("/pay")).text == "ok")
        #expect(try outcomes(daemon, try daemon.row()) == ["not held: no one to ask"])
    }

    @Test func `a held request can be edited and resumed, and both versions are recorded`() throws {
        let daemon = try daemon(HoldTests.posts)
        let holder = try Holder(daemon)
        let fetch = try Fetch(daemon, "-d", "amount=5&note=%41", url("/pay?q=1"))
        let held = try holder.next()
        #expect(held.text("url") == url("/pay?q=1") && held.text("rule") == "posts")
        #expect(held.text("head")?.hasPrefix("POST \(url("/pay?q=1")) HTTP/1.1\r\n") == true)
        #expect(held.int("body_bytes") == 17)
        let id = String(try #require(held.int("hold")))
        #expect(try hold(daemon, "list").text.contains("/pay?q=1"))
        #expect(try hold(daemon, "show", "--body", id).text == "amount=5&note=%41")
        let edits = ["--set", "form:amount=7", "--set", "header:X-By=hand"]
        #expect(try daemon.proxyctl(["hold", "resume", id] + edits).status == 0)
        #expect(fetch.finish().text.hasSuffix("ok"))
        let sent = try origin.nextRequest()
        #expect(sent.contains("\r\nX-By: hand\r\n") && sent.hasSuffix("\r\n\r\namount=7&note=%41"))
        let row = try daemon.row()
        #expect(try outcomes(daemon, row) == ["held, changed"])
        let shown = try daemon.show(row)
        #expect(shown.row("request")?.text("body_text") == "amount=5&note=%41")
        let late = try hold(daemon, "resume", id)
        #expect(late.status == 1 && late.errors.contains("it is not held any more"), "\(late)")
    }

    @Test func `every proxyctl hold command can print JSON`() throws {
        let daemon = try daemon(HoldTests.posts)
        let holder = try Holder(daemon)
        func held(_ body: String) throws -> (fetch: Fetch, hold: String) {
            let fetch = try Fetch(daemon, "-d", body, url("/pay"))
            return (fetch, String(try #require(try holder.next().int("hold"))))
        }
        func decision(_ arguments: String...) throws -> String? {
            try Row(json: try daemon.proxyctl(["hold"] + arguments + ["--json"]).text)
                .text("decision")
        }
        var (fetch, hold) = try held("a=1")
        let shown = try Row(json: try self.hold(daemon, "show", hold, "--json").text)
        #expect(shown.text("body_text") == "a=1" && shown.text("rule") == "posts")
        #expect(shown.text("head")?.hasPrefix("POST ") == true)
        #expect(try self.hold(daemon, "show", hold, "--body", "--json").status == 64)
        #expect(try decision("resume", hold) == "resumed")
        _ = fetch.finish()
        (fetch, hold) = try held("a=2")
        #expect(try decision("answer", hold, "--status", "418") == "answered")
        _ = fetch.finish()
        (fetch, hold) = try held("a=3")
        #expect(try decision("drop", hold) == "dropped")
        _ = fetch.finish()
        (fetch, hold) = try held("a=4")
        let all = try self.hold(daemon, "resume-all", "--json")
        #expect(try Row(json: all.text).int("resumed") == 1)
        _ = fetch.finish()
        #expect(try self.hold(daemon, "show", hold, "--json").status == 1)
    }

    @Test func `proxyctl hold wait --json prints the next held message as JSON`() throws {
        let daemon = try daemon(HoldTests.posts)
        let waiting = try Service(
            try Tool.built("proxyctl"), ["--data-dir", daemon.directory, "hold", "wait", "--json"])
        try waiting.waitForLog("waiting for held messages")
        let fetch = try Fetch(daemon, "-d", "a=1", url("/pay"))
        #expect(try Row(json: try waiting.readLine()).text("url") == url("/pay"))
        #expect(waiting.waitForExit() == 0)
        fetch.leave()
    }

    @Test func `a message that hold wait printed stays held until the deadline that it printed`()
        throws
    {
        let daemon = try daemon(HoldTests.posts)
        let waiting = try Service(
            try Tool.built("proxyctl"),
            ["--data-dir", daemon.directory, "hold", "wait", "--for", "40"])
        try waiting.waitForLog("waiting for held messages")
        let fetch = try Fetch(daemon, "-d", "a=1", url("/pay"))
        let printed = try Row(json: try waiting.readLine())
        #expect(waiting.waitForExit() == 0)
        let listed = try Row(json: try hold(daemon, "list", "--json").text)
        // Without it, the deadline would be 10 seconds after the command, or 300 without an end.
        let wait = try moment(printed, "deadline").timeIntervalSince(moment(printed, "since"))
        #expect((30...41).contains(wait), "\(wait) s")
        let shift = try moment(listed, "deadline").timeIntervalSince(moment(printed, "deadline"))
        #expect(abs(shift) < 1, "\(shift) s")
        // No interface is left: other messages pass.
        #expect(try daemon.curl("-d", "a=2", url("/pay")).text == "ok")
        let id = String(try #require(printed.int("hold")))
        #expect(try hold(daemon, "resume", id).status == 0)
        #expect(fetch.finish().text.hasSuffix("ok"))
    }

    private func moment(_ row: Row, _ name: String) throws -> Date {
        let text = try #require(row.text(name))
        return try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)
    }

    @Test
    func `if only the body of a held message is edited, the new Content-Length is recorded`()
        throws
    {
        let daemon = try daemon(
            HoldTests.posts + "[[rule]]\nname = \"look\"\nresponse = [{ hold = true }]\n")
        let holder = try Holder(daemon)
        let fetch = try Fetch(daemon, "-d", "a=1", url("/pay"))
        var id = String(try #require(try holder.next().int("hold")))
        #expect(try hold(daemon, "resume", id, "--set", "body=changed").status == 0)
        id = String(try #require(try holder.next().int("hold")))
        #expect(try hold(daemon, "resume", id, "--set", "body=another").status == 0)
        #expect(fetch.finish().text.hasSuffix("\r\n\r\nanother"))
        #expect(try origin.nextRequest().contains("\r\nContent-Length: 7\r\n"))
        let shown = try daemon.show(try daemon.row())
        for side in ["request", "response"] {
            let sent = try #require(shown.row(side)?.row("sent"), "\(side)")
            let lengths = sent.pairs("headers").filter { $0.first == "Content-Length" }
            #expect(lengths == [["Content-Length", "7"]], "\(side)")
        }
    }

    @Test func `proxyctl hold resume can replace the head and the body of a request with files`()
        throws
    {
        let daemon = try daemon(HoldTests.posts)
        let holder = try Holder(daemon)
        let fetch = try Fetch(daemon, "-d", "a=1", url("/first"))
        let id = String(try #require(try holder.next().int("hold")))
        let head = data.path + "/head"
        try "PUT /second HTTP/1.1\nHost: name.test\nX-Own: 1\n"
            .write(toFile: head, atomically: true, encoding: .utf8)
        let body = data.path + "/body"
        try "longer than before".write(toFile: body, atomically: true, encoding: .utf8)
        for wrong in [["--set", "status=204"], ["--head", body]] {
            let refused = try daemon.proxyctl(["hold", "resume", id] + wrong)
            #expect(refused.status == 1, "\(refused)")
        }
        let resumed = try hold(daemon, "resume", id, "--head", head, "--body", body)
        #expect(resumed.status == 0, "\(resumed)")
        #expect(fetch.finish().text.hasSuffix("ok"))
        let sent = try origin.nextRequest()
        #expect(sent.hasPrefix("PUT /second HTTP/1.1\r\nHost: name.test\r\nX-Own: 1\r\n"))
        #expect(sent.hasSuffix("Content-Length: 18\r\n\r\nlonger than before"))
    }

    @Test func `a held request can be answered by the user or dropped`() throws {
        let daemon = try daemon(HoldTests.posts)
        let holder = try Holder(daemon)
        let asked = try Fetch(daemon, "-d", "a=1", url("/a"))
        var id = String(try #require(try holder.next().int("hold")))
        let answer = ["--status", "503", "--header", "Retry-After: 3", "--body", "later"]
        #expect(try daemon.proxyctl(["hold", "answer", id] + answer).status == 0)
        let text = asked.finish().text
        #expect(text.hasPrefix("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 3\r\n"))
        #expect(text.hasSuffix("\r\n\r\nlater"))
        let dropped = try Fetch(daemon, "-d", "a=1", url("/b"))
        id = String(try #require(try holder.next().int("hold")))
        #expect(try hold(daemon, "drop", id).status == 0)
        #expect(dropped.finish().status == 52)
        let rows = try daemon.rows(count: 2)
        #expect(rows.contains { $0.text("error") == "rule blocked: posts" })
        #expect(
            Set(try rows.flatMap { try outcomes(daemon, $0) })
                == ["held, answered", "held, dropped"])
    }

    @Test func `a response can be held and edited over HTTP/1.1 and HTTP/2`() throws {
        let certificate = try TestCertificate()
        let server = try Origin(tls: certificate)
        let daemon = try daemon(
            """
            [[rule]]
            name = "look"
            response = [{ hold = true }]

            """, trusting: certificate)
        let holder = try Holder(daemon)
        for version in ["--http1.1", "--http2"] {
            let fetch = try Fetch(daemon, version, server.url("/headers"))
            let held = try holder.next()
            #expect(held.text("phase") == "response" && held.int("status") == 200)
            let id = String(try #require(held.int("hold")))
            let edits = ["--set", "status=418", "--set", "header:x-by=hand", "--set", "body=mine"]
            let resumed = try daemon.proxyctl(["hold", "resume", id] + edits)
            #expect(resumed.status == 0, "\(resumed)")
            let text = fetch.finish().text
            #expect(text.contains(" 418 ") && text.contains("x-by: hand"), "\(version) \(text)")
            #expect(text.hasSuffix("\r\n\r\nmine"), "\(version)")
        }
    }

    @Test func `a held request whose client has disconnected can no longer be resumed`() throws {
        let daemon = try daemon(HoldTests.posts)
        let holder = try Holder(daemon)
        let fetch = try Fetch(daemon, "-d", "a=1", url("/pay"))
        let id = String(try #require(try holder.next().int("hold")))
        fetch.leave()
        let row = try daemon.row()
        #expect(row.text("error")?.hasPrefix("client closedEarly") == true)
        #expect(try outcomes(daemon, row) == ["held, client gone"])
        let late = try hold(daemon, "resume", id)
        #expect(late.errors.contains("the client is gone"), "\(late)")
    }

    @Test
    func `proxyd notices that a client disconnects even if part of its held upload is unread`()
        throws
    {
        let daemon = try daemon(HoldTests.posts)
        let holder = try Holder(daemon)
        let client = try RawClient(port: daemon.port)
        let head = "POST \(url("/pay")) HTTP/1.1\r\nHost: \(origin.authority)\r\n"
        client.send(head + "Content-Length: 50000000\r\n\r\n")
        // More than is held: the head alone waits, and what comes of the body is not read.
        client.send([UInt8](repeating: 97, count: 17 << 20))
        _ = try holder.next()
        client.close()
        let row = try daemon.row()
        #expect(row.text("error")?.hasPrefix("client ") == true)
        #expect(try outcomes(daemon, row) == ["held, client gone"])
    }

    @Test func `disabling a rule releases the requests that it holds`() throws {
        let daemon = try daemon(HoldTests.posts)
        let holder = try Holder(daemon)
        let fetch = try Fetch(daemon, "-d", "a=1", url("/pay"))
        _ = try holder.next()
        #expect(try daemon.proxyctl(["rule", "disable", "posts"]).status == 0)
        #expect(fetch.finish().text.hasSuffix("ok"))
        #expect(try outcomes(daemon, try daemon.row()) == ["held, released"])
    }

    @Test func `proxyd holds at most 100 requests at a time and releases them when it stops`()
        throws
    {
        let daemon = try daemon(HoldTests.posts)
        let holder = try Holder(daemon)
        // One more than are held at a time.
        let clients = try (0...100).map { _ in try RawClient(port: daemon.port) }
        let request = "POST \(url("/p")) HTTP/1.1\r\nHost: \(origin.authority)\r\n"
        for client in clients { client.send(request + "Content-Length: 3\r\n\r\na=1") }
        for _ in 0..<100 { _ = try holder.next() }
        #expect(try daemon.rows("state=complete", count: 1).count == 1)
        daemon.service.signal(SIGTERM)
        for client in clients { #expect(try client.read(until: "\r\n\r\nok").contains(" 200 ")) }
        #expect(daemon.service.waitForExit() == 0)
    }

    @Test func `a hold that times out resumes its message or, if so configured, drops it`() throws {
        let daemon = try daemon(
            """
            [[rule]]
            name = "short"
            when = 'path=/pass'
            request = [{ hold = true, timeout_s = 1 }]
            [[rule]]
            name = "strict"
            when = 'path=/drop'
            request = [{ hold = true, timeout_s = 1, otherwise = "drop" }]

            """)
        let holder = try Holder(daemon)
        let passed = try Fetch(daemon, url("/pass"))
        let dropped = try Fetch(daemon, url("/drop"))
        for _ in 0..<2 { _ = try holder.next() }
        #expect(passed.finish().text.hasSuffix("ok"))
        #expect(dropped.finish().status == 52)
        let rows = try daemon.rows(count: 2)
        #expect(
            Set(try rows.flatMap { try outcomes(daemon, $0) })
                == ["held, timed out, unchanged", "held, timed out, dropped"])
    }

    @Test func `proxyctl hold resume-all resumes the held messages that match a filter`() throws {
        let daemon = try daemon(HoldTests.posts)
        let holder = try Holder(daemon)
        let one = try Fetch(daemon, "-d", "a=1", url("/one"))
        let two = try Fetch(daemon, "-d", "a=1", url("/two"))
        for _ in 0..<2 { _ = try holder.next() }
        let some = try hold(daemon, "resume-all", "path=/one")
        #expect(some.text == "resumed 1 message\n", "\(some)")
        #expect(one.finish().text.hasSuffix("ok"))
        #expect(try hold(daemon, "list", "--json").text.contains("/two"))
        #expect(try hold(daemon, "resume-all").status == 0)
        #expect(two.finish().text.hasSuffix("ok"))
        let wrong = try hold(daemon, "resume-all", "hots=a")
        #expect(wrong.status == 64 && wrong.errors.contains("column 1"), "\(wrong)")
    }
}

/// An interface that takes holds: `proxyctl hold wait --follow`.
final class Holder {
    private let daemon: Daemon
    private let service: Service

    init(_ daemon: Daemon) throws {
        self.daemon = daemon
        service = try Service(
            try Tool.built("proxyctl"),
            ["--data-dir", daemon.directory, "hold", "wait", "--follow"])
        try service.waitForLog("waiting for held messages")
    }

    /// What is held next.
    func next() throws -> Row { try Row(json: try service.readLine()) }

    /// Stops taking holds.
    func leave() {
        service.signal(SIGTERM)
        _ = service.waitForExit()
    }
}

/// A request of curl that may be held.
final class Fetch {
    private let service: Service
    private let output: ScratchFolder

    init(_ daemon: Daemon, _ arguments: String...) throws {
        output = try ScratchFolder()
        guard let curl = Tool.find("curl") else {
            throw Tool.Failure(description: "curl is not installed")
        }
        service = try Service(
            curl,
            [
                "-sS", "-i", "--max-time", "60", "-x", daemon.url, "--cacert",
                daemon.certificatePath, "-o", output.path + "/response",
            ] + arguments)
    }

    /// Leaves before there is an answer.
    func leave() {
        service.signal(SIGKILL)
        _ = service.waitForExit()
    }

    /// Waits for its end: curl's exit status, and the response.
    func finish() -> (status: Int32, text: String) {
        let status = service.waitForExit()
        let data = FileManager.default.contents(atPath: output.path + "/response") ?? Data()
        return (status, String(decoding: data, as: UTF8.self))
    }
}
