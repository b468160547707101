internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS

/// The protocol that a client speaks inside a CONNECT tunnel, detected from its first bytes.
enum TunnelProtocol: Equatable {
    /// Too few bytes to decide.
    case undecided
    /// TLS, with the server name in the ClientHello, nil if it is absent or not a host name, and
    /// the protocols offered.
    case tls(serverName: String?, alpn: [String])
    /// HTTP/1 without TLS. From here on an error is answered with 400, never relayed unread.
    case http
    case opaque

    /// How many bytes of a first line are examined, at most.
    private static let firstLineByteCountMax = 8192

    /// Examines all bytes received so far; `reader` has seen those of earlier calls.
    static func detect(_ bytes: Span<UInt8>, _ reader: inout ClientHelloReader) -> TunnelProtocol {
        guard bytes.count > 0 else { return .undecided }
        switch reader.read(bytes) {
        case .hello(let hello):
            let serverName = hello.serverName.flatMap { isHostName($0) ? $0 : nil }
            return .tls(serverName: serverName, alpn: hello.alpn)
        case .needMore: return .undecided
        case .unacceptable: return .tls(serverName: nil, alpn: [])
        case .notTLS: return detectHTTP(bytes)
        }
    }

    /// Whether undecided bytes look like the start of a request line, after optional white space: a
    /// word that may be a method, or a word and more. In another protocol, a line of one word may
    /// be a complete message, so after such a line only a path counts.
    static func isRequestBegun(_ bytes: Span<UInt8>) -> Bool {
        let start = requestStart(bytes)
        let rest = bytes.extracting(start..<bytes.count)
        let parts = RequestLineParts(rest, byteCountMax: firstLineByteCountMax)
        guard parts.method > 0 else { return false }
        guard parts.target > parts.method else {
            return parts.method == rest.count && mayBeginMethod(rest)
        }
        let gap = rest.extracting(parts.method..<parts.target)
        guard contains(0x0A, gap) else { return true }
        return parts.target < rest.count && rest[parts.target] == UInt8(ascii: "/")
    }

    /// Clients also send other things, such as `host:port`, which no certificate can be for, and
    /// addresses, which are not allowed. In these cases the host named by CONNECT counts, as if the
    /// client had sent no name (RFC 6066 §3).
    private static func isHostName(_ name: String) -> Bool {
        name.utf8.count <= 253 && !endsInNumber(name)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }

