extension RequestHead {
    /// How HPACK encoded each line, pseudo-header fields first, as raw values of `FieldCoding`.
    public var codings: [UInt8] { HeadCodings.of(pseudoFields, fields) }

    /// Returns the head with these codings of its lines; unchanged if their number does not match.
    public func withCodings(_ codings: [UInt8]) -> RequestHead {
        guard let lines = HeadCodings.put(codings, pseudoFields, fields) else { return self }
        return RequestHead(
            bytes: bytes, method: method, targetRange: targetRange, version: version,
            pseudoFields: lines.pseudo, fields: lines.fields)
    }
}

extension ResponseHead {
    /// How HPACK encoded each line, pseudo-header fields first, as raw values of `FieldCoding`.
    public var codings: [UInt8] { HeadCodings.of(pseudoFields, fields) }

    /// Returns the head with these codings of its lines; unchanged if their number does not match.
    public func withCodings(_ codings: [UInt8]) -> ResponseHead {
        guard let lines = HeadCodings.put(codings, pseudoFields, fields) else { return self }
        return ResponseHead(
            bytes: bytes, version: version, status: status, reasonRange: reasonRange,
            pseudoFields: lines.pseudo, fields: lines.fields)
    }
}

/// Separates the codings of a head's lines from the lines.
private enum HeadCodings {
    static func of(_ pseudo: [HeaderFields.Line], _ fields: HeaderFields) -> [UInt8] {
        var codings: [UInt8] = []
        codings.reserveCapacity(pseudo.count + fields.count)
        for line in pseudo { codings.append(line.coding.rawValue) }
        for line in fields.lines { codings.append(line.coding.rawValue) }
        return codings
    }

    static func put(
        _ codings: [UInt8], _ pseudo: [HeaderFields.Line], _ fields: HeaderFields
    ) -> (pseudo: [HeaderFields.Line], fields: HeaderFields)? {
        let values = codings.compactMap(FieldCoding.init(rawValue:))
        guard values.count == pseudo.count + fields.count, values.count == codings.count else {
            return nil
        }
        let lines = zip(pseudo + fields.lines, values).map { $0.with($1) }
        return (
            Array(lines.prefix(pseudo.count)),
            HeaderFields(bytes: fields.bytes, lines: Array(lines.dropFirst(pseudo.count)))
        )
    }
}

extension HeaderFields.Line {
    /// Returns the line with another coding.
    fileprivate func with(_ coding: FieldCoding) -> HeaderFields.Line {
        HeaderFields.Line(
            start: start, nameEnd: nameEnd, valueStart: valueStart, valueEnd: valueEnd, end: end,
            name: name, coding: coding)
    }
}
