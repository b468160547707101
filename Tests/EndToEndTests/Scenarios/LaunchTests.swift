import Foundation
import ProxydTestSupport
import Testing

/// `proxyctl run` and `proxyctl browser` with real programs.
struct LaunchTests {
    /// Whether the program and what it takes are there.
    private static func has(_ program: String, _ arguments: String...) -> Bool {
        Tool.find(program) != nil && (try? Tool.run(program, arguments))?.status == 0
    }

    private static let hasRequests = has("python3", "-c", "import requests")

    @Test func `proxyctl run starts a proxyd for the command if none is running`() throws {
        let rig = try LaunchRig(isTLS: true)
        let outcome = try rig.proxyctl("run", "--", "curl", "-sS", rig.origin.url("/own"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("proxyctl: curl uses a proxyd of its own on 127.0.0.1:"))
        #expect(try rig.rows().map { $0.text("url") } == [rig.origin.url("/own")])
        try rig.waitUntilNothingIsLeft()
    }

    @Test func `proxyctl run uses a proxyd that is already running`() throws {
        let rig = try LaunchRig(isTLS: true)
        let daemon = try rig.daemon()
        let outcome = try rig.proxyctl("run", "--", "curl", "-sS", rig.origin.url("/shared"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.errors.contains("curl uses the running proxyd on 127.0.0.1:\(daemon.port)"))
        #expect(try daemon.row().text("path") == "/shared")
        try rig.waitUntilNothingIsLeft()
    }

    @Test func `proxyctl run --tag tags what is recorded while its command runs`() throws {
        let rig = try LaunchRig()
        let before = try rig.proxyctl("run", "--", "curl", "-sS", rig.origin.url("/before"))
        #expect(before.status == 0, "\(before.errors)")
        let outcome = try rig.proxyctl(
            "run", "--tag", "new", "--tag", "t2", "--", "curl", "-sS", rig.origin.url("/tagged"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("proxyctl: tagged 1 exchange: new, t2"))
        #expect(try rig.rows("tag=new tag=t2").map { $0.text("path") } == ["/tagged"])
        #expect(try rig.proxyctl("run", "--tag", "", "--", "true").status == 64)
    }

    private func daemon(_ rig: LaunchRig, listeningOn addresses: [String]) throws -> Service {
        let service = try Service(
            try Tool.built("proxyd"),
            addresses.flatMap { ["--listen", $0] } + ["--data-dir", rig.folder.path + "/data"])
        for _ in addresses { _ = try service.readLine() }
        return service
    }

    @Test func `proxyctl run uses a listener in proxy mode, and fails if there is none`() throws {
        let rig = try LaunchRig()
        let both = try daemon(rig, listeningOn: ["socks://127.0.0.1:0", "127.0.0.1:0"])
        let outcome = try rig.proxyctl("run", "--", "curl", "-sS", rig.origin.url("/proxied"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        both.signal(SIGTERM)
        #expect(both.waitForExit() == 0)
        #expect(try rig.rows().map { $0.text("path") } == ["/proxied"])
        let socks = try daemon(rig, listeningOn: ["socks://127.0.0.1:0"])
        let refused = try rig.proxyctl("run", "--", "true")
        #expect(refused.status != 0)
        #expect(refused.errors.contains("the daemon has no listener in mode proxy"))
        socks.signal(SIGTERM)
        #expect(socks.waitForExit() == 0)
    }

    @Test func `proxyctl run exits with the status of its command`() throws {
        let rig = try LaunchRig()
        #expect(try rig.proxyctl("run", "--", "sh", "-c", "exit 7").status == 7)
        #expect(try rig.proxyctl("run", "--", "sh", "-c", "kill -TERM $$").status == 143)
        #expect(try rig.proxyctl("run", "--", "no-such-program").status == 127)
        #expect(try rig.proxyctl("run", "--", "/etc/passwd").status == 126)
        #expect(try rig.proxyctl("run").status == 64)
    }

    /// Runs a command, and expects that its one request over TLS was recorded.
    private func expectRecorded(_ command: String..., path: String) throws {
        let rig = try LaunchRig(isTLS: true)
        let url = rig.origin.url(path)
        let outcome = try Tool.run(
            try Tool.built("proxyctl"),
            ["run", "--"] + command.map { $0.replacing("URL", with: url) },
            environment: rig.environment, seconds: 120)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let rows = try rig.rows("path=\(path)")
        #expect(rows.map { $0.text("scheme") } == ["https"], "\(outcome.errors)")
        #expect(rows.map { $0.int("status") } == [200])
    }

    @Test func `proxyctl run records requests of Python's urllib`() throws {
        try expectRecorded(
            "python3", "-c", "import urllib.request as u; u.urlopen('URL').read()", path: "/urllib")
    }

    @Test(.enabled(if: hasRequests, "Python's requests is not installed"))
    func `proxyctl run records requests of Python's requests library`() throws {
        try expectRecorded(
            "python3", "-c", "import requests; requests.get('URL').raise_for_status()",
            path: "/requests")
    }

    @Test(
        .enabled(if: has("node", "--version"), "Node is not installed"),
        arguments: [
            "require('https').get('URL', r => r.resume())",
            "fetch('URL').then(r => r.text())",
            "fetch(new Request('URL')).then(r => r.text())",
        ])
    func `proxyctl run records requests of Node's https module and fetch`(script: String) throws {
        try expectRecorded("node", "-e", script, path: "/node")
    }

    @Test(.enabled(if: has("java", "-version"), "Java is not installed"))
    func `proxyctl run records requests of Java's URL class`() throws {
        let folder = try ScratchFolder()
        let file = try folder.write(
            "Get.java",
            """
            public class Get {
                public static void main(String[] a) throws Exception {
                    new java.net.URL(a[0]).openStream().readAllBytes();
                }
            }
            """)
        try expectRecorded("java", file, "URL", path: "/java")
    }

    @Test(.enabled(if: has("wget", "--version"), "wget is not installed"))
    func `proxyctl run records requests of wget`() throws {
        try expectRecorded("wget", "-q", "-O", "/dev/null", "URL", path: "/wget")
    }

    @Test(.enabled(if: has("git", "--version"), "git is not installed"))
    func `proxyctl run records requests of git`() throws {
        let rig = try LaunchRig(isTLS: true)
        // There is no repository: what counts is that git could ask.
        _ = try rig.proxyctl("run", "--", "git", "ls-remote", rig.origin.url("/repository"))
        #expect(try rig.rows("path:/repository scheme=https status>0").count >= 1)
    }

    @Test(
        .enabled(
            if: Browser.isAvailable && Tool.find("certutil") != nil,
            "Chromium or certutil is not installed"))
    func `proxyctl browser runs Chromium with a temporary profile that trusts the CA`() throws {
        let rig = try LaunchRig(isTLS: true)
        let outcome = try rig.proxyctl(
            "browser", "chromium", "--", "--headless", "--no-sandbox", "--disable-gpu",
            "--disable-dev-shm-usage", "--dump-dom", rig.origin.url("/browser"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        let rows = try rig.rows("path=/browser")
        #expect(rows.map { $0.text("scheme") } == ["https"])
        #expect(rows.map { $0.int("status") } == [200])
        try rig.waitUntilNothingIsLeft()
    }

    @Test(
        .enabled(
            if: Tool.find("firefox-esr") != nil && Tool.find("certutil") != nil,
            "Firefox or certutil is not installed"))
    func `proxyctl browser runs Firefox with a temporary profile that trusts the CA`() throws {
        let rig = try LaunchRig(isTLS: true)
        let picture = rig.folder.path + "/page.png"
        let outcome = try rig.proxyctl(
            "browser", "firefox", "--", "--headless", "--screenshot", picture,
            rig.origin.url("/browser"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        let rows = try rig.rows("path=/browser")
        #expect(rows.map { $0.text("scheme") } == ["https"])
        #expect(rows.map { $0.int("status") } == [200])
        #expect(FileManager.default.fileExists(atPath: picture))
        try rig.waitUntilNothingIsLeft()
    }

    @Test func `proxyctl browser says how to install a browser that is missing`() throws {
        let rig = try LaunchRig()
        let outcome = try rig.proxyctl("browser", "firefox", more: ["PATH": "/nowhere"])
        #expect(outcome.status == 127)
        #expect(outcome.errors.contains("firefox is not installed: apt-get install firefox-esr"))
        #expect(try rig.proxyctl("browser", "netscape").status == 64)
    }
}

/// Runs of proxyctl that start other programs, with a folder for files, and one for temporary ones.
final class LaunchRig {
    let folder: ScratchFolder
    let temporary: ScratchFolder
    let origin: Origin
    private let certificate: TestCertificate?

    /// `isTLS` is whether the origin speaks TLS.
    init(isTLS: Bool = false) throws {
        folder = try ScratchFolder()
        temporary = try ScratchFolder()
        certificate = isTLS ? try TestCertificate() : nil
        origin = try Origin(tls: certificate)
    }

    var environment: [String: String] {
        var variables = ["TMPDIR": temporary.path, "PROXYD_DATA_DIR": folder.path + "/data"]
        if let certificate { variables["SSL_CERT_FILE"] = certificate.certificatePath }
        return variables
    }

    func proxyctl(_ arguments: String..., more: [String: String] = [:]) throws -> Tool.Outcome {
        try Tool.run(
            try Tool.built("proxyctl"), arguments,
            environment: environment.merging(more) { $1 }, directory: folder.path, seconds: 120)
    }

    /// A daemon on the same data directory, which trusts the origin.
    func daemon() throws -> Daemon { try Daemon(trusting: certificate, data: folder) }

    /// Exchanges as `list --json` tells them.
    func rows(_ filter: String = "") throws -> [Row] {
        try proxyctl("list", "--json", filter).text.split(separator: "\n").map {
            try Row(json: String($0))
        }
    }

    /// Waits until nothing temporary is left.
    func waitUntilNothingIsLeft() throws {
        try Eventually.isTrue(orFail: "these stay: \(temporary.names)") {
            temporary.names.isEmpty
        }
    }
}
