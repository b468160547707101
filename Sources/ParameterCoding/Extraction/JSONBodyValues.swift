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
        guard !body.isEmpty,
            case .json = BodyKind.detect(
                contentType: contentType.flatMap { MediaType($0) }, bytes: body)
        else { return [] }
        return JSONParser.parsePrefix(
            of: body, limits: limits, into: JSONLeafCollector(JSONValuesAtPath(path))
        ).handler.sink.values
    }
}
