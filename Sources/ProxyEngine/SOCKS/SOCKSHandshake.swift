internal import ProxydEventLoops
internal import ProxydHTTPModel

/// The server's side of SOCKS 4, 4a and 5 (RFC 1928, RFC 1929), without I/O.
///
/// ```
/// version ──5──▶ methods ──(password)──▶ credentials ──▶ checking ──▶ request ──▶ over
///    │              └──(none)───────────────────────────────────────────┘
///    └──4──▶ request ──▶ over
/// ```
struct SOCKSHandshake {
    /// What comes next.
    enum Step: Equatable {
        case needsMoreInput
        case send([UInt8])
        /// `authenticated` must be called with the verdict on these credentials.
        case authenticate(ClientCredentials)
        case request(SOCKSRequest)
        /// The client is sent these bytes, and the connection is closed.
        case refuse([UInt8], SOCKSFault)
    }

    private enum State {
        case version
        case methods
        case credentials
        case checking
        case request4
        case request5
        case over
    }

    private let requiresPassword: Bool
    private var state = State.version
    private var input: [UInt8] = []

    init(requiresPassword: Bool) { self.requiresPassword = requiresPassword }

    /// The bytes that have not been used: after the request, what the client sent ahead.
    var rest: [UInt8] { input }

    var expectsCredentials: Bool { if case .credentials = state { true } else { false } }

    mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { input.append(contentsOf: $0) }
    }

    /// Returns the next step; to be called until it needs more input or a verdict, or is over.
    mutating func next() -> Step {
        switch state {
        case .version: chooseVersion()
        case .methods: chooseMethod()
        case .credentials: readCredentials()
        case .request4: readRequest4()
        case .request5: readRequest5()
        case .checking, .over: .needsMoreInput
        }
    }

    mutating func authenticated(_ isAccepted: Bool) -> Step {
        guard case .checking = state else { return .needsMoreInput }
        guard isAccepted else { return refuse([1, 1], .wrongPassword) }
        state = .request5
        return .send([1, 0])
    }

    private mutating func refuse(_ answer: [UInt8], _ fault: SOCKSFault) -> Step {
        state = .over
        return .refuse(answer, fault)
    }

    private mutating func consume(_ byteCount: Int) { input.removeFirst(byteCount) }

    // MARK: Version and method

    private mutating func chooseVersion() -> Step {
        switch input.first {
        case nil: return .needsMoreInput
        case 4: state = .request4
        case 5: state = .methods
        default: return refuse([], .notSOCKS)
        }
        return next()
    }

    private mutating func chooseMethod() -> Step {
        guard input.count >= 2, input.count >= 2 + Int(input[1]) else { return .needsMoreInput }
        let wanted: UInt8 = requiresPassword ? 2 : 0
        let methods = input[2..<(2 + Int(input[1]))]
        guard methods.contains(wanted) else {
            return refuse([5, 0xFF], requiresPassword ? .noPassword : .noMethod)
        }
        consume(2 + methods.count)
        state = requiresPassword ? .credentials : .request5
        return .send([5, wanted])
    }

    /// Version 1 of the negotiation, a name and a password, each after its length (RFC 1929 §2).
    private mutating func readCredentials() -> Step {
        guard let version = input.first else { return .needsMoreInput }
        guard version == 1 else { return refuse([1, 1], .malformed) }
        guard input.count >= 2 else { return .needsMoreInput }
        let nameEnd = 2 + Int(input[1])
        guard input.count > nameEnd else { return .needsMoreInput }
        let end = nameEnd + 1 + Int(input[nameEnd])
        guard input.count >= end else { return .needsMoreInput }
        let credentials = ClientCredentials(
            user: Array(input[2..<nameEnd]), password: Array(input[(nameEnd + 1)..<end]))
        consume(end)
        state = .checking
        return .authenticate(credentials)
    }

    // MARK: Requests

    /// Version, command, reserved, kind of address, address, port (RFC 1928 §4).
    private mutating func readRequest5() -> Step {
        guard let version = input.first else { return .needsMoreInput }
        guard version == 5 else { return refuse(SOCKSReply.v5(1), .malformed) }
        guard input.count >= 4 else { return .needsMoreInput }
        let start: Int
        let byteCount: Int
        switch input[3] {
        case 1: (start, byteCount) = (4, 4)
        case 4: (start, byteCount) = (4, 16)
        case 3:
            guard input.count >= 5 else { return .needsMoreInput }
            (start, byteCount) = (5, Int(input[4]))
        default: return refuse(SOCKSReply.v5(8), .addressKind)
        }
        let end = start + byteCount
        guard input.count >= end + 2 else { return .needsMoreInput }
        let command = input[1]
        let host = host(of: input[3], Array(input[start..<end]))
        let port = UInt16(input[end]) << 8 | UInt16(input[end + 1])
        consume(end + 2)
        guard command == 1 else { return refuse(SOCKSReply.v5(7), .command) }
        guard let host, port > 0 else { return refuse(SOCKSReply.v5(1), .malformed) }
        state = .over
        return .request(SOCKSRequest(version: .v5, host: host, port: port))
    }

    private func host(of kind: UInt8, _ bytes: [UInt8]) -> String? {
        switch kind {
        case 1: SOCKSRequest.ipv4(bytes)
        case 4: SOCKSRequest.ipv6(bytes)
        default: SOCKSRequest.name(bytes)
        }
    }

    private static let textByteCountMax = 255

    /// Version, command, port, address, user and, in SOCKS 4a, a name; both texts end in NUL.
    private mutating func readRequest4() -> Step {
        guard input.count >= 9 else { return .needsMoreInput }
        guard !requiresPassword else { return refuse(SOCKSReply.v4(0x5D), .noPassword) }
        guard input[1] == 1 else { return refuse(SOCKSReply.v4(0x5B), .command) }
        guard let userEnd = end(ofTextAt: 8) else { return incompleteText(at: 8) }
        let address = Array(input[4..<8])
        // 0.0.0.x with x other than 0 announces a name.
        let isNamed = address[..<3] == [0, 0, 0] && address[3] != 0
        var end = userEnd + 1
        var host = SOCKSRequest.ipv4(address)
        if isNamed {
            guard let nameEnd = self.end(ofTextAt: end) else { return incompleteText(at: end) }
            host = SOCKSRequest.name(Array(input[end..<nameEnd]))
            end = nameEnd + 1
        }
        let port = UInt16(input[2]) << 8 | UInt16(input[3])
        consume(end)
        guard let host, port > 0 else { return refuse(SOCKSReply.v4(0x5B), .malformed) }
        state = .over
        return .request(SOCKSRequest(version: .v4, host: host, port: port))
    }

    private func end(ofTextAt start: Int) -> Int? {
        let limit = min(input.count, start + Self.textByteCountMax + 1)
        guard start < limit else { return nil }
        return input[start..<limit].firstIndex(of: 0)
    }

    private mutating func incompleteText(at start: Int) -> Step {
        guard input.count - start > Self.textByteCountMax else { return .needsMoreInput }
        return refuse(SOCKSReply.v4(0x5B), .malformed)
    }
}

