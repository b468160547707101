public import HTTPModel

/// Responses out of a server's octets (RFC 9112). Framing is as strict as for requests; lines that
/// a recipient may repair (bare LF, folded lines, white space before the colon) are repaired in
/// `fields` while `octets` keeps them as they came.
///
///     silent ─(expectResponse)▶ waiting ─▶ head ─▶ body ─▶ silent …
///                                 ▲ └─ 1xx ─┘  └─▶ tunnel   (101, or 2xx to CONNECT)
///
/// Octets while nothing is expected are an error. Behind the head of a tunnel nothing more is
/// taken: `decode` says `.needsMoreInput` and leaves the input alone.
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

    /// A decoder at the beginning of a connection.
    public init(limits: WireLimits = WireLimits()) {
        self.limits = limits
        head = HeadAssembler(head: .response, limits: limits)
        body = BodyDecoder(.none, role: .response, limits: limits)
    }

    /// Whether no response is under way: nothing of one was read.
    public var isIdle: Bool {
        switch state {
        case .silent, .waiting: true
        default: false
        }
    }

    /// Whether the connection has become a tunnel: octets that were not taken belong to it.
    public var isTunnel: Bool {
        if case .tunnel = state { true } else { false }
    }

    /// The octets of the head being read; behind an error in a head, what was there of it.
    public var partialHead: [UInt8] { refusedHead.isEmpty ? head.pending : refusedHead }

    /// Announces that a request of a method was sent. Call it once for each final response.
    public mutating func expectResponse(toMethod method: HTTPMethod) {
        guard case .silent = state else { return }
        self.method = method
        informationalCount = 0
        state = .waiting
    }

    /// The next thing in `input` from `offset` on; `offset` moves past what was taken. Ranges of
    /// `.body` are ranges of `input`.
    public mutating func decode(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> Decoded<ResponseHead> {
        do throws(WireError) {
            return try next(input, from: &offset)
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// The connection ended: `.end` where that ends the body, `.needsMoreInput` where no response
    /// was under way, else the error `closedEarly`.
    public mutating func finish() throws(WireError) -> Decoded<ResponseHead> {
        switch state {
        case .silent, .waiting, .tunnel: return .needsMoreInput
        case .failed(let error): throw error
        case .body where body.endsWithConnection:
            state = .silent
            return .end
        case .head, .body:
            let error = WireError(.closedEarly, in: .response)
            state = .failed(error)
            throw error
        }
    }

    private mutating func next(
        _ input: Span<UInt8>,
        from offset: inout Int
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
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> Decoded<ResponseHead> {
        guard let octets = try head.take(input, from: &offset) else { return .needsMoreInput }
        let response = head.scanner.responseHead(of: octets)
        head.reset()
        do throws(WireError) {
            return try begin(response)
        } catch {
            refusedHead = octets
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
            status: response.status,
            to: method,
            version: response.version,
            fields: response.fields
        )
        body = BodyDecoder(length, role: .response, limits: limits)
        state = .body
        return .head(response, length)
    }

    private mutating func takeBody(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> Decoded<ResponseHead> {
        switch try body.decode(input, from: &offset) {
        case .needsMoreInput: return .needsMoreInput
        case .octets(let range): return .body(range)
        case .trailers(let fields): return .trailers(fields)
        case .end:
            state = .silent
            return .end
        }
    }
}
