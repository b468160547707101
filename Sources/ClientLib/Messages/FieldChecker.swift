internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Rejects header lines that would break the framing of a head.
enum FieldChecker {
    /// - Throws: `.invalidRequest(.badFieldName)`, `.invalidRequest(.badFieldValue)`.
    static func check(
        _ line: HeaderFields.Line, of fields: HeaderFields
    ) throws(ClientError) {
        let bytes = fields.bytes
        guard FieldValidator.isToken(bytes.span.extracting(line.nameRange)) else {
            throw ClientError(.invalidRequest(.badFieldName))
        }
        guard FieldValidator.isFieldValue(bytes.span.extracting(line.valueRange)) else {
            throw ClientError(.invalidRequest(.badFieldValue(name: fields.name(of: line))))
        }
    }

    /// Checks every line.
    static func check(_ fields: HeaderFields) throws(ClientError) {
        for line in fields.lines { try check(line, of: fields) }
    }
}
