internal import ProxydHTTPModel

/// Reads exchanges of a packet capture from what tshark reports about it. Its user runs tshark:
/// first with `indexArguments`, then with `nextArguments` until there are none, and passes on what
/// it writes.
public struct PacketCapture {
    /// The number of connections that tshark holds in its memory at a time.
    private static let groupCount = 32

    private var index = PacketIndex()
    private var waiting: [(number: Int, layers: [PacketConnection])] = []
    private var followed: FollowReader?
    private var isBroken = false

    private let byteCountMax: Int

    /// Creates a reader before tshark has run.
    public init() { self.init(byteCountMax: PacketBudget.byteCountMax) }

    /// - Parameter byteCountMax: The maximum size of what is kept of a connection.
    package init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Arguments with which tshark lists the connections with HTTP.
    public static var indexArguments: [String] {
        [
            "-n", "-Y", PacketIndex.filter, "-T", "fields", "-E", "separator=/t", "-E",
            "aggregator=,",
        ]
            + PacketIndex.fields.flatMap { ["-e", $0] }
    }

    /// Takes what tshark writes for `indexArguments`.
    public mutating func receive(index bytes: [UInt8]) { index.receive(bytes.span) }

    /// Ends the list of connections, and passes on what is not read.
    /// - Parameter problem: Why tshark could not read the file to its end; nil if it could.
    public mutating func finishIndex(
        problem: String?, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        isBroken = problem != nil
        if let problem { try take(.failure(ImportProblem(problem, isDamage: true))) }
        index.finish()
        for (number, entry) in index.connections.sorted(by: { $0.key < $1.key }) {
            if entry.isHidden { try take(.success(.leftOut("encrypted connection"))) }
            if !entry.readable.isEmpty { waiting.append((number, entry.readable)) }
        }
        waiting.reverse()
        if index.isTooLarge {
            try take(.failure(ImportProblem("it has too many connections", isDamage: true)))
        }
        index = PacketIndex()
    }

    /// Arguments with which tshark writes the bytes of the next connections; nil if all were
    /// written.
    public mutating func nextArguments() -> [String]? {
        guard !waiting.isEmpty else { return nil }
        var group: [Int: [PacketConnection]] = [:]
        var arguments = ["-n", "-q"]
        var follows: [String] = []
        for _ in 0..<PacketCapture.groupCount {
            guard let (number, layers) = waiting.popLast() else { break }
            group[number] = layers
            // What comes last is written first.
            follows += layers.map { "follow,\($0.isEncrypted ? "tls" : "tcp"),raw,\(number)" }
        }
        for follow in follows.reversed() { arguments += ["-z", follow] }
        followed = FollowReader(group, isBroken: isBroken, byteCountMax: byteCountMax)
        return arguments
    }

    /// Takes what tshark writes for `nextArguments`, and passes on the exchanges in it.
    public mutating func receive(
        followed bytes: [UInt8], _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        try followed?.receive(bytes.span, take)
    }
}
