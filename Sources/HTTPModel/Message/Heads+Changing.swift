extension RequestHead {
    /// Returns the head with other parts; parts that are not given stay the same, byte for byte.
    /// The target is kept as it came: where a request goes is stored separately. The caller must
    /// have validated the parts.
    /// - Parameters:
    ///   - authority: The new value of HTTP/2's `:authority`; ignored if the head has none.
    ///   - fields: Edited from this head's own fields.
    public func changed(
        method: HTTPMethod? = nil, authority: String? = nil, fields: HeaderFields
    ) -> RequestHead {
        guard version >= .http2 else {
            return RequestHead(
                method: method ?? self.method, target: Array(target), version: version,
                fields: fields)
        }
        var pseudo = HeaderFields(bytes: bytes, lines: pseudoFields)
        if let method { pseudo.setFirst(":method", method.rawValue) }
        if let authority { pseudo.setFirst(":authority", authority) }
        let (bytes, lines) = HeadComposer.compose(pseudo, fields)
        let pseudoLines = Array(lines.prefix(pseudo.count))
        return RequestHead(
            bytes: bytes, method: method ?? self.method,
            targetRange: targetRange(in: pseudoLines), version: version,
            pseudoFields: pseudoLines,
            fields: HeaderFields(bytes: bytes, lines: Array(lines.dropFirst(pseudo.count))))
    }

    /// Returns the range of the target after the pseudo-header fields have moved to `moved`.
    private func targetRange(in moved: [HeaderFields.Line]) -> Range<Int> {
        let place = pseudoFields.firstIndex { $0.valueRange == targetRange }
        return place.map { moved[$0].valueRange } ?? 0..<0
    }
}

extension ResponseHead {
    /// Returns the head with other parts; parts that are not given stay the same, byte for byte.
    /// The caller must have validated the parts.
    /// - Parameter fields: Edited from this head's own fields.
    public func changed(
        status: Int? = nil, reason: String? = nil, fields: HeaderFields
    ) -> ResponseHead {
        let status = status ?? self.status
        guard version >= .http2 else {
            return ResponseHead(
                version: version, status: status, reason: reason ?? self.reason, fields: fields)
        }
        var pseudo = HeaderFields(bytes: bytes, lines: pseudoFields)
        pseudo.setFirst(":status", String(status))
        let (bytes, lines) = HeadComposer.compose(pseudo, fields)
        return ResponseHead(
            bytes: bytes, version: version, status: status, reasonRange: 0..<0,
            pseudoFields: Array(lines.prefix(pseudo.count)),
            fields: HeaderFields(bytes: bytes, lines: Array(lines.dropFirst(pseudo.count))))
    }
}

extension HeaderFields {
    /// Changes the first line with this name, if there is one with another value.
    fileprivate mutating func setFirst(_ name: String, _ value: String) {
        guard let first = positions(named: name).first,
            !bytes[lines[first].valueRange].elementsEqual(value.utf8)
        else { return }
        setValue(Array(value.utf8), ofLineAt: first)
    }
}

extension HeadComposer {
    /// Joins the lines of two sources, followed by an empty line.
    fileprivate static func compose(
        _ first: HeaderFields, _ second: HeaderFields
    ) -> (bytes: [UInt8], lines: [HeaderFields.Line]) {
        let (begun, firstLines) = compose(startLine: [], fields: first)
        let (bytes, secondLines) = compose(startLine: Array(begun.dropLast(2)), fields: second)
        return (bytes, firstLines + secondLines)
    }
}
