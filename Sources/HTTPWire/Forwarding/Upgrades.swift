public import ProxydHTTPModel

/// Decides which protocols of an Upgrade field are forwarded. Cleartext HTTP/2 is not: a server
/// that switched to it would escape both recording and framing.
enum UpgradeOffer {
    /// Whether any protocol of any line may be forwarded.
    static func hasAllowed(_ fields: HeaderFields) -> Bool {
        for line in fields.lines where line.name == .upgrade {
            if count(line, of: fields).allowed > 0 { return true }
        }
        return false
    }

    /// Returns how many protocols a line lists, and how many of them may be forwarded.
    static func count(
        _ line: HeaderFields.Line, of fields: HeaderFields
    ) -> (all: Int, allowed: Int) {
        let bytes = fields.bytes.span
        var all = 0
        var allowed = 0
        ListMembers.forEach(bytes, line.valueRange) { member in
            all &+= 1
            if isAllowed(bytes.extracting(member)) { allowed &+= 1 }
        }
        return (all, allowed)
    }

    /// Writes the protocols of a line that may be forwarded.
    static func writeAllowed(
        _ line: HeaderFields.Line, of fields: HeaderFields, into output: inout [UInt8]
    ) {
        let bytes = fields.bytes.span
        var isFirst = true
        ListMembers.forEach(bytes, line.valueRange) { member in
            guard isAllowed(bytes.extracting(member)) else { return }
            if !isFirst { output.append(", ") }
            isFirst = false
            output.append(contentsOf: fields.bytes[member])
        }
    }

    static func isAllowed(_ name: Span<UInt8>) -> Bool {
        !ASCII.equalsIgnoringCase(name, "h2c") && !ASCII.equalsIgnoringCase(name, "h2")
    }
}

extension RequestHead {
    /// Creates an extended CONNECT (RFC 8441 §4) as in HTTP/2: pseudo-header fields, followed by
    /// the lines of `fields` with names in lower case.
    /// - Parameters:
    ///   - name: the protocol, such as `websocket`.
    ///   - url: the requested URL, with the scheme `http` or `https`.
    /// - Throws: if a name or a value is invalid, or a field is only allowed in HTTP/1.
    public static func extendedConnect(
        _ name: String, to url: RawURL, fields: HeaderFields
    ) throws(WireError) -> RequestHead {
        var block = FieldBlock(
            limits: FieldBlock.Limits(listByteCountMax: .max, lineCountMax: .max))
        func add(_ name: [UInt8], _ value: some Sequence<UInt8>) {
            block.append(name: name.span, value: Array(value).span, coding: .text)
        }
        add(Array(":method".utf8), "CONNECT".utf8)
        add(Array(":protocol".utf8), name.utf8)
        add(Array(":scheme".utf8), url.scheme.utf8)
        add(Array(":authority".utf8), url.authority.utf8)
        add(Array(":path".utf8), url.origin)
        for line in fields.lines where line.name != .host {
            add(fields.bytes[line.nameRange].map(ASCII.lowercased), fields.bytes[line.valueRange])
        }
        block.end()
        return try HTTP2HeadRules.request(block, endsStream: false, allowsExtendedConnect: true).0
    }
}

extension ResponseHead {
    /// The head for an HTTP/2 client after an HTTP/1.1 server has switched protocols for its
    /// extended CONNECT: 200 instead of 101, and without the proof that only HTTP/1.1 needs (RFC
    /// 8441 §5). Connection fields are not forwarded in any case.
    public var asOpenedStream: ResponseHead {
        var kept = fields
        kept.removeAll(named: "Sec-WebSocket-Accept")
        return ResponseHead(version: version, status: 200, reason: "", fields: kept)
    }
}
