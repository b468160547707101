extension RequestHead {
    /// The same head with other parts; what is not given stays, byte for byte. The target stays as
    /// it came: where a request goes is said beside its head. The caller has validated the parts.
    /// - Parameters:
    ///   - authority: What HTTP/2's `:authority` says; where there is none it is not added.
    ///   - fields: Edited from this head's own.
    public func changed(
        method: HTTPMethod? = nil, authority: String? = nil, fields: HeaderFields
    ) -> RequestHead {
        guard version >= .http2 else {
            return RequestHead(
                method: method ?? self.method, target: Array(target), version: version,
                fields: fields)
        }
        var pseudo = HeaderFields(octets: octets, lines: pseudoFields)
        if let method { pseudo.setFirst(":method", method.rawValue) }
        if let authority { pseudo.setFirst(":authority", authority) }
        let (octets, lines) = HeadComposer.compose(pseudo, fields)
        let pseudoLines = Array(lines.prefix(pseudo.count))
        return RequestHead(
            octets: octets, method: method ?? self.method,
            targetRange: targetRange(in: pseudoLines), version: version,
            pseudoFields: pseudoLines,
            fields: HeaderFields(octets: octets, lines: Array(lines.dropFirst(pseudo.count))))
    }

    /// Where the target lies when the pseudo-fields have moved to `moved`.
    private func targetRange(in moved: [HeaderFields.Line]) -> Range<Int> {
        let place = pseudoFields.firstIndex { $0.valueRange == targetRange }
        return place.map { moved[$0].valueRange } ?? 0..<0
    }
}

extension ResponseHead {
    /// The same head with other parts; what is not given stays, byte for byte. The caller has
    /// validated the parts.
    /// - Parameter fields: Edited from this head's own.
    public func changed(
        status: Int? = nil, reason: String? = nil, fields: HeaderFields
    ) -> ResponseHead {
        let status = status ?? self.status
        guard version >= .http2 else {
            return ResponseHead(
                version: version, status: status, reason: reason ?? self.reason, fields: fields)
        }
        var pseudo = HeaderFields(octets: octets, lines: pseudoFields)
        pseudo.setFirst(":status", String(status))
        let (octets, lines) = HeadComposer.compose(pseudo, fields)
        return ResponseHead(
            octets: octets, version: version, status: status, reasonRange: 0..<0,
            pseudoFields: Array(lines.prefix(pseudo.count)),
            fields: HeaderFields(octets: octets, lines: Array(lines.dropFirst(pseudo.count))))
    }
}

extension HeaderFields {
    /// Gives the first line of a name another value, where there is one and it has not that value.
    fileprivate mutating func setFirst(_ name: String, _ value: String) {
        guard let first = positions(named: name).first,
            !octets[lines[first].valueRange].elementsEqual(value.utf8)
        else { return }
        setValue(Array(value.utf8), ofLineAt: first)
    }
}

extension HeadComposer {
    /// The lines of one source, those of another, and an empty line.
    fileprivate static func compose(
        _ first: HeaderFields, _ second: HeaderFields
    ) -> (octets: [UInt8], lines: [HeaderFields.Line]) {
        let (begun, firstLines) = compose(startLine: [], fields: first)
        let (octets, secondLines) = compose(startLine: Array(begun.dropLast(2)), fields: second)
        return (octets, firstLines + secondLines)
    }
}
