import Foundation

/// A server of gRPC made with grpcio, and its client; see Servers/rpc.py for the calls.
final class RPCServer {
    private static let python = "/usr/bin/python3"
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Servers/rpc.py").path

    /// Whether grpcio is there.
    static let isAvailable = (try? Tool.run(python, ["-c", "import grpc"]))?.status == 0

    let port: Int
    let isSecure: Bool
    private let service: Service

    /// A server, with TLS where it has a certificate.
    init(_ certificate: TestCertificate? = nil) throws {
        let files = certificate.map { [$0.certificatePath, $0.keyPath] } ?? []
        isSecure = certificate != nil
        service = try Service(RPCServer.python, [RPCServer.script, "serve"] + files)
        port = Int(try service.readLine()) ?? 0
    }

    /// What the client prints about its calls, which go through a proxy.
    func run(_ what: String, through proxy: Daemon) throws -> [RPCCall] {
        try RPCServer.run(arguments(what, proxy))
    }

    /// What the client prints about its calls of a server without TLS, which go through no proxy.
    static func run(_ what: String, at port: Int) throws -> [RPCCall] {
        try run([script, what, "-", String(port)])
    }

    private static func run(_ arguments: [String]) throws -> [RPCCall] {
        try output(arguments).split(separator: "\n").map { try RPCCall(String($0)) }
    }

    /// Makes 2,500 small calls and sends 2,500 small messages on one stream, through a proxy or
    /// directly to a port; returns how many of each were answered.
    func countMany(through proxy: Daemon) throws -> [String: Int] {
        try RPCServer.counts(arguments("many", proxy))
    }

    static func countMany(at port: Int) throws -> [String: Int] {
        try counts([script, "many", "-", String(port)])
    }

    private static func counts(_ arguments: [String]) throws -> [String: Int] {
        try JSONDecoder().decode([String: Int].self, from: Data(output(arguments).utf8))
    }

    private static func output(_ arguments: [String]) throws -> String {
        let outcome = try Tool.run(python, arguments, seconds: 200)
        guard outcome.status == 0 else { throw Tool.Failure(description: outcome.errors) }
        return outcome.text
    }

    /// The client, under way.
    func start(_ what: String, through proxy: Daemon) throws -> Service {
        try Service(RPCServer.python, arguments(what, proxy))
    }

    private func arguments(_ what: String, _ proxy: Daemon) -> [String] {
        [RPCServer.script, what, "\(proxy.port)", "\(port)"]
            + (isSecure ? [proxy.certificatePath] : [])
    }
}

/// One call as the client tells it.
struct RPCCall {
    let method: String
    let sent: [Data]
    let got: [Data]
    let code: Int
    let details: String

    init(_ line: String) throws {
        let row = try Row(json: line)
        method = row.text("method") ?? ""
        sent = RPCCall.messages(row, "sent")
        got = RPCCall.messages(row, "got")
        code = row.int("code") ?? -1
        details = row.text("details") ?? ""
    }

    private static func messages(_ row: Row, _ key: String) -> [Data] {
        (row.object[key] as? [[Int]] ?? []).map { pattern($0[0], $0[1]) }
    }

    /// The message that the client tells by its length and its first byte.
    private static func pattern(_ length: Int, _ first: Int) -> Data {
        let unit = Data((0..<251).map { UInt8((first + $0 * 7) % 251) })
        var message = Data(capacity: length + unit.count)
        while message.count < length { message.append(unit) }
        return message.prefix(length)
    }
}
