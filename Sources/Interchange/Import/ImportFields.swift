internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Builds heads for messages of which only names and values are known. Fields that a head cannot
/// have are left out, and marked.
struct ImportFields {
    private var pairs: [(name: String, value: [UInt8])] = []

    /// Reads fields from `{name, value}` objects, or from an object with a member for each, without
    /// HTTP/2's `:names`.
    init(objects: JSONValue?, _ marks: inout ImportMarks) {
        for member in objects?.members ?? [] { add(member.name, member.value.looseText, &marks) }
        for object in objects?.elements ?? [] {
            let value = object["value"]
            add(object["name"]?.text, value == nil ? "" : value?.looseText, &marks)
        }
    }

    init(pairs: [JSONValue], _ marks: inout ImportMarks) {
        for pair in pairs {
            let texts = pair.elements.map(\.text)
            add(texts.first ?? nil, texts.count == 2 ? texts[1] : nil, &marks)
        }
    }

    /// Reads fields from names and values as bytes; nil elements are not fields.
    init(
        bytes fields: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)?],
        _ marks: inout ImportMarks
    ) {
        for field in fields {
            guard let field else {
                marks.insert(.missingHeader)
                continue
            }
            let name = String(decoding: field.name, as: UTF8.self)
            if FieldValidator.isToken(field.name.span) {
                add(name, Array(field.value), &marks)
            } else {
                add(name, ASCII.text(Array(field.value)), &marks)
            }
        }
    }

    private mutating func add(_ name: String?, _ value: String?, _ marks: inout ImportMarks) {
        // Insomnia writes the empty row of its form.
        if name == "", value == "" { return }
        if let name, name.hasPrefix(":") {
            if name == ":authority" { addHost(value ?? "", &marks) }
            return
        }
        guard let name, let value, FieldValidator.isToken(Array(name.utf8).span) else {
            marks.insert(.missingHeader)
            return
        }
        // Browsers write several lines of the same name as one, with line feeds between the values.
        for line in value.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
            var bytes = Array(line)[...]
            while let last = bytes.last, last == 0x0D || ASCII.isOWS(last) { bytes.removeLast() }
            while let first = bytes.first, ASCII.isOWS(first) { bytes.removeFirst() }
            add(name, Array(bytes), &marks)
        }
    }

    private mutating func add(_ name: String, _ value: [UInt8], _ marks: inout ImportMarks) {
        if FieldValidator.isFieldValue(value.span) {
            pairs.append((name, value))
        } else {
            marks.insert(.missingHeader)
        }
    }

    /// Adds Host as the first field if there is none.
    mutating func addHost(_ value: String, _ marks: inout ImportMarks) {
        guard FieldValidator.isFieldValue(Array(value.utf8).span) else {
            marks.insert(.missingHeader)
            return
        }
        addHost(value)
    }

    private mutating func addHost(_ value: String) {
        if self["Host"] == nil { pairs.insert(("Host", Array(value.utf8)), at: 0) }
    }

    var isEmpty: Bool { pairs.isEmpty }

    subscript(name: String) -> String? {
        pairs.first { $0.name.lowercased() == name.lowercased() }.map { ASCII.text($0.value) }
    }

    /// Adapts the fields to a body whose content codings the writer of the file has removed.
    mutating func describe(decodedByteCount: Int) {
        pairs.removeAll { $0.name.lowercased() == "content-encoding" }
        for index in pairs.indices where pairs[index].name.lowercased() == "content-length" {
            pairs[index].value = Array(String(decodedByteCount).utf8)
        }
    }

    /// Adds the fields that a body requires, if they are missing in the file.
    mutating func complete(for body: [UInt8], contentType: String?) {
        guard !body.isEmpty else { return }
        if self["Content-Type"] == nil, let contentType, !contentType.isEmpty,
            FieldValidator.isFieldValue(Array(contentType.utf8).span)
        {
            pairs.append(("Content-Type", Array(contentType.utf8)))
        }
        if self["Content-Length"] == nil, self["Transfer-Encoding"] == nil {
            pairs.append(("Content-Length", Array(String(body.count).utf8)))
        }
    }

    var lines: HeaderFields {
        var fields = HeaderFields()
        for (name, value) in pairs { fields.append(name: Array(name.utf8), value: value) }
        return fields
    }

    /// - Parameter isAbsolute: Whether the target is in absolute-form, as sent to a proxy.
    func requestHead(
        method: HTTPMethod, url: RawURL, version: String?, isAbsolute: Bool = false
    ) throws(ImportProblem) -> RequestHead {
        var fields = self
        fields.addHost(url.authority)
        let target =
            method == .connect
            ? Array("\(url.bracketedHost):\(url.port)".utf8)
            : isAbsolute ? Array("\(url.scheme)://\(url.authority)".utf8) + url.origin : url.origin
        let bytes = Array(method.rawValue.utf8)
        guard FieldValidator.isToken(bytes.span) else {
            throw ImportProblem("its method cannot be sent")
        }
        let version = ImportFields.version(version)
        // A tunnel of HTTP/2 is written like one of HTTP/1.
        if version == .http3 || (version == .http2 && method != .connect),
            let head = fieldsHead(method, url)
        {
            return head.inVersion(version)
        }
        return RequestHead(
            method: method, target: target, version: min(version, .http11), fields: fields.lines)
    }

    func responseHead(status: Int64, reason: String?, version: String?) -> ResponseHead? {
        guard let status = Int(exactly: status), (100...999).contains(status) else { return nil }
        let version = ImportFields.version(version)
        if version >= .http2, let head = fieldsHead(status) { return head.inVersion(version) }
        let bytes = Array((reason ?? "").utf8)
        return ResponseHead(
            version: min(version, .http11), status: status,
            reason: FieldValidator.isReason(bytes.span) ? reason ?? "" : "", fields: lines)
    }

    /// The head of a message whose first line is invalid, in the form of HTTP/1. It remains one
    /// line, whatever it contains.
    func text(firstLine: String) -> [UInt8] {
        var bytes = firstLine.utf8.map { $0 == 0x0D || $0 == 0x0A ? 0x20 : $0 } + [0x0D, 0x0A]
        for (name, value) in pairs { bytes += Array("\(name): ".utf8) + value + [0x0D, 0x0A] }
        return bytes + [0x0D, 0x0A]
    }

    // MARK: HTTP/2 and HTTP/3

    private func fieldsHead(_ method: HTTPMethod, _ url: RawURL) -> RequestHead? {
        // A tunnel has no scheme and path (RFC 9113 §8.5, RFC 9114 §4.4).
        let pseudo: [(String, [UInt8])] =
            method == .connect
            ? [
                (":method", Array("CONNECT".utf8)),
                (":authority", Array("\(url.bracketedHost):\(url.port)".utf8)),
            ]
            : [
                (":method", Array(method.rawValue.utf8)), (":scheme", Array(url.scheme.utf8)),
                (":authority", Array((self["Host"] ?? url.authority).utf8)), (":path", url.origin),
            ]
        return try? HeadParser.parseRequestHead(fieldsText(pseudo), limits: .captured)
    }

    private func fieldsHead(_ status: Int) -> ResponseHead? {
        try? HeadParser.parseResponseHead(
            fieldsText([(":status", Array("\(status)".utf8))]), limits: .captured)
    }

    /// Writes a line for each field, with names in lower case. Fields that HTTP/2 and HTTP/3 forbid
    /// are left out (RFC 9113 §8.2.2, RFC 9114 §4.2).
    private func fieldsText(_ pseudo: [(name: String, value: [UInt8])]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in pseudo { bytes += Array("\(name): ".utf8) + value + [0x0D, 0x0A] }
        for (name, value) in pairs {
            let name = name.lowercased()
            guard !ImportFields.http1Only.contains(name) else { continue }
            bytes += Array("\(name): ".utf8) + value + [0x0D, 0x0A]
        }
        return bytes + [0x0D, 0x0A]
    }

    private static let http1Only: Set<String> = [
        "host", "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
    ]

    /// Recognises the spellings that programs use: `HTTP/2`, `http/2.0`, `h2`, and for HTTP/3 and
    /// its precursors `h3`, `h3-29`, `http/2+quic/43`. Anything else counts as HTTP/1.1.
    static func version(_ text: String?) -> HTTPVersion {
        switch text?.uppercased() ?? "" {
        case "HTTP/1.0": .http10
        case "HTTP/2", "HTTP/2.0", "H2", "H2C": .http2
        case "HTTP/3", "HTTP/3.0", "H3": .http3
        case let text where text.hasPrefix("H3-") || text.contains("QUIC"): .http3
        default: .http11
        }
    }
}

extension RawURL {
    /// The host with brackets around an IPv6 literal.
    var bracketedHost: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host }
}
