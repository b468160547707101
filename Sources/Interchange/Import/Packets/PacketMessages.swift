internal import ProxydHTTPModel

/// Decodes the messages of a connection in a packet capture.
struct PacketMessages {
    private enum Version {
        case http1(PacketHTTP1)
        case http2(PacketHTTP2)
        case lost
    }

    private let number: Int
    private var version: Version
    /// Where the connection leads if it has become a tunnel through a proxy.
    var tunnel: (host: String, port: UInt16)? {
        if case .http1(let messages) = version { messages.tunnel } else { nil }
    }

    init(_ number: Int, _ connection: PacketConnection, byteCountMax: Int) {
        self.number = number
        version =
            connection.version == .http2
            ? .http2(PacketHTTP2(number, connection, byteCountMax: byteCountMax))
            : .http1(PacketHTTP1(number, connection, byteCountMax: byteCountMax))
    }

    /// Ends the decoding for a reason that is told at the end.
    mutating func lose(_ reason: String) {
        switch version {
        case .http1(var messages):
            messages.problem = messages.problem ?? reason
            version = .http1(messages)
        case .http2(var messages):
            messages.problem = messages.problem ?? reason
            version = .http2(messages)
        case .lost: break
        }
    }

    mutating func receive(
        _ bytes: [UInt8], isFromClient: Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        let before = version
        // Its bytes are not copied while it is changed.
        version = .lost
        switch before {
        case .http1(var messages):
            try messages.receive(bytes, isFromClient: isFromClient, take)
            version = .http1(messages)
        case .http2(var messages):
            try messages.receive(bytes, isFromClient: isFromClient, take)
            version = .http2(messages)
        case .lost: break
        }
    }

    /// Passes over bytes that the capture does not have.
    mutating func receive(
        gap byteCount: Int, isFromClient: Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        let before = version
        version = .lost
        switch before {
        case .http1(var messages):
            try messages.receive(gap: byteCount, isFromClient: isFromClient, take)
            version = .http1(messages)
        case .http2(var messages):
            try messages.receive(gap: byteCount, isFromClient: isFromClient, take)
            version = .http2(messages)
        case .lost: break
        }
    }

    /// Passes on what was not complete, unless the file is broken, and why nothing more could be
    /// read.
    mutating func finish(
        isBroken: Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        let problem: String?
        switch version {
        case .http1(var messages):
            try messages.finish(isBroken: isBroken, take)
            problem = messages.problem
            version = .http1(messages)
        case .http2(var messages):
            if !isBroken { try messages.finish(take) }
            problem = messages.remark
        case .lost: problem = nil
        }
        if let problem {
            try take(.failure(ImportProblem(problem, place: "connection \(number)")))
        }
    }
}