/// A server that a SOCKS client wants a connection to.
struct SOCKSRequest: Equatable {
    /// The version of the protocol, which decides the form of the reply.
    enum Version {
        /// SOCKS 4 and 4a.
        case v4
        case v5
    }

    let version: Version
    /// A name as the client sent it, or an address without brackets.
    let host: String
    let port: UInt16

    static func ipv4(_ bytes: [UInt8]) -> String? {
        let bits = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return SocketAddress(ipv4: bits, port: 0).ip
    }

    static func ipv6(_ bytes: [UInt8]) -> String? {
        let halves = [bytes[..<8], bytes[8...]].map { half in
            half.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        return SocketAddress(ipv6: halves[0], halves[1], port: 0).ip
    }

    /// A name of visible ASCII characters, none of which separates the parts of a URL; nil for
    /// anything else. Some clients send addresses as names.
    static func name(_ bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        if let address = SocketAddress(ip: text, port: 0) { return address.ip }
        let isName = bytes.allSatisfy { byte in
            (0x21...0x7E).contains(byte) && !"/?#@:[]\\%<>\"".utf8.contains(byte)
        }
        return isName && !bytes.isEmpty ? text : nil
    }
}

/// The replies to a request.
enum SOCKSReply {
    /// The reply to a SOCKS 4 request: 0x5A means success.
    static func v4(_ code: UInt8) -> [UInt8] { [0, code, 0, 0, 0, 0, 0, 0] }

    /// The reply to a SOCKS 5 request: 0 means success (RFC 1928 §6). The address is 0.0.0.0:0,
    /// because no client needs the proxy's own.
    static func v5(_ code: UInt8) -> [UInt8] { [5, code, 0, 1, 0, 0, 0, 0, 0, 0] }

    static func success(_ version: SOCKSRequest.Version) -> [UInt8] {
        switch version {
        case .v4: v4(0x5A)
        case .v5: v5(0)
        }
    }

    static func refusal(_ version: SOCKSRequest.Version, _ refusal: Refusal) -> [UInt8] {
        switch version {
        case .v4: v4(0x5B)
        case .v5: v5(code(of: refusal))
        }
    }

    private static func code(of refusal: Refusal) -> UInt8 {
        guard case .failure(let failure) = refusal else { return 2 }
        return switch failure.kind {
        case .refused, .blocked, .loop: 2
        case .connectFailed: 3
        case .nameResolution: 4
        case .connectionRefused: 5
        case .timedOut: 6
        default: 1
        }
    }
}
