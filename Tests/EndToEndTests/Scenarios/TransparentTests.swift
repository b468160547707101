import Foundation
import Glibc
import ProxydTestSupport
import Testing

/// Transparent listeners in networks of their own, with the firewall rules that proxyctl prints.
@Suite(.enabled(if: Networks.arePossible, "no network namespaces, nft or ip"))
struct TransparentTests {
    @Test(arguments: ["forwarded", "tproxy"])
    func `a transparent listener records forwarded traffic with host names and addresses`(
        _ scenario: String
    ) throws {
        let outcome = try Networks.run(scenario)
        expectServed(outcome, client: "10.77.1.2", client6: "[fd77:1::2]")
        #expect(outcome.text("phone") == "10.77.2.1 10.77.2.2 /phone\n")
        #expect(outcome.text("direct") == "curl 52")
        let direct = try #require(outcome.row(ofListener: "all-0", error: "itself"))
        #expect(direct["original_address"] as? String == "10.77.1.1:8088")
        let phone = try #require(outcome.row("http://10.77.2.2/phone"))
        #expect(phone["mode"] as? String == "proxy")
    }

    /// The daemon needs a user of its own, which only root can give it.
    @Test(.enabled(if: geteuid() == 0, "not root"))
    func `a transparent listener records traffic from local programs but rejects proxyd's own`()
        throws
    {
        let outcome = try Networks.run("programs")
        expectServed(outcome, client: "10.77.2.1", client6: "[fd77:2::1]")
        // Rules that do not except the daemon: it notices its own connection.
        let own = try #require(outcome.row(ofListener: "all-0", error: "redirects the proxy's own"))
        #expect(own["original_address"] as? String == "10.77.2.2:80")
    }

    private func expectServed(_ outcome: NetworkOutcome, client: String, client6: String) {
        let plain = outcome.text("http")
        #expect(plain.hasPrefix("HTTP/1.1 200 OK"))
        #expect(plain.hasSuffix("10.77.2.1 app.test /one\n"), "\(plain)")
        #expect(!plain.contains("Alt-Svc"))
        #expect(outcome.text("http6") == "fd77:2::1 [fd77:2::2] /six\n")
        #expect(outcome.text("https") == "10.77.2.1 app.test /secret\n")
        #expect(outcome.text("first") == "220 welcome\nyou said hello\n")
        // Rejected here, or never let out.
        #expect(["ConnectionRefusedError\n", "PermissionError\n"].contains(outcome.text("udp")))
        for (url, address) in [
            ("http://app.test/one", client), ("http://[fd77:2::2]/six", client6),
            ("https://app.test/secret", client), ("tunnel://10.77.2.2:2443", client),
        ] {
            let row = outcome.row(url)
            #expect(row?["mode"] as? String == "transparent", "\(url)")
            #expect((row?["client_address"] as? String)?.hasPrefix(address + ":") == true)
        }
        #expect(
            outcome.row("https://app.test/secret")?["original_address"] as? String
                == "10.77.2.2:443")
    }
}

/// Networks of their own, between which proxyd stands: see transparent.py.
enum Networks {
    private static let options = geteuid() == 0 ? ["--net", "--mount"] : ["-rnm"]

    static var arePossible: Bool {
        let check =
            "PATH=$PATH:/usr/sbin:/sbin; command -v nft ip nsenter setpriv && "
            + "unshare \(options.joined(separator: " ")) ip link set lo up"
        return (try? Tool.run("sh", ["-c", check]))?.status == 0
    }

    static func run(_ scenario: String) throws -> NetworkOutcome {
        let folder = try ScratchFolder()
        // The daemon runs as another user there.
        chmod(folder.path, 0o755)
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Servers/transparent.py").standardizedFileURL.path
        let outcome = try Tool.run(
            "unshare",
            options + [
                "python3", script, try Tool.built("proxyd"), try Tool.built("proxyctl"),
                folder.path, scenario,
            ])
        let object = try JSONSerialization.jsonObject(with: Data(outcome.text.utf8))
        return NetworkOutcome(try #require(object as? [String: Any], "\(outcome.errors)"))
    }
}

/// What clients got in a network, and what was recorded.
struct NetworkOutcome {
    private let object: [String: Any]
    private let rows: [[String: Any]]

    init(_ object: [String: Any]) {
        self.object = object
        rows = object["rows"] as? [[String: Any]] ?? []
    }

    func text(_ name: String) -> String { object[name] as? String ?? "" }

    func row(_ url: String) -> [String: Any]? { rows.first { $0["url"] as? String == url } }

    func row(ofListener name: String, error: String) -> [String: Any]? {
        rows.first {
            $0["listener"] as? String == name
                && ($0["error"] as? String)?.contains(error) == true
        }
    }
}
