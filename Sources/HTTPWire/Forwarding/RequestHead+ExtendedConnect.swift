public import ProxydHTTPModel

extension RequestHead {
    /// An extended CONNECT (RFC 8441 §4), as HTTP/2 has it: pseudo-fields, then the lines of
    /// `fields`, their names in lower case.
    /// - Parameters:
    ///   - name: the protocol, such as `websocket`.
    ///   - url: where it is asked for; of `http` or `https`.
    /// - Throws: what is wrong with a name or a value, or that a field is for HTTP/1 alone.
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
                fields.octets[line.nameRange].map(ASCII.lowercased),
                fields.octets[line.valueRange])
        }
        block.end()
        return try HTTP2HeadRules.request(block, endsStream: false, allowsExtendedConnect: true).0
    }
}
