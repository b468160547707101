internal import ProxydHTTPModel

/// The options in the Connection lines of a message (RFC 9110 §7.6.1).
struct ConnectionOptions {
    private(set) var closes = false
    private(set) var keepsAlive = false
    private(set) var upgrades = false
    private(set) var nominatesTE = false
    /// The ranges of other options in the fields' bytes: names of fields that apply to this
    /// connection only.
    private var nominated: [Range<Int>] = []

    init(_ fields: borrowing HeaderFields) {
        let lines = fields.lines.span
        for index in lines.indices where lines[index].name == .connection {
            let bytes = fields.bytes.span
            ListMembers.forEach(bytes, lines[index].valueRange) {
                add(bytes.extracting($0), at: $0)
            }
        }
    }

    private mutating func add(_ option: Span<UInt8>, at range: Range<Int>) {
        if ASCII.equalsIgnoringCase(option, "keep-alive") {
            keepsAlive = true
        } else if ASCII.equalsIgnoringCase(option, "close") {
            closes = true
        } else if ASCII.equalsIgnoringCase(option, "upgrade") {
            upgrades = true
        } else if ASCII.equalsIgnoringCase(option, "te") {
            nominatesTE = true
        } else {
            nominated.append(range)
        }
    }

    /// Whether Connection names a line as applying to this connection only. Framing and routing
    /// fields are never treated this way: naming them must not change where a message goes or ends.
    func nominates(_ line: HeaderFields.Line, of fields: HeaderFields) -> Bool {
        guard !nominated.isEmpty else { return false }
        switch line.name {
        case .host, .contentLength, .transferEncoding: return false
        default: break
        }
        let bytes = fields.bytes.span
        let name = bytes.extracting(line.nameRange)
        for range in nominated
        where ASCII.equalsIgnoringCase(bytes.extracting(range), name) { return true }
        return false
    }
}
