import Capture
import Foundation
import ProxydTestSupport
import Testing

/// Over TCP, only a server with the right name and a known authority is talked to.
@Suite struct FleetTrustTests {
    /// A server with TLS, and its authority.
    private struct Rig {
        let scratch: ScratchFolder
        let cluster: PostgresCluster
        var authority: String { scratch.path + "/ca.crt" }

        init() throws {
            let scratch = try ScratchFolder(mode: 0o755)
            self.scratch = scratch
            for name in ["ca", "other"] {
                try OpenSSLTool.run(
                    "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=\(name) "
                        + "-keyout \(name).key -out \(name).crt", in: scratch.path)
            }
            try OpenSSLTool.run(
                "req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key "
                    + "-out server.csr", in: scratch.path)
            try scratch.write("names", "subjectAltName=DNS:localhost")
            try OpenSSLTool.run(
                "x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 "
                    + "-extfile names -out server.crt", in: scratch.path)
            try scratch.setMode(0o600, of: "server.key")
            try PostgresCluster.giveToServer(scratch.path + "/server.key")
            cluster = try PostgresCluster(
                port: FreePort.find(),
                settings: [
                    "listen_addresses": "127.0.0.1", "ssl": "on",
                    "ssl_cert_file": scratch.path + "/server.crt",
                    "ssl_key_file": scratch.path + "/server.key",
                ])
        }

        func asked(_ host: String, _ options: String) throws -> Tool.Outcome {
            try Tool.run(
                Tool.built("proxyctl"),
                [
                    "--store", "postgresql://postgres@\(host):\(cluster.port)/postgres?\(options)",
                    "list",
                ])
        }
    }

    @Test func `a PostgreSQL server is rejected unless its name and CA can be verified`() throws {
        let rig = try Rig()
        let good = "sslrootcert=\(rig.authority)&sslmode=verify-full"
        // The server is trusted; the database has no tables.
        #expect(try rig.asked("localhost", good).errors.contains("has no tables of proxyship"))
        let cases: [(host: String, options: String, reason: String)] = [
            ("127.0.0.1", good, "does not match host name"),
            (
                "localhost", "sslrootcert=\(rig.scratch.path)/other.crt&sslmode=verify-full",
                "certificate verify failed"
            ),
            ("localhost", "", "certificate verify failed"),
            ("localhost", "sslmode=require", "only sslmode=verify-full is accepted"),
            ("localhost", "sslmode=disable", "only sslmode=verify-full is accepted"),
        ]
        for one in cases {
            let outcome = try rig.asked(one.host, one.options)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains(one.reason), "\(one): \(outcome.errors)")
        }
    }
}
