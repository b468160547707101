internal import BenchmarkSupport

/// As much of HTTP/2 without TLS (RFC 9113) as it takes to send one request after the other, or to
/// answer each with the same response. It costs next to nothing, and the same for every exchange.
struct HTTP2Peer {
    private enum FrameType {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let settings: UInt8 = 4
        static let ping: UInt8 = 6
        static let windowUpdate: UInt8 = 8
    }

    private static let endStream: UInt8 = 0x1
    private static let acknowledged: UInt8 = 0x1
    private static let endHeaders: UInt8 = 0x4
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let socket: LoopbackSocket
    private var stream: UInt32 = 1
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var received = 0

    /// Begins a connection as its client.
    init(client socket: LoopbackSocket) throws {
        self.socket = socket
        try socket.send(HTTP2Peer.preface + HTTP2Peer.opening)
    }

    /// Begins a connection as its server.
    init(server socket: LoopbackSocket) throws {
        self.socket = socket
        try receive(HTTP2Peer.preface.count)
        drop(HTTP2Peer.preface.count)
        try socket.send(HTTP2Peer.opening)
    }

    /// Sends a request on the next stream, and reads until the response has ended; returns the
    /// bytes of all frames that came.
    mutating func exchange(_ fields: [UInt8], _ body: [UInt8]) throws -> Int {
        try send(fields, body, on: stream)
        var byteCount = 0
        while true {
            let (count, ended) = try nextFrame()
            byteCount += count
            if ended == stream { break }
        }
        stream += 2
        return byteCount
    }

    /// Answers each request until the client leaves.
    mutating func serve(_ fields: [UInt8], _ body: [UInt8]) {
        while let (_, ended) = try? nextFrame() {
            guard let ended else { continue }
            do { try send(fields, body, on: ended) } catch { return }
        }
    }

    /// The fields of a request, none of which a table takes (RFC 7541 §6.2.2).
    static func request(
        _ method: String, authority: String, path: String, byteCount: Int
    ) -> [UInt8] {
        let fields: [UInt8] =
            [method == "POST" ? 0x83 : 0x82, 0x86] + literal([0x01], authority)
            + literal([0x04], path)
        guard byteCount > 0 else { return fields }
        return fields + literal([0x0F, 0x0D], "\(byteCount)")
            + literal([0x0F, 0x10], "application/json")
    }

    /// The fields of a response with status 200.
    static func response(byteCount: Int) -> [UInt8] {
        [0x88] + literal([0x0F, 0x0D], "\(byteCount)") + literal([0x0F, 0x10], "text/plain")
    }

    private static func literal(_ name: [UInt8], _ value: String) -> [UInt8] {
        name + [UInt8(value.utf8.count)] + Array(value.utf8)
    }

    /// Default settings, and a connection window that never runs out.
    private static let opening =
        frame(FrameType.settings, 0, stream: 0, [])
        + frame(FrameType.windowUpdate, 0, stream: 0, [0x3F, 0xFF, 0, 0])

    private func send(_ fields: [UInt8], _ body: [UInt8], on stream: UInt32) throws {
        let flags = HTTP2Peer.endHeaders | (body.isEmpty ? HTTP2Peer.endStream : 0)
        var frames = HTTP2Peer.frame(FrameType.headers, flags, stream: stream, fields)
        if !body.isEmpty {
            frames += HTTP2Peer.frame(FrameType.data, HTTP2Peer.endStream, stream: stream, body)
        }
        try socket.send(frames)
    }

    /// Takes the next frame, and acknowledges what must be acknowledged.
    /// - Returns: The bytes of the frame, and the stream whose message it ends.
    private mutating func nextFrame() throws -> (byteCount: Int, ended: UInt32?) {
        try receive(9)
        let byteCount = 9 + (Int(buffer[0]) << 16 | Int(buffer[1]) << 8 | Int(buffer[2]))
        let (type, flags) = (buffer[3], buffer[4])
        let stream = buffer[5..<9].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        try receive(byteCount)
        defer { drop(byteCount) }
        switch type {
        case FrameType.data, FrameType.headers:
            return (byteCount, flags & HTTP2Peer.endStream == 0 ? nil : stream)
        case FrameType.settings where flags & HTTP2Peer.acknowledged == 0:
            try socket.send(HTTP2Peer.frame(type, HTTP2Peer.acknowledged, stream: 0, []))
        case FrameType.ping where flags & HTTP2Peer.acknowledged == 0:
            let payload = Array(buffer[9..<byteCount])
            try socket.send(HTTP2Peer.frame(type, HTTP2Peer.acknowledged, stream: 0, payload))
        default: break
        }
        return (byteCount, nil)
    }

    private mutating func receive(_ count: Int) throws {
        while received < count {
            let more = try socket.receive(into: &buffer, from: received)
            guard more > 0 else { throw Ended() }
            received += more
        }
    }

    private mutating func drop(_ count: Int) {
        for index in count..<max(count, received) { buffer[index - count] = buffer[index] }
        received -= count
    }

    private struct Ended: Error {}

    private static func frame(
        _ type: UInt8, _ flags: UInt8, stream: UInt32, _ payload: [UInt8]
    ) -> [UInt8] {
        let length = payload.count
        let header: [UInt8] = [
            UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8),
            UInt8(truncatingIfNeeded: length), type, flags,
            UInt8(truncatingIfNeeded: stream >> 24), UInt8(truncatingIfNeeded: stream >> 16),
            UInt8(truncatingIfNeeded: stream >> 8), UInt8(truncatingIfNeeded: stream),
        ]
        return header + payload
    }
}
