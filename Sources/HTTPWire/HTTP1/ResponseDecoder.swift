public import ProxydHTTPModel

/// Decodes responses from a server's bytes (RFC 9112). Whatever every client accepts is accepted
/// and reported in `repairs`; whatever could be read in two ways is refused. Lines that must not be
/// forwarded are repaired in `fields`, while `bytes` keeps them as received. With
/// `WireLimits.hasStrictResponses` only those malformed lines are accepted that RFC 9112 allows a
/// recipient to repair: bare LF, folded lines, white space before the colon.
///
///     silent ─(expectResponse)▶ waiting ─▶ head ─▶ body ─▶ silent …
///                                 ▲ └─ 1xx ─┘  └─▶ tunnel   (101, or 2xx to CONNECT)
///
/// Bytes received while no response is expected are an error. After the head that starts a tunnel
/// nothing more is consumed: `decode` returns `.needsMoreInput` and leaves the input alone.
public struct ResponseDecoder: Sendable {
    private enum State: Sendable {
        case silent
        case waiting
        case head
        case body
        case tunnel
        case failed(WireError)
    }

    private let limits: WireLimits
    private var state = State.silent
    private var method = HTTPMethod.get
    private var informationalCount = 0
    private var head: HeadAssembler
    private var body: BodyDecoder
    private var refusedHead: [UInt8] = []
    /// The repairs made in this response so far, including those in interim responses before it.
    public private(set) var repairs: ResponseRepairs = []

    public init(limits: WireLimits = WireLimits()) {
        self.limits = limits
        head = HeadAssembler(head: .response, limits: limits)
        body = BodyDecoder(.none, role: .response, limits: limits)
    }

    /// Whether no response is in progress, i.e. nothing of one has been read.
    public var isIdle: Bool {
        switch state {
        case .silent, .waiting: true
        default: false
        }
    }

    /// Whether the connection has become a tunnel; bytes that were not consumed belong to the
    /// tunnel.
    public var isTunnel: Bool {
        if case .tunnel = state { true } else { false }
    }

    /// The bytes read so far of the current head; after an error in a head, the bytes read of that
    /// head.
    public var partialHead: [UInt8] { refusedHead.isEmpty ? head.pending : refusedHead }

    /// The bytes of the response that were received but not passed on because they are incomplete:
    /// part of a head, of a line of the chunked coding or of trailers.
    public var unfinishedBytes: [UInt8] {
        let head = partialHead
        return head.isEmpty ? body.buffered : head
    }

    /// Returns the bytes to show for a response after `decode` threw an error; `input` and `offset`
    /// are those of that call. For a head, these are all its bytes and those after it; for a body,
    /// the bytes in this input and the unfinished line before them. Returns at most `byteCountMax`
    /// bytes: the first ones of a head, or those around the error in a body.
    public func refusedBytes(of input: Span<UInt8>, at offset: Int, byteCountMax: Int) -> [UInt8] {
        if !refusedHead.isEmpty {
            let rest = input.extracting(min(offset, input.count)..<input.count)
            return Self.joined(refusedHead, rest, byteCountMax)
        }
        if !head.pending.isEmpty { return Array(head.pending.prefix(byteCountMax)) }
        let buffered = body.buffered
        let start = max(0, min(offset, input.count) &- byteCountMax / 2)
        guard start > 0 else { return Self.joined(buffered, input, byteCountMax) }
        return Self.joined([], input.extracting(start..<input.count), byteCountMax)
    }