    /// Whether the last label is a number: such a name is an IPv4 address, or a spelling of one
    /// that some clients accept (`127.1`, `0x7f000001`), and never a host name.
    private static func endsInNumber(_ name: String) -> Bool {
        guard let label = name.split(separator: ".").last else { return true }
        if label.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return true }
        guard label.lowercased().hasPrefix("0x") else { return false }
        return label.dropFirst(2).allSatisfy(\.isHexDigit)
    }

    private static func detectHTTP(_ bytes: Span<UInt8>) -> TunnelProtocol {
        let start = requestStart(bytes)
        guard start < bytes.count else {
            return start < firstLineByteCountMax ? .undecided : .opaque
        }
        let rest = bytes.extracting(start..<bytes.count)
        switch startsWithMethod(rest) {
        case .some(true): return .http
        case .some(false): break
        case .none: return .undecided
        }
        let parts = RequestLineParts(rest, byteCountMax: firstLineByteCountMax)
        let method = rest.extracting(0..<parts.method)
        let target = rest.extracting(parts.target..<parts.end)
        let isLineComplete = parts.end < rest.count || parts.end >= firstLineByteCountMax
        if containsVersion(rest.extracting(0..<parts.end)) { return .http }
        if parts.target > parts.method, beginsTarget(target) {
            if isMethodInAnyCase(method) { return .http }
            if isLineComplete, isUpperCase(method), isOneWord(target) { return .http }
        }
        return isLineComplete || !looksLikeText(target) ? .opaque : .undecided
    }

    /// The offset at which a request would start: empty lines and white space may precede it.
    private static func requestStart(_ bytes: Span<UInt8>) -> Int {
        var start = 0
        while start < bytes.count, isLeadingSpace(bytes[start]) { start += 1 }
        return start
    }

    private static func isLeadingSpace(_ byte: UInt8) -> Bool {
        byte == 0x0D || byte == 0x0A || byte == 0x20 || byte == 0x09
    }

    /// Whether the bytes start with a registered method and its delimiter; nil if too few.
    private static func startsWithMethod(_ bytes: Span<UInt8>) -> Bool? {
        var mayYet = false
        for method in registeredMethods {
            let name = method.utf8Span.span
            let count = min(name.count, bytes.count)
            var matched = 0
            while matched < count, name[matched] == bytes[matched] { matched += 1 }
            guard matched == count else { continue }
            guard count < bytes.count else {
                mayYet = true
                continue
            }
            if endsMethod(bytes[count]) { return true }
        }
        return mayYet ? nil : false
    }

    /// White space, as the most lenient parsers define it, or the start of a path.
    private static func endsMethod(_ byte: UInt8) -> Bool {
        byte == 0x20 || 0x09...0x0D ~= byte || byte == UInt8(ascii: "/")
    }

    /// Whether a second word starts like a request target: with `/` or `http`. A registered method
    /// in lower case is not a method, and any word may be one, but other text protocols have words
    /// too (memcached: `get key`, `gets /key`). So a registered method in any case counts before
    /// such a target, and another word only in upper case and if the target ends the line.
    private static func beginsTarget(_ target: Span<UInt8>) -> Bool {
        target.count >= 1 && target[0] == UInt8(ascii: "/")
            || target.count >= 4 && ASCII.equalsIgnoringCase(target.extracting(0..<4), "http")
    }

    private static func isUpperCase(_ word: Span<UInt8>) -> Bool {
        for index in 0..<word.count where 0x61...0x7A ~= word[index] { return false }
        return !word.isEmpty
    }

    /// Whether only white space follows the first word, and the bytes are text.
    private static func isOneWord(_ bytes: Span<UInt8>) -> Bool {
        var end = bytes.count
        while end > 0, isLeadingSpace(bytes[end - 1]) { end -= 1 }
        let text = bytes.extracting(0..<end)
        return looksLikeText(text) && !contains(0x20, text) && !contains(0x09, text)
    }

    private static func contains(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        for index in 0..<bytes.count where bytes[index] == byte { return true }
        return false
    }

    private static func isMethodInAnyCase(_ word: Span<UInt8>) -> Bool {
        registeredMethods.contains { ASCII.equalsIgnoringCase(word, $0.utf8Span.span) }
    }

    /// Whether a word is in upper case, or is the start of a registered method in any case. Any
    /// other word is more likely a complete message of another protocol (ZooKeeper: `ruok`).
    private static func mayBeginMethod(_ word: Span<UInt8>) -> Bool {
        if isUpperCase(word) { return true }
        return registeredMethods.contains { method in
            let name = method.utf8Span.span
            return word.count <= name.count
                && ASCII.equalsIgnoringCase(word, name.extracting(0..<word.count))
        }
    }

    private static func containsVersion(_ line: Span<UInt8>) -> Bool {
        guard line.count >= 5 else { return false }
        for start in 0...(line.count - 5)
        where ASCII.equalsIgnoringCase(line.extracting(start..<(start + 5)), "http/") {
            return true
        }
        return false
    }

    /// A first line of text may still contain `HTTP/` later; a binary one never does.
    private static func looksLikeText(_ bytes: Span<UInt8>) -> Bool {
        for index in 0..<bytes.count
        where bytes[index] < 0x20 && bytes[index] != 0x09 && bytes[index] != 0x0D {
            return false
        }
        return true
    }

    /// The methods of the IANA registry, with which a client may start.
    private static let registeredMethods = [
        "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "CONNECT", "COPY", "DELETE",
        "GET", "HEAD", "LABEL", "LINK", "LOCK", "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL",
        "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "OPTIONS", "ORDERPATCH", "PATCH", "POST", "PRI",
        "PROPFIND", "PROPPATCH", "PUT", "QUERY", "REBIND", "REPORT", "SEARCH", "TRACE", "UNBIND",
        "UNCHECKOUT", "UNLINK", "UNLOCK", "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL",
    ]
}

/// The offsets of the parts of a possible request line. The method may be on a line of its own,
/// because some servers accept that.
private struct RequestLineParts {
    /// Where the first word ends; 0 if there is none.
    let method: Int
    /// Where the text after the following white space starts.
    let target: Int
    /// Where the line ends, or the part of it that has arrived.
    let end: Int

    init(_ bytes: Span<UInt8>, byteCountMax: Int) {
        let count = min(bytes.count, byteCountMax)
        var index = 0
        while index < count, FieldValidator.isToken(bytes.extracting(index..<(index + 1))) {
            index += 1
        }
        method = index
        while index > 0, index < count, 0x09...0x0D ~= bytes[index] || bytes[index] == 0x20 {
            index += 1
        }
        target = index
        while index < count, bytes[index] != 0x0A { index += 1 }
        end = index
    }
}
