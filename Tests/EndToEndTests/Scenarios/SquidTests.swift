import Foundation
import ProxydTestSupport
import Testing

/// Squid, another program, as the upstream proxy.
@Suite(
    .enabled(if: Squid.isInstalled, "squid is not installed: scripts/install-dependencies --test"))
struct SquidTests {
    @Test(arguments: [Squid.Scheme.none, .basic, .digest])
    func `requests and tunnels can go through Squid as an upstream proxy`(scheme: Squid.Scheme)
        throws
    {
        let certificate = try TestCertificate()
        let (plain, secured) = (try Origin(), try Origin(tls: certificate))
        let squid = try Squid(scheme, tunnelsTo: secured.port)
        let more =
            scheme == .none ? "" : "user = \"me\"\npassword_file = \"SECRET\""
        let proxy = try Daemon(through: squid.url, trusting: certificate, more)
        for url in [plain.url("/a"), secured.url("/b"), plain.url("/c"), secured.url("/d")] {
            let outcome = try proxy.curl("-w", "%{http_code}", url)
            #expect(outcome.text.hasSuffix("200"), "\(url) \(outcome.text) \(outcome.errors)")
        }
        #expect(try proxy.rows(count: 4).allSatisfy { $0.int("status") == 200 })
    }

    @Test func `a tunnel that Squid refuses gets a 502 from proxyd without Squid's error page`()
        throws
    {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let squid = try Squid(.none, tunnelsTo: 1)
        let proxy = try Daemon(through: squid.url, trusting: certificate)
        let outcome = try proxy.curl("-i", origin.url("/"))
        #expect(outcome.text.contains("\r\n\r\nHTTP/1.1 502 "), "\(outcome.text)")
        #expect(!outcome.text.lowercased().contains("squid"))
        #expect(try proxy.row().text("error")?.contains("\"corp\" refused a tunnel") == true)
    }
}

/// A Squid of its own on a free port.
final class Squid {
    enum Scheme: Sendable {
        case none, basic, digest
    }

    private static let program = ["/usr/sbin/squid", "/usr/local/sbin/squid"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    private static let helpers = "/usr/lib/squid"
    static let isInstalled =
        program != nil
        && FileManager.default.isExecutableFile(atPath: helpers + "/digest_file_auth")

    let port: Int
    private let folder: ScratchFolder
    private let service: Service

    init(_ scheme: Scheme, tunnelsTo tunnelPort: Int) throws {
        // As root, Squid becomes another user, who writes its log here.
        folder = try ScratchFolder()
        let path = folder.path
        chmod(path, 0o777)
        port = try FreePort.find()
        try folder.write(
            "basic",
            Array("#!/bin/sh\nwhile read user secret; do\n".utf8)
                + Array("[ \"$user $secret\" = \"me secret\" ] && echo OK || echo ERR\ndone\n".utf8)
        )
        chmod(path + "/basic", 0o755)
        try folder.write("digest", Array("me:secret\n".utf8))
        chmod(path + "/digest", 0o644)
        let access = scheme == .none ? "http_access allow all" : "http_access allow users"
        let authentication =
            switch scheme {
            case .none: ""
            case .basic:
                """
                auth_param basic program \(path)/basic
                auth_param basic realm up
                acl users proxy_auth REQUIRED
                """
            case .digest:
                """
                auth_param digest program \(Self.helpers)/digest_file_auth \(path)/digest
                auth_param digest realm up
                acl users proxy_auth REQUIRED
                """
            }
        let text = """
            http_port 127.0.0.1:\(port)
            pid_filename none
            cache deny all
            cache_log \(path)/cache.log
            access_log none
            coredump_dir \(path)
            shutdown_lifetime 0 seconds
            visible_hostname upstream.test
            acl tunnels port \(tunnelPort)
            acl CONNECT method CONNECT
            \(authentication)
            http_access deny CONNECT !tunnels
            \(access)
            http_access deny all
            """
        try folder.write("squid.conf", Array((text + "\n").utf8))
        service = try Service(
            Self.program ?? "", ["-N", "-d", "1", "-f", path + "/squid.conf"])
        try service.waitForLog("Accepting HTTP")
    }

    var url: String { "http://127.0.0.1:\(port)" }
}
