import ProxydHTTPModel
import ProxydHTTPWire
import ProxydMessages

/// What an observer tells about a body.
struct Observed {
    private(set) var messages: [MessageRecord] = []
    private(set) var grpcStatus: Int64?
    /// The body that ranges count in.
    private let body: [UInt8]

    init(
        _ head: ResponseHead, _ pieces: [[UInt8]], decoded: [UInt8]? = nil,
        keptPieceCount: Int = .max, isCutShort: Bool = false
    ) {
        body = decoded ?? pieces.flatMap { $0 }
        observe(BodyObserver(response: head), pieces, keptPieceCount, isCutShort)
    }

    init(request head: RequestHead, _ pieces: [[UInt8]], isCutShort: Bool = false) {
        body = pieces.flatMap { $0 }
        observe(BodyObserver(request: head), pieces, .max, isCutShort)
    }

    private mutating func observe(
        _ observer: BodyObserver?, _ pieces: [[UInt8]], _ keptPieceCount: Int, _ isCutShort: Bool
    ) {
        for (index, piece) in pieces.enumerated() {
            if index == keptPieceCount { observer?.keptPartEnded() }
            observer?.receive(piece.span) { messages.append($0) }
        }
        observer?.finish(isCutShort: isCutShort) { messages.append($0) }
        grpcStatus = observer?.grpcStatus
    }

    /// What the messages say, as the ranges of the body tell.
    var contents: [[UInt8]] {
        messages.map { message in
            switch message.content {
            case .bytes(let bytes): bytes
            case .body(let range): Array(body[Int(range.lowerBound)..<Int(range.upperBound)])
            }
        }
    }

    /// The same as text.
    var texts: [String] { contents.map { String(decoding: $0, as: UTF8.self) } }

    static func response(_ type: String, _ more: (String, String)...) -> ResponseHead {
        ResponseHead(
            status: 200, reason: "OK", fields: HeaderFields([("Content-Type", type)] + more))
    }

    static func request(_ type: String, _ more: (String, String)...) -> RequestHead {
        RequestHead(
            method: .post, target: Array("/a.B/C".utf8),
            fields: HeaderFields([("Content-Type", type)] + more))
    }

    /// A message with its prefix.
    static func message(_ payload: [UInt8], flags: UInt8 = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        _ = MessagePrefix.write(payload.span, flags: flags, into: &bytes)
        return bytes
    }

    /// Whole, byte by byte, and cut once at every place.
    static func cuts(of bytes: [UInt8]) -> [[[UInt8]]] {
        let halves = bytes.indices.dropFirst().map { index in
            [Array(bytes[..<index]), Array(bytes[index...])]
        }
        return [[bytes], bytes.map { [$0] }] + halves
    }
}
