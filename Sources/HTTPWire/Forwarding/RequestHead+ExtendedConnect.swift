public import ProxydHTTPModel

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
            add(
                fields.bytes[line.nameRange].map(ASCII.lowercased),
                fields.bytes[line.valueRange])
        }
        block.end()
        return try HTTP2HeadRules.request(block, endsStream: false, allowsExtendedConnect: true).0
    }
}
