internal import ProxydCaptureModel
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydWebServer

/// The body of `PATCH /exchanges/{id}`: `note` (null removes it), `tags` (replaces all) and
/// `pinned`; members that are absent change nothing.
struct AnnotationChange {
    private var note: String?
    private var tags: [String]?
    private var isPinned: Bool?

    init(_ members: [String: JSONValue]) throws(WebProblem) {
        for (name, value) in members {
            switch (name, value) {
            case ("note", .null): note = ""
            case ("note", .string(let text)): note = text
            case ("pinned", .bool(let isPinned)): self.isPinned = isPinned
            case ("tags", .array(let values)): tags = try AnnotationChange.texts(values)
            case ("note", _): throw WebProblem(400, "note must be a text or null")
            case ("pinned", _): throw WebProblem(400, "pinned must be true or false")
            case ("tags", _): throw WebProblem(400, "tags must be an array of texts")
            default: throw WebProblem(400, "there is no member \"\(name)\": note, tags, pinned")
            }
        }
    }

    private static func texts(_ values: [JSONValue]) throws(WebProblem) -> [String] {
        var texts: [String] = []
        for value in values {
            guard case .string(let text) = value else {
                throw WebProblem(400, "tags must be an array of texts")
            }
            texts.append(text)
        }
        return texts
    }

    /// The change as it is made to an exchange.
    func annotation(of row: ExchangeRow) -> Annotation {
        let wanted = tags ?? row.tags
        return Annotation(
            id: row.id, note: note, addedTags: wanted.filter { !row.tags.contains($0) },
            removedTags: row.tags.filter { !wanted.contains($0) }, isPinned: isPinned)
    }
}