    private static func joined(
        _ first: [UInt8], _ rest: Span<UInt8>, _ byteCountMax: Int
    ) -> [UInt8] {
        var bytes = Array(first.prefix(byteCountMax))
        let count = min(rest.count, byteCountMax &- bytes.count)
        rest.extracting(0..<count).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Announces that a request with this method was sent. Call it once for each final response.
    public mutating func expectResponse(toMethod method: HTTPMethod) {
        guard case .silent = state else { return }
        self.method = method
        informationalCount = 0
        repairs = []
        body = BodyDecoder(.none, role: .response, limits: limits)
        state = .waiting
    }

    /// Returns the next thing in `input` from `offset` on, and moves `offset` past what was
    /// consumed. Ranges of `.body` are ranges of `input`.
    public mutating func decode(
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> Decoded<ResponseHead> {
        do throws(WireError) {
            return try next(input, from: &offset)
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Handles an orderly end of the connection. Returns `.end` if that ends the body, `.head` if
    /// it ends a head that lacks its empty line (call again for what follows) and `.needsMoreInput`
    /// if no response was in progress; throws `closedEarly` otherwise.
    public mutating func finish() throws(WireError) -> Decoded<ResponseHead> {
        switch state {
        case .silent, .waiting, .tunnel: return .needsMoreInput
        case .failed(let error): throw error
        case .body where body.endsWithConnection:
            state = .silent
            return .end
        case .head:
            if let found = try takeUnendedHead() { return found }
            throw fail(.closedEarly)
        case .body: throw fail(.closedEarly)
        }
    }

    private mutating func fail(_ kind: WireError.Kind) -> WireError {
        let error = WireError(kind, in: .response)
        state = .failed(error)
        return error
    }

    /// Interim responses and protocol switches are useless without what should follow them, so they
    /// are not accepted here.
    private mutating func takeUnendedHead() throws(WireError) -> Decoded<ResponseHead>? {
        guard head.scanner.status >= 200, method != .connect, let bytes = head.takeUnended()
        else { return nil }
        return try begin(bytes)
    }

    private mutating func next(
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> Decoded<ResponseHead> {
        switch state {
        case .silent:
            guard offset >= input.count else {
                throw WireError(.unsolicitedResponse, in: .response)
            }
            return .needsMoreInput
        case .waiting:
            guard offset < input.count else { return .needsMoreInput }
            state = .head
            return try takeHead(input, from: &offset)
        case .head: return try takeHead(input, from: &offset)
        case .body: return try takeBody(input, from: &offset)
        case .tunnel: return .needsMoreInput
        case .failed(let error): throw error
        }
    }

    private mutating func takeHead(
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> Decoded<ResponseHead> {
        guard let bytes = try head.take(input, from: &offset) else { return .needsMoreInput }
        return try begin(bytes)
    }

    private mutating func begin(_ bytes: [UInt8]) throws(WireError) -> Decoded<ResponseHead> {
        let response = head.scanner.responseHead(of: bytes)
        repairs.formUnion(head.scanner.repairs)
        head.reset()
        do throws(WireError) {
            return try begin(response)
        } catch {
            refusedHead = bytes
            state = .failed(error)
            throw error
        }
    }

    private mutating func begin(
        _ response: ResponseHead
    ) throws(WireError) -> Decoded<ResponseHead> {
        if response.isInformational && response.status != 101 {
            informationalCount &+= 1
            guard informationalCount <= limits.informationalCountMax else {
                throw WireError(.tooManyInformational, in: .response)
            }
            state = .waiting
            return .informational(response)
        }
        if Framing.isTunnel(status: response.status, to: method) {
            state = .tunnel
            return .head(response, .none)
        }
        let length = try Framing.ofResponse(
            status: response.status, to: method, version: response.version, fields: response.fields,
            isStrict: limits.hasStrictResponses, repairs: &repairs
        )
        body = BodyDecoder(length, role: .response, limits: limits)
        state = .body
        return .head(response, length)
    }

    private mutating func takeBody(
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> Decoded<ResponseHead> {
        defer { repairs.formUnion(body.repairs) }
        switch try body.decode(input, from: &offset) {
        case .needsMoreInput: return .needsMoreInput
        case .bytes(let range): return .body(range)
        case .trailers(let fields): return .trailers(fields)
        case .end:
            state = .silent
            return .end
        }
    }
}
