import ProxydHTTPModel
import ProxydInterchange
import Testing

/// What was found in a packet capture.
struct PacketFindings {
    var exchanges: [ImportedExchange] = []
    var problems: [ImportProblem] = []
    var leftOut: [String] = []
}

/// Writes what tshark reports about a connection, and reads it.
protocol PacketReporting {}

extension PacketReporting {
    static var client: String { "127.0.0.1\t\t4000\t127.0.0.1\t\t80" }
    static var server: String { "127.0.0.1\t\t80\t127.0.0.1\t\t4000" }

    func hex(_ text: String) -> String { hex(Array(text.utf8)) }

    func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    func read(
        index: String, followed: String, problem: String? = nil, pieceByteCount: Int = 1 << 20,
        byteCountMax: Int? = nil
    ) throws -> PacketFindings {
        var found = PacketFindings()
        func take(_ entry: InterchangeReader.Entry) {
            switch entry {
            case .success(.exchange(let exchange)): found.exchanges.append(exchange)
            case .success(.messages(let messages)):
                found.exchanges[found.exchanges.count - 1].messages += messages
            case .success(.leftOut(let kind)): found.leftOut.append(kind)
            case .failure(let problem): found.problems.append(problem)
            }
        }
        var capture = byteCountMax.map { PacketCapture(byteCountMax: $0) } ?? PacketCapture()
        let bytes = Array(index.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
            capture.receive(index: Array(bytes[start...].prefix(pieceByteCount)))
        }
        try capture.finishIndex(problem: problem, take)
        while let arguments = capture.nextArguments() {
            #expect(arguments.contains("-z"))
            let bytes = Array(followed.utf8)
            for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
                try capture.receive(
                    followed: Array(bytes[start...].prefix(pieceByteCount)), take)
            }
        }
        return found
    }

    func heading(
        _ layer: String, _ first: String = "127.0.0.1:4000", number: Int = 7
    ) -> String {
        let line = String(repeating: "=", count: 67)
        return "\n\(line)\nFollow: \(layer),raw\nFilter: tcp.stream eq \(number)\n"
            + "Node 0: \(first)\nNode 1: :0\n"
    }

    var end: String { String(repeating: "=", count: 67) + "\n" }

    func row(
        _ time: String, _ isSent: Bool, _ method: String, _ status: String,
        layers: String = "eth:ip:tcp:http", number: Int = 7
    ) -> String {
        let ends = isSent ? Self.client : Self.server
        return "\(number)\t\(time)\t\(layers)\t\(ends)\t\(method)\t\(status)\t\n"
    }
}
