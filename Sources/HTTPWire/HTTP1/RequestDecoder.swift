public import ProxydHTTPModel

/// Decodes requests from a client's bytes (RFC 9112). It is strict: any deviation is an error.
///
///     idle ─▶ head ─▶ body ─▶ idle …      CONNECT: head ─▶ body ─▶ stopped
///     any state ─▶ failed
///
/// Call `decode` until it returns `.needsMoreInput`; each call returns one thing. After `.end` the
/// decoder is ready for the next request, except after a CONNECT: what follows belongs to a tunnel
/// and is left in the input. An error is final: every later call throws it again.
public struct RequestDecoder: Sendable {
    private enum State: Sendable {
        case idle
        /// The CR of an empty line before the request line has been read.
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

    public init(limits: WireLimits = WireLimits()) {
        self.limits = limits
        head = HeadAssembler(head: .request, limits: limits)
        body = BodyDecoder(.none, role: .request, limits: limits)
    }

    /// Whether no request is in progress, i.e. nothing of the next one has been read. Empty lines
    /// before a request are not part of it (RFC 9112 §2.2).
    public var isIdle: Bool {
        switch state {
        case .idle, .emptyLine: true
        case .head, .body, .stopped, .failed: false
        }
    }

    /// The bytes read so far of the current head; after an error in a head, the bytes read of that
    /// head.
    public var partialHead: [UInt8] { refusedHead.isEmpty ? head.pending : refusedHead }

    /// Returns the next thing in `input` from `offset` on, and moves `offset` past what was
    /// consumed. Ranges of `.body` are ranges of `input`.
    public mutating func decode(
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> Decoded<RequestHead> {
        do throws(WireError) {
            return try next(input, from: &offset)
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Handles the end of the connection: returns `.needsMoreInput` between requests and throws
    /// `closedEarly` otherwise.
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
        _ input: Span<UInt8>, from offset: inout Int
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
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) {
        while offset < input.count {
            let byte = input[offset]
            if case .emptyLine = state {
                guard byte == 0x0A else { throw WireError(.bareCR, in: .request) }
                state = .idle
                emptyLineCount &+= 1
            } else {
                guard byte == 0x0D else { return }
                guard emptyLineCount < limits.emptyLineCountMax else {
                    throw WireError(.badRequestLine, in: .request)
                }
                state = .emptyLine
            }
            offset &+= 1
        }
    }

    private mutating func takeHead(
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> Decoded<RequestHead> {
        guard let bytes = try head.take(input, from: &offset) else { return .needsMoreInput }
        let request = head.scanner.requestHead(of: bytes)
        let length: BodyLength
        do throws(WireError) {
            length = try Framing.ofRequest(
                method: request.method, version: request.version, fields: request.fields
            )
        } catch {
            refusedHead = bytes
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
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> Decoded<RequestHead> {
        switch try body.decode(input, from: &offset) {
        case .needsMoreInput: return .needsMoreInput
        case .bytes(let range): return .body(range)
        case .trailers(let fields): return .trailers(fields)
        case .end:
            state = stopsAfterBody ? .stopped : .idle
            return .end
        }
    }
}

/// One item that a decoder found in its input.
public enum Decoded<Head: Sendable>: Sendable {
    /// All input was consumed; more bytes or the end of the connection are needed.
    case needsMoreInput
    /// An interim response: 1xx other than 101 (RFC 9110 §15.2).
    case informational(Head)
    /// The head of a message, and the framing of its body.
    case head(Head, BodyLength)
    /// Body bytes without transfer coding: a non-empty range of the input.
    case body(Range<Int>)
    /// Trailer fields; never empty (RFC 9110 §6.5).
    case trailers(HeaderFields)
    case end
}
