internal import ProxydCharsets

/// Finds the values at a path in JSON bodies.
public enum JSONBodyValues {
    /// The values of the leaves at a path as `JSONLeaf` writes it, in the order of the text; nil
    /// for null. There are several if an object repeats a name.
    ///
    /// Never fails: a body that is not JSON has no values, and a truncated text has those that are
    /// complete in it. No tree is built.
    /// - Parameters:
    ///   - path: The path, compared byte for byte.
    ///   - body: The body, with content codings removed.
    ///   - contentType: The value of Content-Type, if there is one.
    ///   - limits: Bounds on the text.
    public static func values(
        at path: String, in body: Span<UInt8>, contentType: String?,
        limits: JSONLimits = JSONLimits()
    ) -> [String?] {
        let type = contentType.flatMap { MediaType($0) }
        guard !body.isEmpty, case .json = BodyKind.detect(contentType: type, bytes: body) else {
            return []
        }
        return withUTF8(body, type?.charset) { text in
            JSONParser.parsePrefix(
                of: text, limits: limits, into: JSONLeafCollector(JSONValuesAtPath(path))
            ).handler.sink.values
        }
    }

    /// Passes JSON in any charset on as UTF-8.
    static func withUTF8<Result>(
        _ body: Span<UInt8>, _ label: String?, _ read: (Span<UInt8>) -> Result
    ) -> Result {
        let charset = TextCharset(of: body, label: label, syntax: .json, isTruncated: true)
        guard charset.charset != .utf8 else { return read(body) }
        return read(Array(charset.decode(body, isTruncated: true).text.utf8).span)
    }
}
