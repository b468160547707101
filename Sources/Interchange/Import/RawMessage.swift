internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A message that was decoded from its bytes.
struct RawMessage<Head: Sendable>: Sendable {
    static var bodyByteCountMax: Int { 64 << 20 }

    let head: Head
    let length: BodyLength
    var interim: [Head] = []
    var body = Body()
    var trailers: HeaderFields?
    /// Whether its end was found.
    var isWhole = false
    /// Whether bytes within its body are missing; those around them are adjacent.
    var lacksBytes = false
    /// Whether the connection is a tunnel after it.
    var opensTunnel = false

    /// The approximate number of bytes in memory.
    var keptByteCount: Int { body.kept.count + PacketBudget.headByteCount }

    /// The body, with the announced length if it is incomplete.
    var announcedBody: Body {
        guard !isWhole, case .exactly(let count) = length else { return body }
        let announced = Int64(clamping: count)
        guard announced > body.byteCount, announced <= Body.byteCountMax else { return body }
        return Body(byteCount: announced, kept: body.kept)
    }
}

/// Decodes the messages of one direction.
protocol RawDecoding: Sendable {
    associatedtype Head: Sendable
    mutating func decode(
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> Decoded<Head>
    mutating func finish() throws(WireError) -> Decoded<Head>
    /// Whether what follows is not HTTP.
    var isTunnel: Bool { get }
    /// The bytes of a head that has not ended or was refused.
    var partialHead: [UInt8] { get }
}

extension RequestDecoder: RawDecoding {
    var isTunnel: Bool { false }
}

extension ResponseDecoder: RawDecoding {}

struct RawMessageReader<Decoder: RawDecoding>: Sendable {
    typealias Message = RawMessage<Decoder.Head>

    /// The effect of missing bytes on the messages.
    enum Gap {
        /// They belong to the body of the current message, which continues.
        case within
        /// They end the current message, exactly or somewhere among them.
        case ends(Message, isExact: Bool)
        /// They are part of a head, or between messages.
        case between
    }

    private static var fillByteCount: Int { 64 << 10 }
    /// The maximum number of missing bytes of a direction that are counted, which takes time.
    private static var missingByteCountMax: Int { 1 << 30 }

    private let fresh: Decoder
    private(set) var decoder: Decoder
    private var isFilling = false
    private var missingByteCount = 0
    private var current: Message?
    private var interim: [Decoder.Head] = []
    /// Why nothing more can be decoded; nil if more can.
    private(set) var failure: WireError?

    init(_ decoder: Decoder) {
        fresh = decoder
        self.decoder = decoder
    }

    /// Decodes bytes up to the end of the next message.
    /// - Parameter offset: Where the bytes start; afterwards, where the undecoded ones start.
    /// - Returns: The message that ended; nil if all bytes were decoded, or none can be.
    mutating func next(_ bytes: Span<UInt8>, from offset: inout Int) -> Message? {
        while failure == nil {
            do throws(WireError) {
                let decoded = try decoder.decode(bytes, from: &offset)
                if case .needsMoreInput = decoded { return nil }
                if let message = take(decoded, bytes) { return message }
            } catch {
                failure = error
            }
        }
        return nil
    }

    /// Handles the end of the bytes: returns the last message, possibly incomplete.
    mutating func finish() -> Message? {
        let none: [UInt8] = []
        while failure == nil {
            do throws(WireError) {
                let decoded = try decoder.finish()
                if case .needsMoreInput = decoded { break }
                if let message = take(decoded, none.span) { return message }
            } catch {
                failure = error
            }
        }
        defer { current = nil }
        return current
    }

    mutating func skip(_ count: Int) -> Gap {
        guard failure == nil, current != nil else {
            restart()
            return .between
        }
        current?.lacksBytes = true
        missingByteCount = min(missingByteCount, Int.max / 2) + count
        guard missingByteCount <= Self.missingByteCountMax else {
            return restart().map { .ends($0, isExact: false) } ?? .between
        }
        isFilling = true
        defer { isFilling = false }
        var left = count
        while left > 0 {
            let zeros = [UInt8](repeating: 0, count: min(left, Self.fillByteCount))
            var offset = 0
            if let message = next(zeros.span, from: &offset) {
                left -= offset
                if left > 0 { restart() }
                return .ends(message, isExact: left == 0)
            }
            // Zeros are not valid in the chunked coding.
            if failure != nil { return restart().map { .ends($0, isExact: false) } ?? .between }
            left -= zeros.count
        }
        return .within
    }

    /// Starts over with another message; returns the part of the last one.
    @discardableResult
    mutating func restart() -> Message? {
        defer {
            decoder = fresh
            current = nil
            interim = []
            failure = nil
        }
        return current
    }

    /// The head of a message that has not ended.
    var begun: Decoder.Head? { current?.head }

    /// Changes the decoder before the next message.
    mutating func prepare(_ change: (inout Decoder) -> Void) { change(&decoder) }

    private mutating func take(_ decoded: Decoded<Decoder.Head>, _ bytes: Span<UInt8>) -> Message? {
        switch decoded {
        case .needsMoreInput: return nil
        case .informational(let head): interim.append(head)
        case .head(let head, let length):
            var message = Message(head: head, length: length, interim: interim)
            interim = []
            guard decoder.isTunnel else {
                current = message
                return nil
            }
            message.isWhole = true
            message.opensTunnel = true
            return message
        case .body(let range): append(bytes.extracting(range))
        case .trailers(let fields): current?.trailers = fields
        case .end:
            current?.isWhole = true
            defer { current = nil }
            return current
        }
        return nil
    }

    private mutating func append(_ bytes: Span<UInt8>) {
        guard current != nil else { return }
        current?.body.byteCount += Int64(bytes.count)
        let room = Message.bodyByteCountMax - (current?.body.kept.count ?? 0)
        guard room > 0, !isFilling else { return }
        bytes.extracting(0..<min(room, bytes.count)).withUnsafeBufferPointer {
            current?.body.kept.append(contentsOf: $0)
        }
    }
}

enum RawURLs {
    /// - Parameters:
    ///   - scheme: That of a request that does not name it.
    ///   - address: The server, if the request does not name it.
    static func url(
        _ head: RequestHead, scheme: String = "http", address: (host: String, port: UInt16)? = nil
    ) throws(ImportProblem) -> RawURL {
        switch try? EffectiveTarget.resolve(head, via: .proxy) {
        case .forward(let url)?: return url
        case .tunnel(let host, let port)?: return .tunnel(host: host, port: port)
        case .proxyItself?: break
        // It may lack a valid Host, but the address is known.
        case nil:
            guard address != nil, head.target.first == UInt8(ascii: "/") else {
                throw ImportProblem("its request names no server")
            }
        }
        // In origin-form, as to a server.
        let named = head.fields["Host"].flatMap {
            try? ImportURL.parse("\(scheme)://\($0)", method: .get)
        }
        guard let host = named?.host ?? address?.host,
            let port = address?.port ?? named?.port
        else { throw ImportProblem("its request names no server") }
        return RawURL(scheme: scheme, host: host, port: port, origin: Array(head.target))
    }
}
