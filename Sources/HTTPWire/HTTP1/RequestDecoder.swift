public import ProxydHTTPModel

/// Requests out of a client's octets (RFC 9112), strict: what is not exactly right is an error.
///
///     idle ─▶ head ─▶ body ─▶ idle …      CONNECT: head ─▶ body ─▶ stopped
///     any state ─▶ failed
///
/// Call `decode` until it says `.needsMoreInput`; it gives one thing at a time. After `.end` it is
/// ready for the next request, except behind a CONNECT: what follows that belongs to a tunnel and
/// is left in the input. An error is final: it is thrown again from then on.
public struct RequestDecoder: Sendable {
    private enum State: Sendable {
        case idle
        /// The CR of an empty line before the request line was read.
        case emptyLine
        case head
        case body
        case stopped
        case failed(WireError)
    }

    private let limits: WireLimits
    private var state = State.idle
    private var emptyLineCount = 0
    private var head: HeadAssembler
    private var body: BodyDecoder
    private var stopsAfterBody = false
    private var refusedHead: [UInt8] = []

    /// A decoder at the beginning of a connection.
    public init(limits: WireLimits = WireLimits()) {
        self.limits = limits
        head = HeadAssembler(head: .request, limits: limits)
        body = BodyDecoder(.none, role: .request, limits: limits)
    }

    /// Whether no request is under way: nothing of a next one was read. Empty lines ahead of one
    /// are no part of it (RFC 9112 §2.2).
    public var isIdle: Bool {
        switch state {
        case .idle, .emptyLine: true
        case .head, .body, .stopped, .failed: false
        }
    }

    /// The octets of the head being read; behind an error in a head, what was there of it.
    public var partialHead: [UInt8] { refusedHead.isEmpty ? head.pending : refusedHead }

    /// The next thing in `input` from `offset` on; `offset` moves past what was taken. Ranges of
    /// `.body` are ranges of `input`.
    public mutating func decode(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> Decoded<RequestHead> {
        do throws(WireError) {
            return try next(input, from: &offset)
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// The connection ended: `.needsMoreInput` between requests, else the error `closedEarly`.
    public mutating func finish() throws(WireError) -> Decoded<RequestHead> {
        switch state {
        case .idle, .emptyLine, .stopped: return .needsMoreInput
        case .failed(let error): throw error
        case .head, .body:
            let error = WireError(.closedEarly, in: .request)
            state = .failed(error)
            throw error
        }
    }

    private mutating func next(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> Decoded<RequestHead> {
        switch state {
        case .idle, .emptyLine:
            try skipEmptyLines(input, from: &offset)
            guard offset < input.count else { return .needsMoreInput }
            state = .head
            return try takeHead(input, from: &offset)
        case .head: return try takeHead(input, from: &offset)
        case .body: return try takeBody(input, from: &offset)
        case .stopped: return .needsMoreInput
        case .failed(let error): throw error
        }
    }

    private mutating func skipEmptyLines(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) {
        while offset < input.count {
            let octet = input[offset]
            if case .emptyLine = state {
                guard octet == 0x0A else { throw WireError(.bareCR, in: .request) }
                state = .idle
                emptyLineCount &+= 1
            } else {
                guard octet == 0x0D else { return }
                guard emptyLineCount < limits.emptyLineCountMax else {
                    throw WireError(.badRequestLine, in: .request)
                }
                state = .emptyLine
            }
            offset &+= 1
        }
    }

    private mutating func takeHead(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> Decoded<RequestHead> {
        guard let octets = try head.take(input, from: &offset) else { return .needsMoreInput }
        let request = head.scanner.requestHead(of: octets)
        let length: BodyLength
        do throws(WireError) {
            length = try Framing.ofRequest(
                method: request.method,
                version: request.version,
                fields: request.fields
            )
        } catch {
            refusedHead = octets
            throw error
        }
        head.reset()
        body = BodyDecoder(length, role: .request, limits: limits)
        stopsAfterBody = request.method == .connect
        emptyLineCount = 0
        state = .body
        return .head(request, length)
    }

    private mutating func takeBody(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> Decoded<RequestHead> {
        switch try body.decode(input, from: &offset) {
        case .needsMoreInput: return .needsMoreInput
        case .octets(let range): return .body(range)
        case .trailers(let fields): return .trailers(fields)
        case .end:
            state = stopsAfterBody ? .stopped : .idle
            return .end
        }
    }
}
