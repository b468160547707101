import Foundation
import ProxydTestSupport
import Testing

/// Whether curl knows NTLM, and Python serves it.
private let isUsable: Bool = {
    let version = try? Tool.run("curl", ["--version"])
    return version?.text.contains("NTLM") == true && Tool.find("python3") != nil
}()

/// NTLM through the proxy, with curl: a connection is known to its server as one user's.
@Suite(.enabled(if: isUsable, "no curl with NTLM, or no python3"))
struct AuthenticatedConnectionTests {
    let proxy: Daemon
    let server: NTLMServer
    let secure: NTLMServer

    init() throws {
        let certificate = try TestCertificate()
        proxy = try Daemon(trusting: certificate)
        server = try NTLMServer()
        secure = try NTLMServer(tls: certificate)
    }

    private func server(_ isSecure: Bool) -> NTLMServer { isSecure ? secure : server }

    @Test(arguments: [false, true])
    func `a server connection authenticated with NTLM is not used for another client`(
        isSecure: Bool
    ) throws {
        let url = server(isSecure).url
        #expect(try proxy.curl("--ntlm", "-u", "alice:x", url + "/a").text == "alice")
        #expect(try proxy.curl("-w", "%{http_code}", url + "/a").text == "who?401")
        #expect(try proxy.curl("--ntlm", "-u", "bob:x", url + "/a").text == "bob")
    }

    @Test(arguments: [false, true])
    func `ten concurrent NTLM users are each authenticated as themselves`(isSecure: Bool) throws {
        let url = server(isSecure).url
        let script = """
            for n in 0 1 2 3 4 5 6 7 8 9; do
                curl -sS --max-time 60 -x "$1" --cacert "$2" --ntlm -u "user$n:x" \
                    "$3/1" "$3/2" "$3/3" > "$4/$n" &
            done
            wait
            for n in 0 1 2 3 4 5 6 7 8 9; do cat "$4/$n"; echo; done
            """
        let scratch = try ScratchFolder()
        let outcome = try Tool.run(
            "bash", ["-c", script, "-", proxy.url, proxy.certificatePath, url, scratch.path])
        let wanted = (0..<10).map { String(repeating: "user\($0)", count: 3) }
        #expect(outcome.text.split(separator: "\n").map(String.init) == wanted)
    }

    @Test func `consecutive requests of one NTLM user reuse one server connection`() throws {
        let url = server.url
        try proxy.curl("--ntlm", "-u", "alice:x", url + "/1", url + "/2")
        let rows = try proxy.rows(count: 3)
        #expect(rows.map { $0.int("status") } == [401, 200, 200])
        let reused = try rows.map {
            try proxy.show($0).row("timeline")?.int("connection_reused")
        }
        #expect(reused == [0, 1, 1])
    }
}

/// A server that authenticates connections; see Servers/ntlm.py.
final class NTLMServer {
    let url: String
    private let service: Service

    init(tls: TestCertificate? = nil) throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Servers/ntlm.py").path
        let arguments = tls.map { [$0.certificatePath, $0.keyPath] } ?? []
        service = try Service(Tool.find("python3") ?? "", [script] + arguments)
        let port = try service.readLine()
        url = tls == nil ? "http://127.0.0.1:\(port)" : "https://localhost:\(port)"
    }
}
