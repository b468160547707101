import Foundation
import Testing

/// Networks that are slow or bad because a rule says so, as a person has them.
@Suite(.timeLimit(.minutes(10)))
struct SlowNetworkTests {
    private let data: TemporaryDirectory

    init() throws { data = try TemporaryDirectory() }

    private func daemon(
        _ rules: String, trusting certificate: TestCertificate? = nil
    ) throws -> Daemon {
        try rules.write(toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        return try Daemon(trusting: certificate, data: data)
    }

    /// What the record says of the rules of an exchange: each detail, in order.
    private func details(of row: Row, in daemon: Daemon) throws -> [String] {
        let applied = try daemon.show(row).object["applied_rules"] as? [[String: Any]] ?? []
        return applied.compactMap { $0["detail"] as? String }
    }

    @Test(arguments: ["", "--http1.1", "--http2"])
    func `a connection is cut where a rule says, in each version of HTTP`(
        _ version: String
    ) throws {
        let certificate = version.isEmpty ? nil : try TestCertificate()
        let server = try Origin(tls: certificate)
        let daemon = try daemon(
            """
            [[rule]]
            name = "cut"
            when = 'path:/bytes'
            request = [{ throttle = { cut_after = 50000 } }]

            """, trusting: certificate)
        let cut = try daemon.curl(
            version.isEmpty ? "--http1.1" : version, "-o", "/dev/null", "-w", "%{size_download}",
            server.url("/bytes/100000"))
        // What the client reads of it is never more than may pass.
        #expect([18, 92].contains(cut.status), "\(cut)")
        #expect(Int(cut.text) ?? .max <= 50_000, "\(cut)")
        if version.isEmpty { #expect(cut.text == "50000") }
        let row = try daemon.row("path:/bytes")
        #expect(row.text("state") == "failed")
        #expect(row.text("error") == "rule blocked: cut")
        #expect(
            try details(of: row, in: daemon)
                == ["custom", "closed after 50000 bytes to the client"])
        // What is shorter is whole.
        let whole = try daemon.curl(
            "-o", "/dev/null", "-w", "%{size_download}", server.url("/bytes/50000"))
        #expect(whole.text == "50000" && whole.status == 0)
    }

    @Test func `a connection fails by chance, the same in each run`() throws {
        let server = try Origin()
        let daemon = try daemon(
            """
            [[rule]]
            name = "bad"
            when = 'path:/bytes'
            request = [{ throttle = { fail_per_10k = 100, seed = 7 } }]

            """)
        let reset = try daemon.curl("-o", "/dev/null", server.url("/bytes/10"))
        #expect(reset.status == 56, "\(reset)")
        let row = try daemon.row("path:/bytes")
        #expect(row.text("error") == "rule blocked: bad")
        #expect(
            try details(of: row, in: daemon) == ["custom", "reset after 0 bytes to the client"])
        #expect(row.int("status") == 200)
    }

    @Test func `an upload is cut on its way to the server`() throws {
        let server = try Origin()
        let daemon = try daemon(
            """
            [[rule]]
            name = "cut"
            request = [{ throttle = { cut_after = 1000 } }]

            """)
        let body = data.path + "/body"
        try Data(repeating: 0x61, count: 5_000).write(to: URL(fileURLWithPath: body))
        let cut = try daemon.curl("--data-binary", "@\(body)", server.url("/upload"))
        #expect(cut.status == 52 || cut.status == 56, "\(cut)")
        let row = try daemon.row()
        #expect(
            try details(of: row, in: daemon)
                == ["custom", "closed after 1000 bytes to the server"])
        #expect(row.int("request_body_bytes") == 5_000)
    }
}
