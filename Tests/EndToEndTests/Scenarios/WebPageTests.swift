import Foundation
import ProxydTestSupport
import Testing

/// `proxyctl web` beside a daemon, without one, and at its end.
struct WebPageTests {
    @Test func `the proxy rejects requests whose target is the running web interface`() throws {
        let proxy = try Daemon()
        let web = try RunningWeb(on: proxy.directory)
        for host in ["127.0.0.1", "localhost", "0.0.0.0", "127.1"] {
            let status = try proxy.curl(
                "-o", "/dev/null", "-w", "%{http_code}", "http://\(host):\(web.port)/")
            #expect(status.text == "508", "\(host)")
        }
        web.service.signal(SIGTERM)
        #expect(web.service.waitForExit() == 0)
        let status = try proxy.curl(
            "-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:\(web.port)/")
        #expect(status.text == "502")
    }

    @Test func `the web interface shows exchanges while proxyd runs and after proxyd has stopped`()
        throws
    {
        let proxy = try Daemon()
        let web = try RunningWeb(on: proxy.directory)
        try proxy.curl("-o", "/dev/null", "-d", "user=ann&pin=1+2", "http://127.0.0.1:1/login")
        _ = try proxy.rows(count: 1)
        let form = #""form":[["user","ann"],["pin","1 2"]]"#
        #expect(try web.curl("/api/v1/exchanges/1").contains(form))
        #expect(proxy.stop() == 0)
        #expect(try web.curl("/api/v1/exchanges/1").contains(form))
        #expect(try web.curl("/api/v1/status").contains(#""daemon":false"#))
    }

    @Test func `the web interface responds with a 503 until the store exists`() throws {
        let folder = try ScratchFolder()
        let web = try RunningWeb(on: folder.path + "/data")
        let status = ["-o", "/dev/null", "-w", "%{http_code}"]
        #expect(try web.curl("/api/v1/exchanges", status) == "503")
        let proxy = try Daemon(data: folder)
        try proxy.curl("-o", "/dev/null", "http://127.0.0.1:1/")
        _ = try proxy.rows(count: 1)
        #expect(try web.curl("/api/v1/count") == #"{"count":1}"#)
    }

    @Test
    func `the web interface rejects a Host that is not allowed and names the flag to allow it`()
        throws
    {
        let proxy = try Daemon()
        let web = try RunningWeb(on: proxy.directory, ["--allow-host", "inspector.test:8443"])
        let allowed = try web.curl(
            "/", ["-H", "Host: inspector.test:8443", "-o", "/dev/null", "-w", "%{http_code}"])
        #expect(allowed == "200")
        let refused = try web.curl("/", ["-H", "Host: other.test:80"])
        #expect(refused.contains("--allow-host other.test:80"))
    }

    @Test
    func `the web interface accepts an https Origin of an allowed host, but not of loopback`()
        throws
    {
        let proxy = try Daemon()
        let web = try RunningWeb(on: proxy.directory, ["--allow-host", "dash.corp.test:443"])
        func status(_ fields: String...) throws -> String {
            let options = fields.flatMap { ["-H", $0] }
            return try web.curl("/", options + ["-o", "/dev/null", "-w", "%{http_code}"])
        }
        #expect(try status("Host: dash.corp.test", "Origin: https://dash.corp.test") == "200")
        #expect(try status("Host: dash.corp.test:443") == "200")
        #expect(try status("Host: dash.corp.test:80") == "421")
        #expect(try status("Host: 127.0.0.1") == "421")
        #expect(try status("Origin: http://127.0.0.1:\(web.port)") == "200")
        #expect(try status("Origin: https://127.0.0.1:\(web.port)") == "403")
    }

    @Test func `the web interface responds with a 404 for a message that is not held`() throws {
        let proxy = try Daemon()
        let web = try RunningWeb(on: proxy.directory)
        let status = ["-o", "/dev/null", "-w", "%{http_code}"]
        #expect(try web.curl("/api/v1/holds/77", status) == "404")
        #expect(try web.curl("/api/v1/holds/77/drop", ["-X", "POST"] + status) == "404")
    }

    @Test func `the web interface's token is not in the logs, the page or the command line`() throws
    {
        let proxy = try Daemon()
        let web = try RunningWeb(on: proxy.directory)
        _ = try web.curl("/api/v1/status")
        try proxy.curl("-o", "/dev/null", "http://127.0.0.1:\(web.port)/")
        _ = try proxy.rows(count: 1)
        #expect(!web.service.errors.contains(web.token))
        #expect(!proxy.service.errors.contains(web.token))
        #expect(!(try web.curl("/")).contains(web.token))
        let arguments = try Data(contentsOf: URL(filePath: "/proc/\(web.service.pid)/cmdline"))
        #expect(!String(decoding: arguments, as: UTF8.self).contains(web.token))
    }
}

/// A running `proxyctl web`.
struct RunningWeb {
    let service: Service
    let port: Int
    let token: String

    /// Serves what the arguments name.
    init(_ arguments: [String]) throws {
        service = try Service(try Tool.built("proxyctl"), ["web", "--no-open"] + arguments)
        let line = try service.readLine()
        let parts = line.split(separator: "#token=")
        let port = parts[0].split(separator: ":").last?.dropLast()
        try #require(line.hasPrefix("proxyctl: http://127.0.0.1:") && parts.count == 2)
        self.port = try #require(port.flatMap { Int($0) })
        token = String(parts[1])
    }

    /// Serves a data directory.
    init(on directory: String, _ arguments: [String] = []) throws {
        try self.init(["--data-dir", directory] + arguments)
    }

    func curl(_ path: String, _ arguments: [String] = []) throws -> String {
        try Tool.run(
            "curl",
            [
                "-sS", "--max-time", "60", "-H", "Authorization: Bearer \(token)",
                "http://127.0.0.1:\(port)\(path)",
            ] + arguments
        ).text
    }
}
