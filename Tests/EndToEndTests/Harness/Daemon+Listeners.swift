import Foundation
import ProxydTestSupport

extension Daemon {
    /// The port of the next listener of the configuration; the first listener is the daemon's own.
    func nextPort() throws -> Int {
        let line = try service.readLine()
        let prefix = "proxyd: listening on 127.0.0.1:"
        guard line.hasPrefix(prefix), let port = Int(line.dropFirst(prefix.count)) else {
            throw Tool.Failure(description: "no listener's line: \(line)")
        }
        return port
    }

    /// curl with our authority and without a proxy.
    func plainCurl(_ arguments: [String]) throws -> Tool.Outcome {
        try Tool.run(
            "curl", ["-sS", "--max-time", "60", "--cacert", certificatePath] + arguments)
    }

    /// What a listener sends to a client, to the end; nil if it resets the connection.
    static func answer(at port: Int, to bytes: [UInt8]) throws -> String? {
        let client = try RawClient(port: port)
        client.send(bytes)
        return client.readToEnd()
    }
}

/// A daemon that has a SOCKS listener, too.
struct SOCKSDaemon {
    static let table = """

        [[listener]]
        name = "socks"
        mode = "socks"
        address = "127.0.0.1:0"

        """

    let daemon: Daemon
    let port: Int

    /// `keys` are more lines of the listener's table.
    init(
        _ configuration: String = "", keys: String = "", rules: String? = nil,
        trusting certificate: TestCertificate? = nil
    ) throws {
        let data = try ScratchFolder()
        if let rules {
            try rules.write(
                toFile: data.path + "/rules.toml", atomically: true, encoding: .utf8)
        }
        daemon = try Daemon(
            trusting: certificate, configuration: configuration + Self.table + keys, data: data)
        port = try daemon.nextPort()
    }

    /// curl with the SOCKS listener as its proxy, whose scheme says which version it speaks.
    func curl(_ scheme: String, _ arguments: String...) throws -> Tool.Outcome {
        try daemon.plainCurl(["-x", "\(scheme)://127.0.0.1:\(port)"] + arguments)
    }
}
