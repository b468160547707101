internal import FuzzSupport
public import ProxydHTTPModel
internal import ProxydHTTPWire

/// What must hold of field lines.
public enum FieldChecks {
    /// Names that pass through a proxy unless Connection names them.
    private static let endToEnd: Set<FieldName> = [
        .other, .acceptEncoding, .authorization, .contentEncoding, .contentType, .cookie, .date,
        .proxyAuthenticate, .setCookie, .trailer,
    ]
    /// Names that belong to one connection; Connection, TE and Upgrade have checks of their own.
    private static let hopByHop: Set<FieldName> = [
        .proxyConnection, .keepAlive, .http2Settings,
    ]

    /// Every line is one that may be sent: a token, a colon, a value without control bytes.
    public static func checkWellFormed(_ fields: HeaderFields) {
        for line in fields.lines {
            let bytes = fields.bytes.span
            let name = bytes.extracting(line.nameRange)
            require(FieldValidator.isToken(name), "a field name is no token")
            require(FieldName(name) == line.name, "a field name is taken for another")
            let value = bytes.extracting(line.valueRange)
            require(FieldValidator.isFieldValue(value), "a field value is not legal")
        }
    }

    /// What was forwarded has the lines that pass through, byte for byte and in order, and
    /// none that may not.
    public static func checkForwarded(
        _ sent: HeaderFields, from received: HeaderFields, nominated: [String]
    ) {
        checkWellFormed(sent)
        // These four are options of the connection; a field of such a name is not meant.
        let names = Set(nominated).subtracting(["close", "keep-alive", "upgrade", "te"])
        require(
            endToEndLines(of: sent, without: []) == endToEndLines(of: received, without: names),
            "lines that should pass through do not")
        require(
            !sent.lines.contains { hopByHop.contains($0.name) }, "a hop-by-hop field passes through"
        )
        let lengthCount = sent.lines.filter { $0.name == .contentLength }.count
        // Lines of codings are one list; what they mean is checked by reading them again.
        let hasCodings = sent.lines.contains { $0.name == .transferEncoding }
        require(lengthCount + (hasCodings ? 1 : 0) <= 1, "the framing is said in two ways")
    }

    /// Trailers that went on are some of those that came, in order.
    public static func checkTrailers(_ sent: HeaderFields?, from received: HeaderFields?) {
        var candidates = received.map(lines)?[...] ?? []
        for line in sent.map(lines) ?? [] {
            guard let index = candidates.firstIndex(of: line) else {
                require(false, "a trailer field comes from nowhere")
                return
            }
            candidates = candidates[(index + 1)...]
        }
        let forbidden: Set<FieldName> = [.contentLength, .transferEncoding, .host, .connection]
        require(
            !(sent?.lines.contains { forbidden.contains($0.name) } ?? false),
            "a trailer speaks of framing or routing")
    }

    private static func lines(of fields: HeaderFields) -> [[UInt8]] {
        fields.lines.map { Array(fields.bytes[$0.range]) }
    }

    private static func endToEndLines(
        of fields: HeaderFields, without nominated: Set<String>
    ) -> [[UInt8]] {
        fields.lines.filter { line in
            endToEnd.contains(line.name)
                && !nominated.contains(fields.name(of: line).lowercased())
        }
        .map { Array(fields.bytes[$0.range]) }
    }
}
