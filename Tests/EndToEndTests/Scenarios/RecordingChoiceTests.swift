import Foundation
import ProxydTestSupport
import Testing

/// Recording by choice: paused by hand, or by a filter of the configuration.
@Suite(.timeLimit(.minutes(10)))
struct RecordingChoiceTests {
    @Test func `while recording is paused, exchanges are forwarded and counted but not recorded`()
        throws
    {
        let origin = try ReplayOrigin()
        let daemon = try Daemon()
        func get(_ path: String) throws -> String {
            try daemon.curl("http://\(origin.authority)\(path)").text
        }
        #expect(try get("/before") == "ok")
        #expect(try daemon.proxyctl(["record", "pause"]).text == "recording is paused\n")
        #expect(try get("/meanwhile") == "ok")
        let status = try Row(json: try daemon.proxyctl(["status", "--json"]).text)
        #expect(status.object["recording"] as? Bool == false)
        #expect(status.int("unrecorded_exchanges") == 1)
        #expect(try daemon.proxyctl(["record", "resume"]).status == 0)
        #expect(try get("/after") == "ok")
        let paths = try daemon.rows(count: 2).compactMap { $0.text("path") }
        #expect(Set(paths) == ["/before", "/after"])
    }

    @Test func `a filter in the configuration selects the exchanges that are recorded`() throws {
        let origin = try ReplayOrigin()
        let daemon = try Daemon(configuration: "[recording]\nfilter = \"not path:/health\"\n")
        for path in ["/health", "/pay", "/health/deep"] {
            #expect(try daemon.curl("http://\(origin.authority)\(path)").text == "ok")
        }
        #expect(try daemon.row().text("path") == "/pay")
        let status = try Row(json: try daemon.proxyctl(["status", "--json"]).text)
        #expect(status.int("unrecorded_exchanges") == 2)
        try "[recording]\nfilter = \"status=200\"\n".write(
            toFile: daemon.data.path + "/proxyd.toml", atomically: true, encoding: .utf8)
        let check = try Tool.run(
            try Tool.built("proxyd"),
            ["--check-config", "--config", daemon.data.path + "/proxyd.toml"])
        #expect(check.status == 78, "\(check)")
        #expect(check.errors.contains("column 1: status is not known when"), "\(check)")
    }
}
