import Foundation
import ProxydTestSupport

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
