internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Builds heads for messages of which only names and values are known.
struct ImportFields {
    private var pairs: [(name: String, value: [UInt8])] = []

    /// Reads fields from `{name, value}` objects, without HTTP/2's `:names`.
    init(objects: [JSONValue]) throws(ImportProblem) {
        for object in objects {
            guard let name = object["name"]?.text else {
                throw ImportProblem("a header has no name")
            }
            try add(name, object["value"]?.text ?? "")
        }
    }

    /// Reads fields from `[name, value]` pairs.
    init(pairs: [JSONValue]) throws(ImportProblem) {
        for pair in pairs {
            let texts = pair.elements.map(\.text)
            guard texts.count == 2, let name = texts[0], let value = texts[1] else {
                throw ImportProblem("a header is not a pair of name and value")
            }
            try add(name, value)
        }
    }

    /// Reads fields from names and values as bytes.
    init(bytes fields: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)])
        throws(ImportProblem)
    {
        for field in fields {
            let value = Array(field.value)
            guard FieldValidator.isToken(field.name.span) else {
                throw ImportProblem("a header's name cannot be sent")
            }
            guard FieldValidator.isFieldValue(value.span) else {
                throw ImportProblem("the value of a header cannot be sent")
            }
            pairs.append((String(decoding: field.name, as: UTF8.self), value))
        }
    }

    private mutating func add(_ name: String, _ value: String) throws(ImportProblem) {
        // Insomnia writes the empty row of its form.
        if name.isEmpty, value.isEmpty { return }
        if name.hasPrefix(":") {
            if name == ":authority" { addHost(value) }
            return
        }
        let nameBytes = Array(name.utf8)
        guard FieldValidator.isToken(nameBytes.span) else {
            throw ImportProblem("a header's name cannot be sent")
        }
        // Browsers write several lines of the same name as one, with line feeds between the values.
        for line in value.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
            var bytes = Array(line)[...]
            while let last = bytes.last, last == 0x0D || ASCII.isOWS(last) { bytes.removeLast() }
            while let first = bytes.first, ASCII.isOWS(first) { bytes.removeFirst() }
            let trimmed = Array(bytes)
            guard FieldValidator.isFieldValue(trimmed.span) else {
                throw ImportProblem("the value of a header cannot be sent")
            }
            pairs.append((name, trimmed))
        }
    }

    /// Adds Host as the first field if there is none.
    mutating func addHost(_ value: String) {
        if self["Host"] == nil { pairs.insert(("Host", Array(value.utf8)), at: 0) }
    }

    /// The first value of a name; nil if there is none.
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

    /// The fields as a list of lines.
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
        if ImportFields.isHTTP2(version), method != .connect,
            let head = http2RequestHead(method: method, url: url)
        {
            return head
        }
        return RequestHead(
            method: method, target: target, version: ImportFields.version(version),
            fields: fields.lines)
    }

    func responseHead(status: Int64, reason: String?, version: String?) -> ResponseHead? {
        guard let status = Int(exactly: status), (100...999).contains(status) else { return nil }
        if ImportFields.isHTTP2(version), let head = http2ResponseHead(status: status) {
            return head
        }
        let bytes = Array((reason ?? "").utf8)
        return ResponseHead(
            version: ImportFields.version(version), status: status,
            reason: FieldValidator.isReason(bytes.span) ? reason ?? "" : "",
            fields: lines)
    }

    // MARK: HTTP/2

    private func http2RequestHead(method: HTTPMethod, url: RawURL) -> RequestHead? {
        let pseudo: [(String, [UInt8])] = [
            (":method", Array(method.rawValue.utf8)), (":scheme", Array(url.scheme.utf8)),
            (":authority", Array((self["Host"] ?? url.authority).utf8)), (":path", url.origin),
        ]
        return try? HeadParser.parseRequestHead(http2Text(pseudo), limits: .captured)
    }

    private func http2ResponseHead(status: Int) -> ResponseHead? {
        try? HeadParser.parseResponseHead(
            http2Text([(":status", Array("\(status)".utf8))]), limits: .captured)
    }

    /// Writes a line for each field, with names in lower case. Fields that HTTP/2 forbids are left
    /// out (RFC 9113 §8.2.2).
    private func http2Text(_ pseudo: [(name: String, value: [UInt8])]) -> [UInt8] {
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

    /// Recognises the spellings that programs use: `HTTP/2`, `http/2.0`, `h2`.
    static func isHTTP2(_ text: String?) -> Bool {
        ["HTTP/2", "HTTP/2.0", "H2", "H2C"].contains(text?.uppercased())
    }

    /// HTTP/3 heads are stored in HTTP/1 form.
    private static func version(_ text: String?) -> HTTPVersion {
        text?.uppercased() == "HTTP/1.0" ? .http10 : .http11
    }
}

extension RawURL {
    /// The host with brackets around an IPv6 literal.
    var bracketedHost: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host }
}
